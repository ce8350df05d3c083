package dev.runlane.storage.memory;

import static dev.runlane.storage.StorageCapability.LEASES_RUNS;

import dev.runlane.run.RunlaneException;
import dev.runlane.storage.BatchStorage;
import dev.runlane.storage.Capabilities;
import dev.runlane.storage.CommandChecks;
import dev.runlane.storage.CommandOutcome;
import dev.runlane.storage.StorageCapability;
import dev.runlane.storage.run.AppendRunEvents;
import dev.runlane.storage.run.AppendedRun;
import dev.runlane.storage.run.ClaimRuns;
import dev.runlane.storage.run.ClaimedRuns;
import io.vertx.core.Future;
import java.util.List;
import java.util.Set;

/** Many commands under one hold of the lock. */
final class MemoryBatch implements BatchStorage {
  private final MemoryState state;
  private final Set<StorageCapability> capabilities;

  MemoryBatch(MemoryState state, Set<StorageCapability> capabilities) {
    this.state = state;
    this.capabilities = capabilities;
  }

  @Override
  public Future<List<CommandOutcome<AppendedRun>>> appendAll(List<AppendRunEvents> commands) {
    return state.call("appendAll", () -> {
      List<AppendRunEvents> given = List.copyOf(commands);
      given.forEach(CommandChecks::check);
      List<CommandOutcome<AppendedRun>> outcomes =
          state.locked(() -> given.stream().map(this::outcome).toList());
      for (int index = 0; index < given.size(); index++) {
        if (outcomes.get(index) instanceof CommandOutcome.Succeeded<AppendedRun>) {
          state.announce(given.get(index));
        }
      }
      return outcomes;
    });
  }

  @Override
  public Future<ClaimedRuns> claimRuns(ClaimRuns command) {
    return state.call("claimRuns", () -> {
      CommandChecks.check(command);
      Capabilities.require(capabilities, LEASES_RUNS, "claimRuns");
      Capabilities.requireForQueues(capabilities, command.queues(), "claimRuns");
      return state.in(command.environment(), scope -> scope.batchClaims.claim(command));
    });
  }

  private CommandOutcome<AppendedRun> outcome(AppendRunEvents command) {
    try {
      Capabilities.requireForAppend(capabilities, command);
      return new CommandOutcome.Succeeded<>(
          state.scope(command.environment()).appends.append(command));
    } catch (RunlaneException failure) {
      return new CommandOutcome.Failed<>(failure);
    }
  }
}
