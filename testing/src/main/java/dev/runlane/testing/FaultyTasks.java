package dev.runlane.testing;

import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.task.BlockingTaskContext;
import dev.runlane.runtime.task.RetryPolicy;
import dev.runlane.runtime.task.Step;
import dev.runlane.runtime.task.Task;
import dev.runlane.runtime.task.TaskContext;
import dev.runlane.timing.Backoff;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.lang.reflect.Method;
import java.util.concurrent.Callable;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Tasks whose attempts and local steps fail as planned; their handlers are those of the test. What handlers fail with,
 * which histories do not tell, is kept for the messages of tests. Nothing that a handler asks of its context goes on
 * once its process is dead.
 */
final class FaultyTasks {
  private final Faults faults;
  private final HandlerFailures failures;
  private final BooleanSupplier dead;
  private final Pauses pauses;

  /**
   * @param dead whether the process is
   * @param pauses is told of pauses before a step is tried again, which nobody else hears of
   */
  FaultyTasks(Faults faults, HandlerFailures failures, BooleanSupplier dead, Pauses pauses) {
    this.faults = faults;
    this.failures = failures;
    this.dead = dead;
    this.pauses = pauses;
  }

  <P> Task<P> of(Task<P> task) {
    return WrappedTask.of(task, new WrappedTask.Attempts() {
      @Override
      public WrappedTask.Way begin(TaskContext context) {
        throwIfAny(faults.ofAttempt(task.id()));
        return (method, arguments) -> dead.getAsBoolean() && mayWait(method)
            ? never(context, method)
            : WrappedTask.invoke(context, method, withFaults(context, arguments));
      }

      @Override
      public void failed(TaskContext context, Throwable failure) {
        failures.add(context.runId(), context.attempt(), failure);
      }
    });
  }

  private static boolean mayWait(Method method) {
    return method.getReturnType() == Future.class
        || method.getDeclaringClass() == BlockingTaskContext.class;
  }

  /** A blocking handler is kept where it is, any other gets no answer. */
  private static @Nullable Object never(TaskContext context, Method method) {
    Future<Object> answer = Promise.promise().future();
    return method.getReturnType() == Future.class
        ? answer
        : ((BlockingTaskContext) context).await(answer);
  }

  /** The work of a step is the last argument, behind its definition or name. */
  private @Nullable Object @Nullable [] withFaults(
      TaskContext context, @Nullable Object @Nullable [] arguments) {
    if (arguments == null || arguments.length < 2) {
      return arguments;
    }
    String name = arguments[0] instanceof Step<?> step ? step.name() : String.valueOf(arguments[0]);
    Consumer<Throwable> failed = arguments[0] instanceof Step<?> step
        ? new Tries(context.runId(), step.retry())::failed
        : cause -> {};
    @Nullable Object[] replaced = arguments.clone();
    Object work = arguments[arguments.length - 1];
    if (work instanceof Supplier<?> supplier) {
      replaced[arguments.length - 1] = (Supplier<Object>) () -> tried(name, supplier, failed);
    } else if (work instanceof Callable<?> callable) {
      replaced[arguments.length - 1] = (Callable<Object>) () -> called(name, callable, failed);
    }
    return replaced;
  }

  private @Nullable Object tried(String name, Supplier<?> work, Consumer<Throwable> failed) {
    RunlaneException failure = faults.ofStep(name);
    if (failure != null) {
      failed.accept(failure);
      return Future.failedFuture(failure);
    }
    try {
      Object done = work.get();
      return done instanceof Future<?> future ? future.onFailure(failed::accept) : done;
    } catch (RuntimeException | Error thrown) {
      failed.accept(thrown);
      throw thrown;
    }
  }

  private @Nullable Object called(String name, Callable<?> work, Consumer<Throwable> failed)
      throws Exception {
    try {
      throwIfAny(faults.ofStep(name));
      return work.call();
    } catch (Exception | Error thrown) {
      failed.accept(thrown);
      throw thrown;
    }
  }

  private static void throwIfAny(@Nullable RunlaneException failure) {
    if (failure != null) {
      throw failure;
    }
  }

  /** Counts the tries of one step, as the runtime does. */
  private final class Tries {
    private final String runId;
    private final RetryPolicy retry;
    private int failed;

    private Tries(String runId, RetryPolicy retry) {
      this.runId = runId;
      this.retry = retry;
    }

    private void failed(Throwable cause) {
      boolean isForGood = cause instanceof RunlaneException known && !known.isRetryable();
      if (!isForGood && retry.allowsRetryAfter(failed++)) {
        pauses.before(runId, retry.backoff(), failed);
      }
    }
  }

  /** Hears of pauses. */
  @FunctionalInterface
  interface Pauses {
    /** A step of a run has failed so often, and is tried again after a pause. */
    void before(String runId, Backoff backoff, int failures);
  }
}
