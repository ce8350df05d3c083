package dev.runlane.connector.store.memory;

import dev.runlane.adapter.AdapterCall;
import dev.runlane.connector.protocol.manifest.ManifestStream;
import dev.runlane.connector.protocol.message.RecordMessage;
import dev.runlane.connector.store.CheckedBatch;
import dev.runlane.connector.store.StoreChecks;
import dev.runlane.connector.store.key.RunFence;
import dev.runlane.connector.store.record.CommitCursor;
import dev.runlane.connector.store.record.CommitOutcome;
import dev.runlane.connector.store.record.FlushedStream;
import dev.runlane.connector.store.record.IngestBatch;
import dev.runlane.connector.store.record.IngestOutcome;
import dev.runlane.connector.store.record.IngestReceipt;
import dev.runlane.connector.store.record.LastBatch;
import dev.runlane.connector.store.record.RecordChange;
import dev.runlane.connector.store.record.RecordReads;
import dev.runlane.connector.store.record.RecordSink;
import dev.runlane.connector.store.record.SinkFailure;
import dev.runlane.connector.store.record.StateOutcome;
import dev.runlane.connector.store.record.StateScope;
import dev.runlane.connector.store.record.StoredRecord;
import dev.runlane.connector.store.run.ActiveRun;
import dev.runlane.run.Json;
import io.vertx.core.Future;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Records in memory, for a run in the foreground and for tests: all of them are kept for as long as this object
 * lives, and every change until it is pruned. Whoever has more than memory holds takes another sink. Safe for use by
 * any thread.
 */
final class MemoryRecordSink implements RecordSink, RecordReads {
  private final MemoryConnectorStore store;
  private final Map<StreamId, Stream> streams = new HashMap<>();

  MemoryRecordSink(MemoryConnectorStore store) {
    this.store = store;
  }

  @Override
  public Future<IngestOutcome> ingest(IngestBatch batch) {
    return AdapterCall.of("ingest", () -> {
      StoreChecks.requireBatch(batch);
      return Future.succeededFuture(store.locked(() -> ingestNow(batch)));
    });
  }

  private IngestOutcome ingestNow(IngestBatch batch) {
    Optional<ActiveRun> run = store.current(batch.fence());
    if (run.isEmpty()) {
      return new IngestOutcome.FencedOut();
    }
    Optional<SinkFailure> refusal =
        store.grantRefusal(run.get(), SinkFailure.Phase.INGEST, batch.now());
    if (refusal.isPresent()) {
      return new IngestOutcome.Refused(refusal.get());
    }
    Stream stream = stream(batch.fence().instanceId(), batch.stream());
    long last = stream.lastOf(batch.fence().runId());
    if (batch.number() > last + 1) {
      return new IngestOutcome.Refused(SinkFailure.ofLostRecords(SinkFailure.Phase.INGEST));
    }
    CheckedBatch checked = CheckedBatch.of(batch);
    if (batch.number() > last) {
      checked.accepted().forEach(record -> stream.take(batch, record));
      stream.took(batch, checked.receipt());
    }
    return new IngestOutcome.Stored(checked.receipt());
  }

  @Override
  public Future<StateOutcome> readState(StateScope scope) {
    return store.states().show(scope).map(StateOutcome.Found::new);
  }

  @Override
  public Future<CommitOutcome> commitCursor(CommitCursor command) {
    return AdapterCall.of("commitCursor", () -> {
      StoreChecks.requireCursors(List.of(command.cursor()));
      return Future.succeededFuture(store.locked(() -> commitNow(command)));
    });
  }

  private CommitOutcome commitNow(CommitCursor command) {
    Optional<ActiveRun> run = store.current(command.fence());
    if (run.isEmpty()) {
      return new CommitOutcome.FencedOut();
    }
    Optional<SinkFailure> refusal =
        store.grantRefusal(run.get(), SinkFailure.Phase.STATE_COMMIT, command.now());
    if (refusal.isPresent()) {
      return new CommitOutcome.Refused(refusal.get());
    }
    store.commit(run.get(), command.cursor(), command.now());
    return new CommitOutcome.Committed();
  }

  @Override
  public long maxBatchBytes() {
    return 8L << 20; // 8 MiB: enough for a batch of the usual size
  }

  @Override
  public boolean commitsAtRunEnd() {
    return true;
  }

  @Override
  public boolean isCheckedAtRunEnd() {
    return true;
  }

  @Override
  public Future<Optional<StoredRecord>> record(String instanceId, String stream, String key) {
    return Future.succeededFuture(store.locked(
        () -> Optional.ofNullable(stream(instanceId, stream).records.get(key))));
  }

  @Override
  public Future<List<StoredRecord>> records(
      String instanceId, String stream, String afterKey, int limit) {
    return Future.succeededFuture(store.locked(
        () -> stream(instanceId, stream).records.tailMap(afterKey, false).values().stream()
            .limit(limit)
            .toList()));
  }

  @Override
  public Future<List<RecordChange>> changes(
      String instanceId, String stream, long afterSequence, int limit) {
    return Future.succeededFuture(store.locked(() -> stream(instanceId, stream).changes.stream()
        .map(Change::told)
        .filter(change -> change.sequence() > afterSequence)
        .limit(limit)
        .toList()));
  }

  @Override
  public Future<Integer> pruneChanges(Instant olderThan, int limit) {
    return AdapterCall.of("pruneChanges", () -> {
      StoreChecks.requirePrune(limit);
      return Future.succeededFuture(store.locked(() -> {
        int deleted = 0;
        for (Stream stream : streams.values()) {
          deleted += stream.prune(olderThan, limit - deleted);
        }
        return deleted;
      }));
    });
  }

  /** What the streams of a connection have taken of a run. */
  List<FlushedStream> flushed(RunFence fence) {
    return streams.entrySet().stream()
        .filter(entry -> entry.getKey().instanceId().equals(fence.instanceId()))
        .filter(entry -> entry.getValue().runId.equals(fence.runId()))
        .map(entry -> new FlushedStream(
            entry.getKey().name(), entry.getValue().attempted, entry.getValue().accepted))
        .sorted(Comparator.comparing(FlushedStream::stream))
        .toList();
  }

  /** Whether a batch of the run that was answered as stored is not there. */
  boolean isMissing(RunFence fence, LastBatch taken) {
    return stream(fence.instanceId(), taken.stream()).lastOf(fence.runId()) < taken.number();
  }

  private Stream stream(String instanceId, String name) {
    return streams.computeIfAbsent(new StreamId(instanceId, name), created -> new Stream());
  }

  private record StreamId(String instanceId, String name) {}

  private record Change(RecordChange told, Instant at) {}

  /** The records of one stream. */
  private static final class Stream {
    final TreeMap<String, StoredRecord> records = new TreeMap<>();
    final Deque<Change> changes = new ArrayDeque<>();
    long lastChange;
    String runId = "";
    long batch;
    long attempted; // of that run
    long accepted;

    /** The number of the last batch that was taken of a run, 0 for none. */
    long lastOf(String ofRun) {
      return runId.equals(ofRun) ? batch : 0;
    }

    void took(IngestBatch taken, IngestReceipt receipt) {
      boolean first = !taken.fence().runId().equals(runId);
      runId = taken.fence().runId();
      batch = taken.number();
      attempted = receipt.attempted() + (first ? 0 : attempted);
      accepted = receipt.accepted() + (first ? 0 : accepted);
    }

    void take(IngestBatch batch, RecordMessage record) {
      StoredRecord before = records.get(record.key());
      if (isChange(batch.semantics(), before, record)) {
        long version = before == null ? 1 : before.version() + 1;
        Json data = record.deletion() ? null : record.data();
        StoredRecord after =
            new StoredRecord(record.key(), version, data, record.emittedAt(), record.deletion());
        records.put(record.key(), after);
        changes.add(
            new Change(new RecordChange(++lastChange, batch.fence().runId(), after), batch.now()));
      }
    }

    int prune(Instant olderThan, int most) {
      int deleted = 0;
      while (deleted < most && changes.size() > 1 && changes.element().at().isBefore(olderThan)) {
        changes.remove();
        deleted++;
      }
      return deleted;
    }

    private static boolean isChange(
        ManifestStream.Semantics semantics, @Nullable StoredRecord before, RecordMessage record) {
      if (before == null) {
        return true;
      }
      if (record.deletion()) {
        return !before.deleted();
      }
      return semantics == ManifestStream.Semantics.MUTABLE_STATE
          && (before.deleted() || !Objects.equals(before.data(), record.data()));
    }
  }
}
