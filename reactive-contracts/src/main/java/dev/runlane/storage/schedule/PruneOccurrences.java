package dev.runlane.storage.schedule;

import dev.runlane.run.Environment;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Objects;

/**
 * Removes old occurrences of schedules.
 *
 * @param environment scope
 * @param olderThan only occurrences of fires before this instant, and completed before it
 * @param limit most occurrences in this call
 */
public record PruneOccurrences(Environment environment, Instant olderThan, int limit) {
  /** Refuses null and cuts the instant to microseconds. */
  public PruneOccurrences {
    Objects.requireNonNull(environment);
    Objects.requireNonNull(olderThan);
    olderThan = olderThan.truncatedTo(ChronoUnit.MICROS);
  }
}
