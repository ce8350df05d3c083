package dev.runlane.cli.run;

import dev.runlane.cli.report.RecordCount;
import dev.runlane.cli.report.Rejected;
import dev.runlane.connector.protocol.message.RecordMessage;
import dev.runlane.connector.store.CheckedBatch;
import dev.runlane.connector.store.record.CommitCursor;
import dev.runlane.connector.store.record.CommitOutcome;
import dev.runlane.connector.store.record.IngestBatch;
import dev.runlane.connector.store.record.IngestOutcome;
import dev.runlane.connector.store.record.IngestReceipt;
import dev.runlane.connector.store.record.RecordSink;
import dev.runlane.connector.store.record.StateOutcome;
import dev.runlane.connector.store.record.StateScope;
import io.vertx.core.Future;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/** Counts records, shows them if they are asked for, and keeps none: a run may be of any size. */
final class CountingSink implements RecordSink {
  /** Rejected records that are shown; the others are counted. */
  private static final int MOST_REJECTED = 20;

  private final RecordSink states;
  private final Consumer<List<RecordMessage>> shown;
  private final Consumer<Rejected> rejected;
  private final Map<String, RecordCount> counts = new ConcurrentHashMap<>();

  /**
   * A sink that has taken nothing.
   *
   * @param states keeps the cursors
   * @param shown is given the records that are taken
   * @param rejected is given the first of those that are not
   */
  CountingSink(
      RecordSink states, Consumer<List<RecordMessage>> shown, Consumer<Rejected> rejected) {
    this.states = states;
    this.shown = shown;
    this.rejected = rejected;
  }

  /** What was taken so far, by stream. */
  Map<String, RecordCount> counts() {
    return Map.copyOf(counts);
  }

  @Override
  public Future<IngestOutcome> ingest(IngestBatch batch) {
    CheckedBatch checked = CheckedBatch.of(batch);
    counts.merge(batch.stream(), count(batch, checked), RecordCount::plus);
    shown.accept(checked.accepted());
    showRejected(batch, checked.receipt());
    return Future.succeededFuture(new IngestOutcome.Stored(checked.receipt()));
  }

  @Override
  public Future<StateOutcome> readState(StateScope scope) {
    return states.readState(scope);
  }

  @Override
  public Future<CommitOutcome> commitCursor(CommitCursor command) {
    return states.commitCursor(command);
  }

  @Override
  public boolean commitsAtRunEnd() {
    return states.commitsAtRunEnd();
  }

  @Override
  public long maxBatchBytes() {
    return states.maxBatchBytes();
  }

  private void showRejected(IngestBatch batch, IngestReceipt receipt) {
    long before =
        counts.values().stream().mapToLong(RecordCount::rejected).sum() - receipt.rejected();
    receipt.rejections().stream()
        .limit(Math.max(0, MOST_REJECTED - before))
        .forEach(each -> rejected.accept(
            new Rejected(batch.stream(), batch.records().get(each.index()).key(), each.code())));
  }

  private static RecordCount count(IngestBatch batch, CheckedBatch checked) {
    long deleted = 0;
    long bytes = 0;
    for (RecordMessage record : checked.accepted()) {
      deleted += record.deletion() ? 1 : 0;
    }
    for (RecordMessage record : batch.records()) {
      bytes += record.lineBytes();
    }
    return new RecordCount(
        checked.receipt().accepted(), deleted, checked.receipt().rejected(), bytes);
  }
}
