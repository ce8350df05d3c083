package dev.runlane.storage.schedule;

import dev.runlane.run.Environment;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Completes a claimed fire of a schedule.
 *
 * @param environment scope
 * @param occurrenceId the fire
 * @param claimToken proof that the caller owns it
 * @param runIds the runs that were made of it; may be empty
 * @param now the caller's time
 * @param taskId for which task it is completed; null: unknown. Storages without {@link ScheduleStorage} need
 *     not keep it
 */
public record CompleteScheduleOccurrence(
    Environment environment,
    String occurrenceId,
    String claimToken,
    List<String> runIds,
    Instant now,
    @Nullable String taskId) {
  /** Copies the ids, refuses null and cuts instants to microseconds. */
  public CompleteScheduleOccurrence {
    Objects.requireNonNull(environment);
    Objects.requireNonNull(occurrenceId);
    Objects.requireNonNull(claimToken);
    Objects.requireNonNull(now);
    runIds = List.copyOf(runIds);
    now = now.truncatedTo(ChronoUnit.MICROS);
  }

  /** A completion that names no task. */
  public CompleteScheduleOccurrence(
      Environment environment,
      String occurrenceId,
      String claimToken,
      List<String> runIds,
      Instant now) {
    this(environment, occurrenceId, claimToken, runIds, now, null);
  }
}
