package dev.runlane.storage.limit;

import dev.runlane.run.Environment;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Objects;

/**
 * Asks which queues living processes have.
 *
 * @param environment scope
 * @param now the caller's time
 */
public record ListPublishedQueues(Environment environment, Instant now) {
  /** Refuses null and cuts instants to microseconds. */
  public ListPublishedQueues {
    Objects.requireNonNull(environment);
    Objects.requireNonNull(now);
    now = now.truncatedTo(ChronoUnit.MICROS);
  }
}
