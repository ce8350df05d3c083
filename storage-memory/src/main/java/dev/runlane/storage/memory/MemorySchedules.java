package dev.runlane.storage.memory;

import dev.runlane.storage.Capabilities;
import dev.runlane.storage.CommandChecks;
import dev.runlane.storage.StorageCapability;
import dev.runlane.storage.schedule.GetScheduleOccurrence;
import dev.runlane.storage.schedule.KnownSchedule;
import dev.runlane.storage.schedule.PruneOccurrences;
import dev.runlane.storage.schedule.RegisterSchedules;
import dev.runlane.storage.schedule.ScheduleOccurrence;
import dev.runlane.storage.schedule.ScheduleStorage;
import io.vertx.core.Future;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Known schedules and their occurrences, each command under one hold of the lock. */
final class MemorySchedules implements ScheduleStorage {
  private final MemoryState state;
  private final Set<StorageCapability> capabilities;

  MemorySchedules(MemoryState state, Set<StorageCapability> capabilities) {
    this.state = state;
    this.capabilities = capabilities;
  }

  @Override
  public Future<List<KnownSchedule>> registerSchedules(RegisterSchedules command) {
    return state.call("registerSchedules", () -> {
      CommandChecks.check(command);
      require("registerSchedules");
      return state.in(command.environment(), scope -> scope.schedules.register(command));
    });
  }

  @Override
  public Future<Optional<ScheduleOccurrence>> getScheduleOccurrence(GetScheduleOccurrence query) {
    return state.call("getScheduleOccurrence", () -> {
      CommandChecks.check(query);
      require("getScheduleOccurrence");
      return state.in(query.environment(), scope -> scope.occurrences.find(query.occurrenceId()));
    });
  }

  @Override
  public Future<Integer> pruneOccurrences(PruneOccurrences command) {
    return state.call("pruneOccurrences", () -> {
      CommandChecks.check(command);
      require("pruneOccurrences");
      return state.in(
          command.environment(),
          scope -> scope.occurrences.prune(
              command, scheduleId -> scope.schedules.latest(scheduleId, command.olderThan())));
    });
  }

  private void require(String method) {
    Capabilities.require(capabilities, StorageCapability.CLAIMS_SCHEDULE_OCCURRENCES, method);
  }
}
