package dev.runlane.operator.throughput;

import dev.runlane.run.Environment;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Objects;

/**
 * Removes old minutes.
 *
 * @param environment scope
 * @param olderThan only minutes that began before this instant
 * @param limit most rows in this call
 */
public record PruneThroughput(Environment environment, Instant olderThan, int limit) {
  /** Refuses null and cuts the instant to microseconds. */
  public PruneThroughput {
    Objects.requireNonNull(environment);
    olderThan = olderThan.truncatedTo(ChronoUnit.MICROS);
  }
}
