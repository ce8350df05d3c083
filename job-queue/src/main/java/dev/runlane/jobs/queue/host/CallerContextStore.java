package dev.runlane.jobs.queue.host;

import dev.runlane.jobs.store.JobStore;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * A store whose futures complete on the context that called, whichever the store completes them on: what is touched
 * on one context stays there.
 */
public final class CallerContextStore implements InvocationHandler {
  private final JobStore store;
  private final JobsHost host;

  private CallerContextStore(JobStore store, JobsHost host) {
    this.store = store;
    this.host = host;
  }

  public static JobStore of(JobStore store, JobsHost host) {
    return (JobStore) Proxy.newProxyInstance(
        JobStore.class.getClassLoader(),
        new Class<?>[] {JobStore.class},
        new CallerContextStore(store, host));
  }

  @Override
  public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] args)
      throws Throwable {
    Executor caller = host.callerExecutor();
    try {
      Object answer = method.invoke(store, args);
      return answer instanceof Future<?> future ? on(caller, future) : answer;
    } catch (InvocationTargetException thrown) {
      throw thrown.getCause() == null ? thrown : thrown.getCause();
    }
  }

  private static <T> Future<T> on(Executor caller, Future<T> future) {
    Promise<T> answer = Promise.promise();
    future.onComplete(result -> {
      try {
        caller.execute(() -> answer.handle(result));
      } catch (RejectedExecutionException gone) { // who waits for it elsewhere gets it all the same
        if (answer.future().isComplete()) {
          throw gone;
        }
        answer.handle(result);
      }
    });
    return answer.future();
  }
}
