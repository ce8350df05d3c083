package dev.runlane.runtime.host;

import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.timing.BlockingCalls;
import dev.runlane.timing.ContextTurns;
import dev.runlane.timing.Timers;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.VertxInternal;
import java.util.concurrent.Callable;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** An event loop context of its own, from start to close. */
final class VertxHost implements RuntimeHost {
  private static final Logger LOG = LoggerFactory.getLogger(VertxHost.class);

  private final Vertx vertx;
  private final Timers timers;
  private final BlockingCalls blocking;
  private final AtomicReference<@Nullable Context> home = new AtomicReference<>();

  VertxHost(Vertx vertx, int blockingThreads) {
    this.vertx = vertx;
    timers = Timers.of(vertx);
    blocking = BlockingCalls.of(vertx, blockingThreads);
  }

  @Override
  public Timers timers() {
    return timers;
  }

  /** Not a deployment's context: whoever made the runtime may be undeployed while it still stops. */
  @Override
  public Future<Void> start() {
    home.compareAndSet(null, ((VertxInternal) vertx).createEventLoopContext());
    return Future.succeededFuture();
  }

  @Override
  public Future<Void> close() {
    home.set(null);
    return blocking.close();
  }

  @Override
  public <T> Future<T> call(Supplier<Future<T>> work) {
    Context context = home.get();
    if (context == null) {
      return Future.failedFuture(notStarted());
    }
    Context caller = Vertx.currentContext();
    if (caller == context) {
      return Future.<Void>succeededFuture().compose(start -> work.get());
    }
    Promise<T> answer = Promise.promise();
    try {
      context.runOnContext(start -> Future.<Void>succeededFuture()
          .compose(begin -> work.get())
          .onComplete(result -> ContextTurns.always(caller, () -> answer.handle(result))));
    } catch (RejectedExecutionException vertxIsClosed) {
      return Future.failedFuture(notStarted());
    }
    return answer.future();
  }

  @Override
  public void execute(Runnable action) {
    Context context = home.get();
    if (context == null) {
      return; // before start and after close nobody is there to be told anything
    }
    ContextInternal current = ContextInternal.current();
    if (current != null && current.unwrap() == context) {
      ContextTurns.lasting(context).execute(action);
    } else {
      later(context, action);
    }
  }

  @Override
  public void defer(Runnable action) {
    Context context = home.get();
    if (context != null) {
      later(context, action);
    }
  }

  private static void later(Context context, Runnable action) {
    try {
      context.runOnContext(turn -> action.run());
    } catch (RejectedExecutionException vertxIsClosed) {
      LOG.debug("what was to be done at home is left, since Vert.x is closed", vertxIsClosed);
    }
  }

  @Override
  public Executor callerExecutor() {
    Context caller = Vertx.currentContext();
    Context context = caller == null ? home.get() : caller;
    return context == null ? this::execute : ContextTurns.lasting(context);
  }

  @Override
  public boolean canWait() {
    return true;
  }

  @Override
  public <T> Future<T> blocking(Callable<T> work) {
    return blocking.run(work);
  }

  private static RunlaneException notStarted() {
    return RunlaneException.of(
        ErrorCode.OPERATION_CANCELLED,
        "the runtime is not started, or it or its Vert.x is closed already");
  }
}
