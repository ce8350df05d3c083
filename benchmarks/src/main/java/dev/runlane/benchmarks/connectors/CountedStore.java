package dev.runlane.benchmarks.connectors;

import dev.runlane.connector.protocol.message.RecordMessage;
import dev.runlane.connector.store.CheckedBatch;
import dev.runlane.connector.store.ConnectorStore;
import dev.runlane.connector.store.grant.Grants;
import dev.runlane.connector.store.history.RunHistory;
import dev.runlane.connector.store.manifest.ActiveManifests;
import dev.runlane.connector.store.record.CommitCursor;
import dev.runlane.connector.store.record.CommitOutcome;
import dev.runlane.connector.store.record.ConnectorStates;
import dev.runlane.connector.store.record.IngestBatch;
import dev.runlane.connector.store.record.IngestOutcome;
import dev.runlane.connector.store.record.RecordSink;
import dev.runlane.connector.store.record.StateOutcome;
import dev.runlane.connector.store.record.StateScope;
import dev.runlane.connector.store.run.ActiveRuns;
import dev.runlane.connector.store.run.RunEnds;
import dev.runlane.connector.store.timeline.RunTimeline;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/** A store whose records are counted on their way into it, or counted and dropped. */
final class CountedStore implements ConnectorStore, RecordSink {
  private final ConnectorStore store;
  private final boolean dropping;
  private final long halfway;
  private final AtomicLong total = new AtomicLong();
  private final Map<String, Long> counts = new ConcurrentHashMap<>();
  private final AtomicLong bytes = new AtomicLong();
  private final Promise<Void> half = Promise.promise();
  private volatile Map<String, Long> countsHalfway = Map.of();

  /**
   * A store that has counted nothing.
   *
   * @param dropping whether records end here, rather than in {@code store}
   * @param expected how many records all runs together have
   */
  CountedStore(ConnectorStore store, boolean dropping, long expected) {
    this.store = store;
    this.dropping = dropping;
    this.halfway = expected / 2;
  }

  long total() {
    return total.get();
  }

  /** Throws unless as many records came. */
  void requireTotal(long expected) {
    if (total.get() != expected) {
      throw new IllegalStateException(
          "%s records came, %s were sent".formatted(total.get(), expected));
    }
  }

  /** How many bytes the lines of the records had. */
  long bytes() {
    return bytes.get();
  }

  /** Completes when half of all expected records have come. */
  Future<Void> reachesHalf() {
    return half.future();
  }

  /** How many records of each connector there were when half of all had come. */
  Map<String, Long> countsHalfway() {
    return countsHalfway;
  }

  @Override
  public Future<IngestOutcome> ingest(IngestBatch batch) {
    return dropping
        ? Future.succeededFuture(
            counted(batch, new IngestOutcome.Stored(CheckedBatch.of(batch).receipt())))
        : store.sink().ingest(batch).map(outcome -> counted(batch, outcome));
  }

  private IngestOutcome counted(IngestBatch batch, IngestOutcome outcome) {
    if (!(outcome instanceof IngestOutcome.Stored stored)) {
      return outcome;
    }
    long accepted = stored.receipt().accepted();
    bytes.addAndGet(batch.records().stream().mapToLong(RecordMessage::lineBytes).sum());
    counts.merge(batch.connector().connectorId(), accepted, Long::sum);
    long now = total.addAndGet(accepted);
    if (now >= halfway && now - accepted < halfway) {
      countsHalfway = Map.copyOf(counts);
      half.tryComplete();
    }
    return outcome;
  }

  @Override
  public Future<StateOutcome> readState(StateScope scope) {
    return store.sink().readState(scope);
  }

  @Override
  public Future<CommitOutcome> commitCursor(CommitCursor command) {
    return store.sink().commitCursor(command);
  }

  @Override
  public boolean commitsAtRunEnd() {
    return store.sink().commitsAtRunEnd();
  }

  @Override
  public boolean isCheckedAtRunEnd() {
    return !dropping && store.sink().isCheckedAtRunEnd();
  }

  @Override
  public long maxBatchBytes() {
    return store.sink().maxBatchBytes();
  }

  @Override
  public RecordSink sink() {
    return this;
  }

  @Override
  public RunTimeline timeline() {
    return store.timeline();
  }

  @Override
  public ActiveRuns activeRuns() {
    return store.activeRuns();
  }

  @Override
  public RunEnds runEnds() {
    return store.runEnds();
  }

  @Override
  public RunHistory history() {
    return store.history();
  }

  @Override
  public ActiveManifests manifests() {
    return store.manifests();
  }

  @Override
  public Grants grants() {
    return store.grants();
  }

  @Override
  public ConnectorStates states() {
    return store.states();
  }
}
