package dev.runlane.jobs.queue.host;

import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.timing.BlockingCalls;
import dev.runlane.timing.ContextTurns;
import dev.runlane.timing.ManualTime;
import dev.runlane.timing.Timers;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.internal.VertxInternal;
import java.util.ArrayDeque;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The one context that owns the state which the workers and queues of a process share. */
public interface JobsHost {
  /** An event loop of its own, which outlives the deployment that made it. */
  static JobsHost of(Vertx vertx, int blockingThreads) {
    return new EventLoop(
        ((VertxInternal) vertx).createEventLoopContext(),
        Timers.of(vertx),
        BlockingCalls.of(vertx, blockingThreads));
  }

  /** The timers; an action runs on the context that scheduled it. */
  Timers timers();

  /** Where blocking handlers run. */
  BlockingCalls blocking();

  /** Runs {@code action} on the home context, at once when called there. */
  void execute(Runnable action);

  /** Runs {@code action} on the home context in a later turn, after what this turn has set off already. */
  void defer(Runnable action);

  /** The context of the caller, to run something there later; the home context where there is none. */
  Executor callerExecutor();

  /**
   * Runs {@code work} on the home context and answers on the caller's. What it throws fails the future, and so does a
   * Vert.x that is closed, with {@code OperationCancelled}.
   */
  <T> Future<T> call(Supplier<Future<T>> work);

  /** Takes no further blocking work. */
  default Future<Void> close() {
    return blocking().close();
  }

  /** A context of a Vert.x. */
  record EventLoop(Context context, Timers timers, BlockingCalls blocking) implements JobsHost {
    private static final Logger LOG = LoggerFactory.getLogger(JobsHost.class);

    @Override
    public void execute(Runnable action) {
      ContextTurns home = ContextTurns.of(context);
      if (home.isHere()) {
        home.execute(action);
      } else {
        defer(action);
      }
    }

    /** Once its Vert.x is closed nothing is done any more: who waits for an answer asks by {@link #call}. */
    @Override
    public void defer(Runnable action) {
      try {
        context.runOnContext(later -> action.run());
      } catch (RejectedExecutionException vertxIsClosed) {
        LOG.debug("what was to be done for jobs is left, since Vert.x is closed", vertxIsClosed);
      }
    }

    @Override
    public Executor callerExecutor() {
      Context caller = Vertx.currentContext();
      return ContextTurns.of(caller == null ? context : caller);
    }

    @Override
    public <T> Future<T> call(Supplier<Future<T>> work) {
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
        return Future.failedFuture(RunlaneException.of(
            ErrorCode.OPERATION_CANCELLED, "the Vert.x of the job queue is closed"));
      }
      return answer.future();
    }
  }

  /** The thread that calls. Later turns come when it asks for them, or when its time does. */
  final class SingleThread implements JobsHost {
    private final Timers timers;
    private final BlockingCalls blocking = BlockingCalls.onCallersThread();
    private final ArrayDeque<Runnable> turns = new ArrayDeque<>();
    private final Consumer<Runnable> later;

    public SingleThread(Timers timers) {
      this.timers = timers;
      later = turns::add;
    }

    /** The thread that moves this time, which takes the later turns too. */
    public SingleThread(ManualTime time) {
      timers = time.timers();
      later = time::defer;
    }

    /** Takes the next turn; false when there is none. */
    public boolean runNext() {
      Runnable next = turns.poll();
      if (next != null) {
        next.run();
      }
      return next != null;
    }

    @Override
    public Timers timers() {
      return timers;
    }

    @Override
    public BlockingCalls blocking() {
      return blocking;
    }

    @Override
    public void execute(Runnable action) {
      action.run();
    }

    @Override
    public void defer(Runnable action) {
      later.accept(action);
    }

    @Override
    public Executor callerExecutor() {
      return Runnable::run;
    }

    @Override
    public <T> Future<T> call(Supplier<Future<T>> work) {
      return Future.<Void>succeededFuture().compose(start -> work.get());
    }
  }
}
