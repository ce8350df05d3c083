package dev.runlane.operator.queue;

import dev.runlane.run.Environment;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Objects;

/**
 * Asks which partitions of a bounded queue are fullest.
 *
 * @param environment scope
 * @param queue the queue
 * @param now the caller's time
 * @param limit most partitions
 */
public record ListOccupied(Environment environment, String queue, Instant now, int limit) {
  /** Refuses null and cuts instants to microseconds. */
  public ListOccupied {
    Objects.requireNonNull(environment);
    Objects.requireNonNull(queue);
    now = now.truncatedTo(ChronoUnit.MICROS);
  }
}
