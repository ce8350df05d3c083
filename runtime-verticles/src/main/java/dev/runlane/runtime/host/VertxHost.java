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
import io.vertx.core.internal.VertxInternal;
import java.util.concurrent.Callable;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** An event loop context of its own, from start to close. */
final class VertxHost implements RuntimeHost {
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
    context.runOnContext(
        start -> Future.<Void>succeededFuture().compose(begin -> work.get()).onComplete(result -> {
          if (caller == null) {
            answer.handle(result);
          } else {
            caller.runOnContext(back -> answer.handle(result));
          }
        }));
    return answer.future();
  }

  @Override
  public void execute(Runnable action) {
    Context context = home.get();
    if (context == null) {
      return; // before start and after close nobody is there to be told anything
    }
    ContextTurns.of(context).execute(action);
  }

  @Override
  public void defer(Runnable action) {
    Context context = home.get();
    if (context != null) {
      context.runOnContext(later -> action.run());
    }
  }

  @Override
  public Executor callerExecutor() {
    Context caller = Vertx.currentContext();
    Context context = caller == null ? home.get() : caller;
    return context == null ? this::execute : ContextTurns.of(context);
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
        ErrorCode.OPERATION_CANCELLED, "the runtime is not started, or closed already");
  }
}
