package dev.runlane.operator.queue;

import dev.runlane.run.Environment;
import java.util.Objects;

/**
 * Asks which queues are paused.
 *
 * @param environment scope
 */
public record ListPausedQueues(Environment environment) {
  /** Refuses null. */
  public ListPausedQueues {
    Objects.requireNonNull(environment);
  }
}
