package dev.runlane.storage.schedule;

import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What became of one fire of a schedule.
 *
 * @param occurrenceId the fire
 * @param scheduleId the schedule
 * @param fireAt the instant that was scheduled
 * @param claimExpiresAt when the latest claim ends, also once that has passed
 * @param completed whether it is completed, for ever
 * @param taskId for which task it was completed; null while it is not, and where its completion named none
 * @param runIds the runs that were made of it; empty while it is not completed
 */
public record ScheduleOccurrence(
    String occurrenceId,
    String scheduleId,
    Instant fireAt,
    Instant claimExpiresAt,
    boolean completed,
    @Nullable String taskId,
    List<String> runIds) {
  /** Copies the ids and refuses null. */
  public ScheduleOccurrence {
    Objects.requireNonNull(occurrenceId);
    Objects.requireNonNull(scheduleId);
    Objects.requireNonNull(fireAt);
    Objects.requireNonNull(claimExpiresAt);
    runIds = List.copyOf(runIds);
  }
}
