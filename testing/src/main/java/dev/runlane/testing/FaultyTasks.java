package dev.runlane.testing;

import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.task.Step;
import dev.runlane.runtime.task.Task;
import dev.runlane.runtime.task.TaskContext;
import io.vertx.core.Future;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Tasks whose attempts and local steps fail as planned; their handlers are those of the test. What handlers fail with,
 * which histories do not tell, is kept for the messages of tests.
 */
final class FaultyTasks {
  private final Faults faults;
  private final HandlerFailures failures;

  FaultyTasks(Faults faults, HandlerFailures failures) {
    this.faults = faults;
    this.failures = failures;
  }

  <P> Task<P> of(Task<P> task) {
    return WrappedTask.of(task, new WrappedTask.Attempts() {
      @Override
      public WrappedTask.Way begin(TaskContext context) {
        throwIfAny(faults.ofAttempt(task.id()));
        return (method, arguments) -> WrappedTask.invoke(context, method, withFaults(arguments));
      }

      @Override
      public void failed(TaskContext context, Throwable failure) {
        failures.add(context.runId(), context.attempt(), failure);
      }
    });
  }

  /** The work of a step is the last argument, behind its definition or name. */
  private @Nullable Object @Nullable [] withFaults(@Nullable Object @Nullable [] arguments) {
    if (arguments == null || arguments.length < 2) {
      return arguments;
    }
    String name = arguments[0] instanceof Step<?> step ? step.name() : String.valueOf(arguments[0]);
    @Nullable Object[] replaced = arguments.clone();
    Object work = arguments[arguments.length - 1];
    if (work instanceof Supplier<?> supplier) {
      replaced[arguments.length - 1] = (Supplier<Object>) () -> {
        RunlaneException failure = faults.ofStep(name);
        return failure == null ? supplier.get() : Future.failedFuture(failure);
      };
    } else if (work instanceof Callable<?> callable) {
      replaced[arguments.length - 1] = (Callable<Object>) () -> {
        throwIfAny(faults.ofStep(name));
        return callable.call();
      };
    }
    return replaced;
  }

  private static void throwIfAny(@Nullable RunlaneException failure) {
    if (failure != null) {
      throw failure;
    }
  }
}
