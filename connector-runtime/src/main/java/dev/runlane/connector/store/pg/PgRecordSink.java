package dev.runlane.connector.store.pg;

import static dev.runlane.connector.store.pg.PgValues.instant;
import static dev.runlane.connector.store.pg.PgValues.json;
import static dev.runlane.connector.store.pg.PgValues.jsonOrNull;
import static dev.runlane.connector.store.pg.PgValues.utc;

import dev.runlane.adapter.AdapterCall;
import dev.runlane.connector.protocol.RecordMessage;
import dev.runlane.connector.store.CheckedBatch;
import dev.runlane.connector.store.CommitCursor;
import dev.runlane.connector.store.CommitOutcome;
import dev.runlane.connector.store.IngestBatch;
import dev.runlane.connector.store.IngestOutcome;
import dev.runlane.connector.store.RecordChange;
import dev.runlane.connector.store.RecordReads;
import dev.runlane.connector.store.RecordSink;
import dev.runlane.connector.store.RunFence;
import dev.runlane.connector.store.SinkFailure;
import dev.runlane.connector.store.SinkFailure.Phase;
import dev.runlane.connector.store.StateOutcome;
import dev.runlane.connector.store.StateScope;
import dev.runlane.connector.store.StoreChecks;
import dev.runlane.connector.store.StoredCursor;
import dev.runlane.connector.store.StoredRecord;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.Json;
import dev.runlane.run.RunlaneException;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Records and cursors in Postgres. A batch is one statement over arrays. */
final class PgRecordSink implements RecordSink, RecordReads {
  private static final long MOST_BATCH_BYTES = 32L << 20;

  private final PgCalls calls;

  PgRecordSink(PgCalls calls) {
    this.calls = calls;
  }

  @Override
  public long mostBatchBytes() {
    return MOST_BATCH_BYTES;
  }

  @Override
  public boolean commitsAtRunEnd() {
    return true;
  }

  @Override
  public Future<IngestOutcome> ingest(IngestBatch batch) {
    return AdapterCall.of("ingest", () -> {
      CheckedBatch checked = CheckedBatch.of(batch);
      return this.<IngestOutcome>fenced(
          "ingest",
          session -> session
              .client()
              .preparedQuery(session.statements().ingest(batch.semantics()))
              .execute(parameters(session.env(), batch, checked.accepted()))
              .map(rows -> {
                if (rows.size() == 0) {
                  return new IngestOutcome.FencedOut();
                }
                String refusal = rows.iterator().next().getString("refusal");
                return refusal == null
                    ? new IngestOutcome.Stored(checked.receipt())
                    : new IngestOutcome.Refused(SinkFailure.ofGrant(refusal, Phase.INGEST));
              }),
          failure -> new IngestOutcome.Refused(storageFailure(failure, Phase.INGEST)));
    });
  }

  private static Tuple parameters(int env, IngestBatch batch, List<RecordMessage> records) {
    int count = records.size();
    String[] keys = new String[count];
    @Nullable String[] data = new String[count];
    String[] emittedAt = new String[count];
    Boolean[] deleted = new Boolean[count];
    for (int index = 0; index < count; index++) {
      RecordMessage record = records.get(index);
      Json value = record.data();
      keys[index] = record.key();
      data[index] = value == null ? null : value.text();
      emittedAt[index] = record.emittedAt();
      deleted[index] = record.deletion();
    }
    return fence(env, batch.fence(), batch.now())
        .addString(batch.stream())
        .addLong(batch.number())
        .addArrayOfString(keys)
        .addArrayOfString(data)
        .addArrayOfString(emittedAt)
        .addArrayOfBoolean(deleted)
        .addLong((long) batch.records().size());
  }

  /** The first five parameters of every statement of a run. */
  static Tuple fence(int env, RunFence fence, Instant now) {
    return Tuple.tuple()
        .addInteger(env)
        .addString(fence.instanceId())
        .addString(fence.runId())
        .addLong(fence.generation())
        .addOffsetDateTime(utc(now));
  }

  private <T> Future<T> fenced(
      String operation,
      Function<PgSession, Future<T>> work,
      Function<RunlaneException, T> unavailable) {
    return calls
        .statement(operation, () -> {}, work)
        .recover(failure -> failure instanceof RunlaneException ours && passes(ours)
            ? Future.succeededFuture(unavailable.apply(ours.asRetryable()))
            : Future.failedFuture(failure));
  }

  /** A store that is closed here is open elsewhere, where the run goes on. */
  private static boolean passes(RunlaneException failure) {
    return failure.code() == ErrorCode.STORAGE_UNAVAILABLE
        || failure.code() == ErrorCode.OPERATION_CANCELLED;
  }

  private static SinkFailure storageFailure(RunlaneException failure, Phase phase) {
    return SinkFailure.ofStorage(
        SinkFailure.STORAGE_ERROR,
        phase,
        failure.isRetryable(),
        String.valueOf(failure.getMessage()));
  }

  @Override
  public Future<StateOutcome> readState(StateScope scope) {
    return AdapterCall.of("readState", () -> {
      StoreChecks.requireScope(scope);
      return this.<StateOutcome>fenced(
          "readState",
          session -> cursors(session, scope)
              .map(found -> new StateOutcome.Found(
                  found.stream().collect(Collectors.toMap(StoredCursor::stream, each -> each)))),
          failure -> new StateOutcome.Refused(storageFailure(failure, Phase.STATE_READ)));
    });
  }

  /** The cursors of a scope, in no order. */
  static Future<List<StoredCursor>> cursors(PgSession session, StateScope scope) {
    return session.list(
        "cursors",
        Tuple.of(session.env(), scope.connector().instanceId(), scope.grantId()),
        row -> new StoredCursor(
            row.getString("stream"),
            json(row, "cursor"),
            row.getString("run_id"),
            row.getLong("records_accepted"),
            instant(row, "updated_at")));
  }

  @Override
  public Future<CommitOutcome> commitCursor(CommitCursor command) {
    return AdapterCall.of("commitCursor", () -> {
      StoreChecks.requireFence(command.fence());
      StoreChecks.requireCursors(List.of(command.cursor()));
      return this.<CommitOutcome>fenced(
          "commitCursor",
          session -> new CursorCommits(session)
              .commit(command.fence(), List.of(command.cursor()), command.now()),
          failure -> new CommitOutcome.Refused(storageFailure(failure, Phase.STATE_COMMIT)));
    });
  }

  @Override
  public Future<Optional<StoredRecord>> record(String instanceId, String stream, String key) {
    return calls.statement(
        "record",
        () -> checkStream(instanceId, stream),
        session -> session.first(
            "record",
            Tuple.of(session.env(), instanceId, stream, key),
            PgRecordSink::storedRecord));
  }

  @Override
  public Future<List<StoredRecord>> records(
      String instanceId, String stream, String afterKey, int limit) {
    return calls.statement(
        "records",
        () -> checkPage(instanceId, stream, limit),
        session -> session.list(
            "records",
            Tuple.of(session.env(), instanceId, stream, afterKey, (long) limit),
            PgRecordSink::storedRecord));
  }

  @Override
  public Future<List<RecordChange>> changes(
      String instanceId, String stream, long afterSequence, int limit) {
    return calls.statement(
        "changes",
        () -> checkPage(instanceId, stream, limit),
        session -> session.list(
            "changes",
            Tuple.of(session.env(), instanceId, stream, afterSequence, (long) limit),
            row -> new RecordChange(
                row.getLong("change_seq"), row.getString("run_id"), storedRecord(row))));
  }

  private static void checkPage(String instanceId, String stream, int limit) {
    checkStream(instanceId, stream);
    StoreChecks.requireLimit(limit, MOST_RECORDS);
  }

  private static void checkStream(String instanceId, String stream) {
    StoreChecks.requireInstance(instanceId);
    StoreChecks.requireStream(stream);
  }

  private static StoredRecord storedRecord(Row row) {
    return new StoredRecord(
        row.getString("record_key"),
        row.getLong("version"),
        jsonOrNull(row, "data"),
        row.getString("emitted_at"),
        row.getBoolean("deleted"));
  }
}
