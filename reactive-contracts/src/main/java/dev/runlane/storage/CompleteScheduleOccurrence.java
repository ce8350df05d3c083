package dev.runlane.storage;

import dev.runlane.run.Environment;
import java.time.Instant;
import java.util.List;

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
  /** Copies the ids. */
  public CompleteScheduleOccurrence {
    runIds = List.copyOf(runIds);
  }
}
