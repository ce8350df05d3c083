package dev.runlane.storage.schedule;

import dev.runlane.run.Environment;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Objects;

/**
 * Claims one fire of a schedule.
 *
 * @param environment scope
 * @param scheduleId the schedule
 * @param occurrenceId deterministic id of this fire; opaque
 * @param fireAt the instant that was scheduled
 * @param now the caller's time
 * @param claimFor how long the claim lasts
 */
public record ClaimScheduleOccurrence(
    Environment environment,
    String scheduleId,
    String occurrenceId,
    Instant fireAt,
    Instant now,
    Duration claimFor) {
  /** Refuses null and cuts instants to microseconds. */
  public ClaimScheduleOccurrence {
    Objects.requireNonNull(environment);
    Objects.requireNonNull(scheduleId);
    Objects.requireNonNull(occurrenceId);
    Objects.requireNonNull(fireAt);
    Objects.requireNonNull(now);
    Objects.requireNonNull(claimFor);
    fireAt = fireAt.truncatedTo(ChronoUnit.MICROS);
    now = now.truncatedTo(ChronoUnit.MICROS);
  }
}
