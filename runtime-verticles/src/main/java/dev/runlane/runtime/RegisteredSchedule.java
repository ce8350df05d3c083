package dev.runlane.runtime;

import dev.runlane.run.Json;
import dev.runlane.storage.SeeSchedules;

/**
 * A schedule of a runtime.
 *
 * @param schedule the definition
 * @param task whose runs it makes
 * @param queue where they go
 * @param payload what they get, checked when the runtime was built
 */
record RegisteredSchedule(
    Schedule schedule, RegisteredTask<?> task, TaskQueue queue, Json payload) {
  private static final String DISABLED = "disabled";

  ScheduleKey key() {
    return new ScheduleKey(task.id(), schedule.id());
  }

  /** What a storage is told: a schedule that is enabled again counts from then, like an edited one. */
  SeeSchedules.Definition told() {
    return new SeeSchedules.Definition(
        task.id(),
        schedule.id(),
        schedule.isEnabled() ? schedule.fireTimes().definition() : DISABLED);
  }
}
