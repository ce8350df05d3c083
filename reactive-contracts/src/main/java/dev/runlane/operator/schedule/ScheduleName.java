package dev.runlane.operator.schedule;

import java.util.Objects;

/**
 * Which schedule: two tasks may have schedules of one id.
 *
 * @param taskId whose runs it makes
 * @param scheduleId its id in the task
 */
public record ScheduleName(String taskId, String scheduleId) {
  /** Refuses null. */
  public ScheduleName {
    Objects.requireNonNull(taskId);
    Objects.requireNonNull(scheduleId);
  }
}
