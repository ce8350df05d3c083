package dev.runlane.conformance.example;

import dev.runlane.storage.BatchStorage;
import dev.runlane.storage.CommandOutcome;
import dev.runlane.storage.ForwardingStorageAdapter;
import dev.runlane.storage.StorageAdapter;
import dev.runlane.storage.run.AppendRunEvents;
import dev.runlane.storage.run.AppendedRun;
import dev.runlane.storage.run.ClaimRuns;
import dev.runlane.storage.run.ClaimedRuns;
import io.vertx.core.Future;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;

/** Counts the appends that a storage has taken, alone or in batches. */
final class CountingStorage extends ForwardingStorageAdapter {
  private final LongAdder appends = new LongAdder();

  CountingStorage(StorageAdapter storage) {
    super(storage);
  }

  long appends() {
    return appends.sum();
  }

  @Override
  public Future<AppendedRun> appendRunEvents(AppendRunEvents command) {
    return super.appendRunEvents(command).map(this::counted);
  }

  /** A batch does not come through appendRunEvents. */
  @Override
  public Optional<BatchStorage> batch() {
    return super.batch().map(CountingBatch::new);
  }

  private AppendedRun counted(AppendedRun run) {
    appends.increment();
    return run;
  }

  private final class CountingBatch implements BatchStorage {
    private final BatchStorage batch;

    CountingBatch(BatchStorage batch) {
      this.batch = batch;
    }

    @Override
    public Future<List<CommandOutcome<AppendedRun>>> appendAll(List<AppendRunEvents> commands) {
      return batch.appendAll(commands).map(outcomes -> {
        appends.add(
            outcomes.stream().filter(CommandOutcome.Succeeded.class::isInstance).count());
        return outcomes;
      });
    }

    @Override
    public Future<ClaimedRuns> claimRuns(ClaimRuns command) {
      return batch.claimRuns(command);
    }
  }
}
