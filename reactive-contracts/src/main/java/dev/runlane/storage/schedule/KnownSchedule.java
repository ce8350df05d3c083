package dev.runlane.storage.schedule;

import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What a storage knows of a schedule.
 *
 * @param taskId whose runs it makes
 * @param scheduleId its id, one schedule in the task
 * @param definition the definition that was registered
 * @param firstSeen when the schedule was registered first, with whatever definition
 * @param countsFrom fires of this definition at or before this instant are none of the schedule's
 * @param lastFire the latest fire that was completed for the task, or null
 */
public record KnownSchedule(
    String taskId,
    String scheduleId,
    String definition,
    Instant firstSeen,
    Instant countsFrom,
    @Nullable Instant lastFire) {
  /** Refuses null. */
  public KnownSchedule {
    Objects.requireNonNull(taskId);
    Objects.requireNonNull(scheduleId);
    Objects.requireNonNull(definition);
    Objects.requireNonNull(firstSeen);
    Objects.requireNonNull(countsFrom);
  }
}
