package dev.runlane.operator.action;

import dev.runlane.run.Environment;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Objects;

/**
 * Removes old actions from the log.
 *
 * @param environment scope
 * @param olderThan only actions recorded before this instant
 * @param limit most actions in this call
 */
public record PruneActions(Environment environment, Instant olderThan, int limit) {
  /** Refuses null and cuts the instant to microseconds. */
  public PruneActions {
    Objects.requireNonNull(environment);
    olderThan = olderThan.truncatedTo(ChronoUnit.MICROS);
  }
}
