package dev.runlane.storage;

import dev.runlane.run.Environment;
import java.time.Instant;
import java.util.List;
import java.util.Objects;

/**
 * Completes a claimed fire of a schedule.
 *
 * @param environment scope
 * @param occurrenceId the fire
 * @param claimToken proof that the caller owns it
 * @param runIds the runs that were made of it; may be empty
 * @param now the caller's time
 */
public record CompleteScheduleOccurrence(
    Environment environment,
    String occurrenceId,
    String claimToken,
    List<String> runIds,
    Instant now) {
  /** Copies the ids and refuses null. */
  public CompleteScheduleOccurrence {
    Objects.requireNonNull(environment);
    Objects.requireNonNull(occurrenceId);
    Objects.requireNonNull(claimToken);
    Objects.requireNonNull(now);
    runIds = List.copyOf(runIds);
  }
}
