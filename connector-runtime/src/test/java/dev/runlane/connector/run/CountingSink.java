package dev.runlane.connector.run;

import dev.runlane.connector.store.record.CommitCursor;
import dev.runlane.connector.store.record.CommitOutcome;
import dev.runlane.connector.store.record.IngestBatch;
import dev.runlane.connector.store.record.IngestOutcome;
import dev.runlane.connector.store.record.IngestReceipt;
import dev.runlane.connector.store.record.RecordSink;
import dev.runlane.connector.store.record.StateOutcome;
import dev.runlane.connector.store.record.StateScope;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.util.List;
import java.util.Map;

/** Counts records and keeps none; answers in a later turn, as a sink behind a network does. */
final class CountingSink implements RecordSink {
  boolean commitsAtRunEnd;

  private long records;

  long records() {
    return records;
  }

  @Override
  public Future<IngestOutcome> ingest(IngestBatch batch) {
    int size = batch.records().size();
    records += size;
    Promise<IngestOutcome> later = Promise.promise();
    Vertx.currentContext()
        .runOnContext(turn ->
            later.complete(new IngestOutcome.Stored(new IngestReceipt(size, size, 0, List.of()))));
    return later.future();
  }

  @Override
  public Future<StateOutcome> readState(StateScope scope) {
    return Future.succeededFuture(new StateOutcome.Found(Map.of()));
  }

  @Override
  public Future<CommitOutcome> commitCursor(CommitCursor command) {
    return Future.succeededFuture(new CommitOutcome.Committed());
  }

  @Override
  public long maxBatchBytes() {
    return Long.MAX_VALUE;
  }

  @Override
  public boolean commitsAtRunEnd() {
    return commitsAtRunEnd;
  }
}
