package dev.runlane.runtime.task;

import dev.runlane.runtime.host.AttemptUnwound;

/**
 * Does a task's work on a thread of its own: a virtual one where the JVM has them, else one of a pool.
 *
 * @param <P> the payload
 */
@FunctionalInterface
public interface BlockingTaskHandler<P> {
  /**
   * Makes one attempt; may block. Must let {@link AttemptUnwound} pass. A throw, and null instead of a result, are
   * failures of the attempt. The thread is never interrupted: a handler that may take long looks at
   * {@link TaskContext#isSignalled()}.
   *
   * @param payload the run's payload; null for tasks whose payload is {@code Void}
   */
  TaskResult handle(P payload, BlockingTaskContext context) throws Exception;
}
