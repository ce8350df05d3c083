package dev.runlane.storage.limit;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A queue as one living process has it.
 *
 * @param processId the process
 * @param queue the queue's name
 * @param concurrencyLimit its limit there; null: unbounded
 * @param expiresAt until when this holds unless the process publishes again
 */
public record PublishedQueue(
    String processId, String queue, @Nullable Integer concurrencyLimit, Instant expiresAt) {
  /** Refuses null and cuts the instant to microseconds. */
  public PublishedQueue {
    Objects.requireNonNull(processId);
    Objects.requireNonNull(queue);
    expiresAt = expiresAt.truncatedTo(ChronoUnit.MICROS);
  }
}
