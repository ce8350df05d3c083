package dev.runlane.runtime.schedule;

import dev.runlane.operator.OperatorStore;
import dev.runlane.operator.schedule.FindSchedules;
import dev.runlane.operator.schedule.ScheduleName;
import dev.runlane.operator.schedule.ScheduleState;
import dev.runlane.runtime.process.RuntimeContext;
import dev.runlane.runtime.registry.ScheduleKey;
import io.vertx.core.Future;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiPredicate;

/**
 * Which schedules an operator has paused, asked for the fires of one sweep right before their runs are made: so a fire
 * that begins behind a pause makes none, and a sweep without fires asks nothing. Nothing is paused where the storage
 * keeps nothing for operators.
 */
final class SchedulePauses {
  private final RuntimeContext context;
  private final Optional<OperatorStore> store;

  SchedulePauses(RuntimeContext context) {
    this.context = context;
    store = context.storage().operator();
  }

  /** Whether a fire of one of the schedules may make a run. Fails as the storage does where that is not known. */
  Future<BiPredicate<ScheduleKey, Instant>> admitting(Collection<ScheduleKey> schedules) {
    if (store.isEmpty()) {
      return Future.succeededFuture((schedule, fireAt) -> true);
    }
    return store
        .get()
        .findSchedules(new FindSchedules(
            context.environment(),
            schedules.stream().distinct().map(SchedulePauses::name).toList()))
        .map(found -> {
          Map<ScheduleName, ScheduleState> states = new HashMap<>();
          found.forEach(state -> states.put(state.name(), state));
          return (schedule, fireAt) -> {
            ScheduleState state = states.get(name(schedule));
            return state == null || state.admits(fireAt);
          };
        });
  }

  private static ScheduleName name(ScheduleKey key) {
    return new ScheduleName(key.taskId(), key.scheduleId());
  }
}
