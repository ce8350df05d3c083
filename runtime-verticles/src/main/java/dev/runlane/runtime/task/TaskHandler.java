package dev.runlane.runtime.task;

import io.vertx.core.Future;

/**
 * Does a task's work without blocking.
 *
 * @param <P> the payload
 */
@FunctionalInterface
public interface TaskHandler<P> {
  /**
   * Makes one attempt. Called on an event loop, which it must not block. A failed future, a throw, and null
   * instead of a future or result are failures of the attempt.
   *
   * @param payload the run's payload; null for tasks whose payload is {@code Void}
   */
  Future<TaskResult> handle(P payload, TaskContext context);
}
