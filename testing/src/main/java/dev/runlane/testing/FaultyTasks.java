package dev.runlane.testing;

import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.task.Step;
import dev.runlane.runtime.task.Task;
import io.vertx.core.Future;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Tasks whose attempts and local steps fail as planned; their handlers are those of the test. */
final class FaultyTasks {
  private final Faults faults;

  FaultyTasks(Faults faults) {
    this.faults = faults;
  }

  <P> Task<P> of(Task<P> task) {
    return WrappedTask.of(task, context -> {
      throwIfAny(faults.ofAttempt(task.id()));
      return (method, arguments) -> WrappedTask.invoke(context, method, withFaults(arguments));
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
