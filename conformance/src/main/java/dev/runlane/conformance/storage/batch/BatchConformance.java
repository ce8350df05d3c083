package dev.runlane.conformance.storage.batch;

import dev.runlane.conformance.kit.Outcomes;
import dev.runlane.conformance.storage.StorageConformance;
import dev.runlane.run.RunlaneException;
import dev.runlane.storage.BatchStorage;
import dev.runlane.storage.CommandOutcome;
import dev.runlane.storage.StorageAdapter;
import dev.runlane.storage.run.AppendRunEvents;
import dev.runlane.storage.run.AppendedRun;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;

/** One promise of a storage that serves many commands in one call. */
public abstract class BatchConformance extends StorageConformance {
  BatchStorage batch;

  /** Takes the batch side of the adapter under test. */
  @BeforeEach
  final void openBatch() {
    batch = batchOf(storage);
  }

  public static BatchStorage batchOf(StorageAdapter adapter) {
    return adapter.batch().orElseThrow(() -> new AssertionError("the storage has no batches"));
  }

  List<CommandOutcome<AppendedRun>> appendAll(List<AppendRunEvents> commands) {
    List<CommandOutcome<AppendedRun>> outcomes = Outcomes.done(batch.appendAll(commands));
    if (outcomes.size() != commands.size()) {
      throw new AssertionError(
          "%s commands, but %s outcomes".formatted(commands.size(), outcomes.size()));
    }
    return outcomes;
  }

  static AppendedRun resultOf(CommandOutcome<AppendedRun> outcome) {
    if (outcome instanceof CommandOutcome.Succeeded<AppendedRun> success) {
      return success.result();
    }
    throw new AssertionError("expected success, but was " + outcome);
  }

  static RunlaneException failureOf(CommandOutcome<AppendedRun> outcome) {
    if (outcome instanceof CommandOutcome.Failed<AppendedRun> failure) {
      return failure.failure();
    }
    throw new AssertionError("expected a failure, but was " + outcome);
  }
}
