package dev.runlane.operator.queue;

import dev.runlane.run.Environment;
import java.util.Objects;

/**
 * Resumes a queue.
 *
 * @param environment scope
 * @param queue the queue
 */
public record ResumeQueue(Environment environment, String queue) {
  /** Refuses null. */
  public ResumeQueue {
    Objects.requireNonNull(environment);
    Objects.requireNonNull(queue);
  }
}
