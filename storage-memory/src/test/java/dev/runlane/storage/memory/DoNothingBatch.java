package dev.runlane.storage.memory;

import dev.runlane.storage.BatchStorage;
import dev.runlane.storage.CommandOutcome;
import dev.runlane.storage.run.AppendRunEvents;
import dev.runlane.storage.run.AppendedRun;
import dev.runlane.storage.run.ClaimRuns;
import dev.runlane.storage.run.ClaimedRuns;
import io.vertx.core.Future;
import java.util.List;

/** Takes every batch, says it is done, and forgets it. */
final class DoNothingBatch implements BatchStorage {
  @Override
  public Future<List<CommandOutcome<AppendedRun>>> appendAll(List<AppendRunEvents> commands) {
    return Future.succeededFuture(commands.stream()
        .<CommandOutcome<AppendedRun>>map(command -> new CommandOutcome.Succeeded<>(
            new AppendedRun(command.projectedRun(), List.of(), List.of())))
        .toList());
  }

  @Override
  public Future<ClaimedRuns> claimRuns(ClaimRuns command) {
    return Future.succeededFuture(new ClaimedRuns(List.of(), false));
  }
}
