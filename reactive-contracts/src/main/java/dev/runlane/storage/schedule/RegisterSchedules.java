package dev.runlane.storage.schedule;

import dev.runlane.run.Environment;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Objects;

/**
 * Registers the schedules of a process.
 *
 * @param environment scope
 * @param schedules each schedule once
 * @param now the caller's time
 * @param goneAfter how long a definition may have been registered by no process and still not be an edit
 */
public record RegisterSchedules(
    Environment environment, List<Definition> schedules, Instant now, Duration goneAfter) {
  /** Copies the list, refuses null and cuts instants to microseconds. */
  public RegisterSchedules {
    Objects.requireNonNull(environment);
    Objects.requireNonNull(now);
    Objects.requireNonNull(goneAfter);
    schedules = List.copyOf(schedules);
    now = now.truncatedTo(ChronoUnit.MICROS);
  }

  /**
   * A schedule as one process has it.
   *
   * @param taskId whose runs it makes
   * @param scheduleId its id, one schedule in the task
   * @param definition when it fires, as text, or {@link #DISABLED}; equal texts are one definition
   */
  public record Definition(String taskId, String scheduleId, String definition) {
    /** The text of a schedule that makes no fires, because its code disables it. */
    public static final String DISABLED = "disabled";

    /** Refuses null. */
    public Definition {
      Objects.requireNonNull(taskId);
      Objects.requireNonNull(scheduleId);
      Objects.requireNonNull(definition);
    }
  }
}
