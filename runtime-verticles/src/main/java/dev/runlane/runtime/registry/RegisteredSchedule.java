package dev.runlane.runtime.registry;

import dev.runlane.run.IdempotencyTtl;
import dev.runlane.run.Json;
import dev.runlane.run.RunKeys;
import dev.runlane.runtime.task.Schedule;
import dev.runlane.runtime.task.TaskQueue;
import dev.runlane.storage.schedule.RegisterSchedules;

/**
 * A schedule of a runtime.
 *
 * @param schedule the definition
 * @param task whose runs it makes
 * @param queue where they go
 * @param payload what they get, checked when the runtime was built
 */
public record RegisteredSchedule(
    Schedule schedule, RegisteredTask<?> task, TaskQueue queue, Json payload) {
  public ScheduleKey key() {
    return new ScheduleKey(task.id(), schedule.id());
  }

  /**
   * The keys that its task gives its runs. An idempotency key that outlives its run is none of them: the payload is the
   * same each time, so that the first run would keep all fires after it from making one.
   */
  public RunKeys keys() {
    RunKeys keys = task.keysOf(payload);
    IdempotencyTtl ttl = keys.idempotencyTtl();
    return ttl == null || ttl.retention() == null ? keys : keys.withoutIdempotencyKey();
  }

  /** What a storage is given: a schedule that is enabled again counts from then, like an edited one. */
  public RegisterSchedules.Definition definition() {
    return new RegisterSchedules.Definition(
        task.id(),
        schedule.id(),
        schedule.isEnabled()
            ? schedule.fireTimes().definition()
            : RegisterSchedules.Definition.DISABLED);
  }
}
