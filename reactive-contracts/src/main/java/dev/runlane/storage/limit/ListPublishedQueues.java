package dev.runlane.storage.limit;

import dev.runlane.run.Environment;
import java.time.Instant;
import java.util.Objects;

/**
 * Asks which queues living processes have.
 *
 * @param environment scope
 * @param now the caller's time
 */
public record ListPublishedQueues(Environment environment, Instant now) {
  /** Refuses null. */
  public ListPublishedQueues {
    Objects.requireNonNull(environment);
    Objects.requireNonNull(now);
  }
}
