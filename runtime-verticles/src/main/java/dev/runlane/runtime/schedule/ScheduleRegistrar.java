package dev.runlane.runtime.schedule;

import dev.runlane.runtime.process.RuntimeContext;
import dev.runlane.runtime.registry.RegisteredSchedule;
import dev.runlane.runtime.registry.ScheduleKey;
import dev.runlane.storage.schedule.KnownSchedule;
import dev.runlane.storage.schedule.RegisterSchedules;
import dev.runlane.storage.schedule.ScheduleStorage;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Registers the schedules of this process in the storage periodically, and knows since when each counts. Where the
 * storage remembers no schedules, nobody knows since when one exists, and each counts for ever.
 */
final class ScheduleRegistrar {
  private static final Logger LOG = LoggerFactory.getLogger(ScheduleRegistrar.class);

  private final RuntimeContext context;
  private final SchedulerOptions options;
  private final List<RegisteredSchedule> schedules; // disabled ones too
  private final Optional<ScheduleStorage> storage;
  private final Map<ScheduleKey, Instant> countsFrom = new HashMap<>(); // as told first
  private @Nullable Duration
      nextTold; // on the timers' own time, whatever the clock does; null: at once

  ScheduleRegistrar(RuntimeContext context, SchedulerOptions options) {
    this.context = context;
    this.options = options;
    schedules = context.registry().schedules();
    storage = context.storage().schedules();
  }

  /** Registers the schedules when that is due. Fails only while the storage has never answered. */
  Future<Void> refresh() {
    Instant now = context.clock().now();
    Duration elapsed = context.timers().elapsed();
    boolean isTold = nextTold != null && elapsed.compareTo(nextTold) < 0;
    if (schedules.isEmpty() || storage.isEmpty() || isTold) {
      return Future.succeededFuture();
    }
    return storage
        .get()
        .registerSchedules(new RegisterSchedules(
            context.environment(),
            schedules.stream().map(RegisteredSchedule::definition).toList(),
            now,
            options.getDefinitionKept()))
        .map(known -> {
          nextTold = elapsed.plus(options.getDefinitionRefresh());
          known.forEach(this::learn);
          return (Void) null;
        })
        .recover(failure -> {
          if (countsFrom.isEmpty()) {
            return Future.failedFuture(failure);
          }
          nextTold = elapsed.plus(options.getDefinitionRefresh());
          LOG.warn("the storage was not told that the schedules are still there", failure);
          return Future.succeededFuture();
        });
  }

  /** Asks anew since when each schedule counts, as a process does that has just begun. */
  void forget() {
    countsFrom.clear();
    nextTold = null;
  }

  /** Fires at or before this instant are none of the schedule's. */
  Instant countsFrom(ScheduleKey key) {
    return countsFrom.getOrDefault(key, Instant.MIN);
  }

  private void learn(KnownSchedule schedule) {
    countsFrom.putIfAbsent(
        new ScheduleKey(schedule.taskId(), schedule.scheduleId()), schedule.countsFrom());
  }
}
