package dev.runlane.storage.schedule;

import dev.runlane.run.Environment;
import java.util.Objects;

/**
 * Reads one fire of a schedule.
 *
 * @param environment scope
 * @param occurrenceId the fire
 */
public record GetScheduleOccurrence(Environment environment, String occurrenceId) {
  /** Refuses null. */
  public GetScheduleOccurrence {
    Objects.requireNonNull(environment);
    Objects.requireNonNull(occurrenceId);
  }
}
