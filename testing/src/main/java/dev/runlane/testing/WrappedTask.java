package dev.runlane.testing;

import dev.runlane.runtime.task.BlockingTaskContext;
import dev.runlane.runtime.task.Task;
import dev.runlane.runtime.task.TaskContext;
import io.vertx.core.Future;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import org.jspecify.annotations.Nullable;

/** A task with the handler of another, in which every attempt and what it asks of its context goes another way. */
final class WrappedTask {
  private WrappedTask() {}

  /**
   * The task.
   *
   * @param attempts makes the way of one attempt, and throws what the attempt is to fail with instead
   */
  static <P> Task<P> of(Task<P> task, Attempts attempts) {
    if (task.body() instanceof Task.AttemptBody.OnEventLoop<P> body) {
      return task.description().handler((payload, context) -> {
        Way way = attempts.begin(context);
        return Future.<Void>succeededFuture() // inside compose a throw is a failure
            .compose(start -> body.handler().handle(payload, passing(TaskContext.class, way)))
            .onFailure(failure -> attempts.failed(context, failure));
      });
    }
    Task.AttemptBody.Blocking<P> body = (Task.AttemptBody.Blocking<P>) task.body();
    return task.description().blockingHandler((payload, context) -> {
      Way way = attempts.begin(context);
      try {
        return body.handler().handle(payload, passing(BlockingTaskContext.class, way));
      } catch (Exception | AssertionError failure) {
        attempts.failed(context, failure);
        throw failure;
      }
    });
  }

  private static <C extends TaskContext> C passing(Class<C> type, Way way) {
    return type.cast(Proxy.newProxyInstance(
        WrappedTask.class.getClassLoader(),
        new Class<?>[] {type},
        (proxy, method, arguments) -> way.call(method, arguments)));
  }

  /** Calls the method of the target, and throws what it throws. */
  static @Nullable Object invoke(
      Object target, Method method, @Nullable Object @Nullable [] arguments) throws Throwable {
    try {
      return method.invoke(target, arguments);
    } catch (InvocationTargetException thrown) {
      throw thrown.getCause() == null ? thrown : thrown.getCause();
    }
  }

  /** Begins attempts. */
  @FunctionalInterface
  interface Attempts {
    /** An attempt with this context begins. */
    Way begin(TaskContext context);

    /** Its handler has failed. */
    default void failed(TaskContext context, Throwable failure) {}
  }

  /** What becomes of calls of a context. */
  @FunctionalInterface
  interface Way {
    /** Answers a call. */
    @Nullable
    Object call(Method method, @Nullable Object @Nullable [] arguments) throws Throwable;
  }
}
