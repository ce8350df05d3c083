package dev.runlane.runtime.registry;

/**
 * Which schedule: two tasks may have schedules of one id, in one application or in several.
 *
 * @param taskId whose runs it makes
 * @param scheduleId its id in the task
 */
public record ScheduleKey(String taskId, String scheduleId) {}
