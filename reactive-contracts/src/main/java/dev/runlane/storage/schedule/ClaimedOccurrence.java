package dev.runlane.storage.schedule;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Objects;

/**
 * A fire of a schedule that the caller owns for a while.
 *
 * @param scheduleId the schedule
 * @param occurrenceId the fire
 * @param fireAt the instant that was scheduled
 * @param claimToken proof of ownership, made by the storage
 * @param claimExpiresAt from this instant on somebody else may claim it
 */
public record ClaimedOccurrence(
    String scheduleId,
    String occurrenceId,
    Instant fireAt,
    String claimToken,
    Instant claimExpiresAt) {
  /** Refuses null and cuts instants to microseconds. */
  public ClaimedOccurrence {
    Objects.requireNonNull(scheduleId);
    Objects.requireNonNull(occurrenceId);
    Objects.requireNonNull(fireAt);
    Objects.requireNonNull(claimToken);
    Objects.requireNonNull(claimExpiresAt);
    fireAt = fireAt.truncatedTo(ChronoUnit.MICROS);
    claimExpiresAt = claimExpiresAt.truncatedTo(ChronoUnit.MICROS);
  }
}
