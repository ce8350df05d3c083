package dev.runlane.runtime.operate;

import dev.runlane.operator.schedule.ScheduleState;
import java.time.Instant;
import java.time.ZoneId;
import org.jspecify.annotations.Nullable;

/**
 * A schedule as it is listed.
 *
 * @param state what the storage knows of it
 * @param zone of which the local times fire, or null: none, or its definition does not tell
 * @param nextFire the next instant of its calendar, paused or not; null: none follows, it is disabled, or its
 *     definition does not tell
 * @param missedFire the first fire of which nobody has made a run, two minutes and more after it came; null: none, it
 *     is paused, no process has registered it for a day, or its definition does not tell
 */
public record ListedSchedule(
    ScheduleState state,
    @Nullable ZoneId zone,
    @Nullable Instant nextFire,
    @Nullable Instant missedFire) {}
