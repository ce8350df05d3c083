package dev.runlane.spring.autoconfigure;

import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.task.BlockingTaskContext;
import dev.runlane.runtime.task.Step;
import dev.runlane.runtime.task.Task;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Tasks whose handlers are refused a step of their own thread while a transaction of Spring's is open there. The step's
 * work would be part of that, and its result is not: were it rolled back, by what the handler throws later or by an
 * attempt that ends to wait, the next attempt would take the step for done, and what it wrote would be gone. Steps
 * whose work is called on another thread are not part of the transaction, and neither are steps of other programs.
 */
final class StepsOutsideTransactions {
  private StepsOutsideTransactions() {}

  /** The same task; one whose handler does not block has no such steps. */
  static <P> Task<P> of(Task<P> task) {
    return task.body() instanceof Task.AttemptBody.Blocking<P> body
        ? task.description().blockingHandler((payload, context) -> body.handler()
            .handle(payload, refusing(context)))
        : task;
  }

  private static BlockingTaskContext refusing(BlockingTaskContext context) {
    return (BlockingTaskContext) Proxy.newProxyInstance(
        StepsOutsideTransactions.class.getClassLoader(),
        new Class<?>[] {BlockingTaskContext.class},
        (proxy, method, arguments) -> {
          if (method.getName().equals("callStep") && arguments[0] instanceof Step<?> step) {
            requireNoTransaction(step, context);
          }
          return invoke(context, method, arguments);
        });
  }

  private static void requireNoTransaction(Step<?> step, BlockingTaskContext context) {
    if (TransactionSynchronizationManager.isActualTransactionActive()) {
      throw RunlaneException.configurationInvalid(
          "step %s of task %s is asked for inside of a transaction: where that is rolled back, what the step wrote is "
              + "gone and yet counts as done; leave the handler without one (no @Transactional), and begin one in the "
              + "work of the step",
          step.name(), context.taskId());
    }
  }

  private static @Nullable Object invoke(
      BlockingTaskContext context, Method method, @Nullable Object @Nullable [] arguments)
      throws Throwable {
    try {
      return method.invoke(context, arguments);
    } catch (InvocationTargetException thrown) {
      throw thrown.getCause() == null ? thrown : thrown.getCause();
    }
  }
}
