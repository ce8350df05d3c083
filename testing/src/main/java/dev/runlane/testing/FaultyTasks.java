package dev.runlane.testing;

import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.task.BlockingTaskContext;
import dev.runlane.runtime.task.Step;
import dev.runlane.runtime.task.Task;
import dev.runlane.runtime.task.TaskContext;
import io.vertx.core.Future;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
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
    if (task.body() instanceof Task.AttemptBody.OnEventLoop<P> body) {
      return task.description().handler((payload, context) -> {
        failAttempt(task);
        return body.handler().handle(payload, faulty(TaskContext.class, context));
      });
    }
    Task.AttemptBody.Blocking<P> body = (Task.AttemptBody.Blocking<P>) task.body();
    return task.description().blockingHandler((payload, context) -> {
      failAttempt(task);
      return body.handler().handle(payload, faulty(BlockingTaskContext.class, context));
    });
  }

  private void failAttempt(Task<?> task) {
    throwIfAny(faults.ofAttempt(task.id()));
  }

  private <C extends TaskContext> C faulty(Class<C> type, C context) {
    return type.cast(Proxy.newProxyInstance(
        FaultyTasks.class.getClassLoader(),
        new Class<?>[] {type},
        (proxy, method, arguments) -> invoke(context, method, replaced(arguments))));
  }

  /** The work of a step is the last argument, behind its definition or name. */
  private Object @Nullable [] replaced(Object @Nullable [] arguments) {
    if (arguments == null || arguments.length < 2) {
      return arguments;
    }
    String name = arguments[0] instanceof Step<?> step ? step.name() : arguments[0].toString();
    Object work = arguments[arguments.length - 1];
    Object[] replaced = arguments.clone();
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

  private static @Nullable Object invoke(
      Object target, Method method, Object @Nullable [] arguments) throws Throwable {
    try {
      return method.invoke(target, arguments);
    } catch (InvocationTargetException thrown) {
      throw thrown.getCause() == null ? thrown : thrown.getCause();
    }
  }
}
