package dev.runlane.runtime;

import dev.runlane.run.Json;

/**
 * A schedule of a runtime.
 *
 * @param schedule the definition
 * @param task whose runs it makes
 * @param queue where they go
 * @param payload what they get, checked when the runtime was built
 */
record RegisteredSchedule(
    Schedule schedule, RegisteredTask<?> task, TaskQueue queue, Json payload) {}
