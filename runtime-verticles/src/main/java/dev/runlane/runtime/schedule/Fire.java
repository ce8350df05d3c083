package dev.runlane.runtime.schedule;

import dev.runlane.runtime.process.NewRun;
import dev.runlane.runtime.registry.RegisteredSchedule;
import dev.runlane.timing.Ids;
import java.time.Instant;

/**
 * One fire of one schedule of one task, and the ids that follow from it. The shared ones name no task: releases
 * before this one knew no others, and two schedules of one id have them in common.
 *
 * @param environment the environment's key
 * @param schedule the schedule
 * @param fireAt the instant that was scheduled
 */
record Fire(String environment, RegisteredSchedule schedule, Instant fireAt) {
  String taskId() {
    return schedule.task().id();
  }

  String scheduleId() {
    return schedule.schedule().id();
  }

  String sharedOccurrenceId() {
    return Ids.occurrenceId(environment, scheduleId(), fireAt.toString());
  }

  String ownOccurrenceId() {
    return Ids.occurrenceId(environment, taskId(), scheduleId(), fireAt.toString());
  }

  String sharedRunId() {
    return Ids.scheduleRunId(environment, scheduleId(), fireAt.toString());
  }

  /** Throws what the task's key functions throw. */
  NewRun sharedRun() {
    return NewRun.ofSchedule(schedule, sharedRunId(), sharedOccurrenceId(), fireAt);
  }

  /** Throws what the task's key functions throw. */
  NewRun ownRun() {
    return NewRun.ofSchedule(
        schedule,
        Ids.scheduleRunId(environment, taskId(), scheduleId(), fireAt.toString()),
        ownOccurrenceId(),
        fireAt);
  }
}
