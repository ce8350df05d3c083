package dev.runlane.connector.store.pg;

import static dev.runlane.connector.store.pg.PgValues.instant;
import static dev.runlane.connector.store.pg.PgValues.json;
import static dev.runlane.connector.store.pg.PgValues.jsonOrNull;
import static dev.runlane.connector.store.pg.PgValues.textOrNull;

import dev.runlane.adapter.AdapterCall;
import dev.runlane.connector.protocol.manifest.ManifestStream;
import dev.runlane.connector.protocol.message.RecordMessage;
import dev.runlane.connector.store.CheckedBatch;
import dev.runlane.connector.store.StoreChecks;
import dev.runlane.connector.store.record.CommitCursor;
import dev.runlane.connector.store.record.CommitOutcome;
import dev.runlane.connector.store.record.IngestBatch;
import dev.runlane.connector.store.record.IngestOutcome;
import dev.runlane.connector.store.record.RecordChange;
import dev.runlane.connector.store.record.RecordReads;
import dev.runlane.connector.store.record.RecordSink;
import dev.runlane.connector.store.record.SinkFailure;
import dev.runlane.connector.store.record.SinkFailure.Phase;
import dev.runlane.connector.store.record.StateOutcome;
import dev.runlane.connector.store.record.StateScope;
import dev.runlane.connector.store.record.StoredCursor;
import dev.runlane.connector.store.record.StoredRecord;
import dev.runlane.postgres.statement.Columns;
import dev.runlane.postgres.statement.Parameters;
import dev.runlane.postgres.statement.SqlStatement;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Records and cursors in Postgres. A batch is one statement over arrays. */
final class PgRecordSink implements RecordSink, RecordReads {
  private static final Parameters<Batch> OF_BATCH = new Parameters<Batch>()
      .of(Batch::by, PgStatements.Fenced.PARAMETERS)
      .value("stream", batch -> batch.given().stream())
      .value("batch", batch -> batch.given().number())
      .rows(
          Batch::accepted,
          new Columns<RecordMessage>()
              .texts("keys", RecordMessage::key)
              .texts("data", record -> textOrNull(record.data()))
              .texts("emitted_times", RecordMessage::emittedAt)
              .flags("deleted", RecordMessage::deletion))
      .value("attempted", batch -> (long) batch.given().records().size());
  private static final SqlStatement<PgSession.Given<Batch>> INGEST_ANY =
      PgSession.statement("ingest", OF_BATCH);
  private static final SqlStatement<PgSession.Given<StateScope>> CURSORS = PgSession.statement(
      "cursors",
      new Parameters<StateScope>()
          .value("instance_id", scope -> scope.connector().instanceId())
          .value("grant_id", StateScope::grantId));
  private static final Parameters<Page> OF_PAGE = new Parameters<Page>()
      .value("instance_id", Page::instanceId)
      .value("stream", Page::stream)
      .value("after", Page::after)
      .value("limit", Page::limit);

  static final Map<ManifestStream.Semantics, SqlStatement<PgSession.Given<Batch>>> INGEST = Map.of(
      ManifestStream.Semantics.MUTABLE_STATE,
      INGEST_ANY.variant("changed", "{changed_mutable}"),
      ManifestStream.Semantics.APPEND_ONLY,
      INGEST_ANY.variant("changed", "{changed_append_only}"));
  static final SqlStatement<PgSession.Given<OfKey>> RECORD = PgSession.statement(
      "record",
      new Parameters<OfKey>()
          .value("instance_id", OfKey::instanceId)
          .value("stream", OfKey::stream)
          .value("key", OfKey::key));
  static final SqlStatement<PgSession.Given<Page>> RECORDS =
      PgSession.statement("records", OF_PAGE);
  static final SqlStatement<PgSession.Given<Page>> CHANGES =
      PgSession.statement("changes", OF_PAGE);
  static final SqlStatement<PgSession.Given<PgStatements.Old>> PRUNE =
      PgSession.statement("prune_changes", PgStatements.Old.PARAMETERS);

  static final List<SqlStatement<?>> STATEMENTS = Stream.<SqlStatement<?>>concat(
          INGEST.values().stream(), Stream.of(CURSORS, RECORD, RECORDS, CHANGES, PRUNE))
      .toList();

  private static final long MOST_BATCH_BYTES = 32L << 20;

  private final PgCalls calls;

  PgRecordSink(PgCalls calls) {
    this.calls = calls;
  }

  @Override
  public long maxBatchBytes() {
    return MOST_BATCH_BYTES;
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
  public Future<IngestOutcome> ingest(IngestBatch batch) {
    return AdapterCall.of("ingest", () -> {
      CheckedBatch checked = CheckedBatch.of(batch);
      return this.<IngestOutcome>fenced(
          "ingest",
          session -> session
              .execute(
                  Objects.requireNonNull(INGEST.get(batch.semantics())),
                  new Batch(batch, checked.accepted()))
              .map(rows -> {
                if (rows.size() == 0) {
                  return new IngestOutcome.FencedOut();
                }
                String refusal = rows.iterator().next().getString("refusal");
                return refusal == null
                    ? new IngestOutcome.Stored(checked.receipt())
                    : new IngestOutcome.Refused(CursorCommits.failure(refusal, Phase.INGEST));
              }),
          failure -> new IngestOutcome.Refused(storageFailure(failure, Phase.INGEST)));
    });
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

  /** A store that is closed here is open elsewhere, where the run continues. */
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
        CURSORS,
        scope,
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
        session ->
            session.first(RECORD, new OfKey(instanceId, stream, key), PgRecordSink::storedRecord));
  }

  @Override
  public Future<List<StoredRecord>> records(
      String instanceId, String stream, String afterKey, int limit) {
    return calls.statement(
        "records",
        () -> checkPage(instanceId, stream, limit),
        session -> session.list(
            RECORDS, new Page(instanceId, stream, afterKey, limit), PgRecordSink::storedRecord));
  }

  @Override
  public Future<List<RecordChange>> changes(
      String instanceId, String stream, long afterSequence, int limit) {
    return calls.statement(
        "changes",
        () -> checkPage(instanceId, stream, limit),
        session -> session.list(
            CHANGES,
            new Page(instanceId, stream, afterSequence, limit),
            row -> new RecordChange(
                row.getLong("change_seq"), row.getString("run_id"), storedRecord(row))));
  }

  @Override
  public Future<Integer> pruneChanges(Instant olderThan, int limit) {
    return calls.statement(
        "pruneChanges",
        () -> StoreChecks.requirePrune(limit),
        session -> session.update(PRUNE, new PgStatements.Old(olderThan, limit)));
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

  /** A batch, and those of its records that are taken. */
  record Batch(IngestBatch given, List<RecordMessage> accepted) {
    PgStatements.Fenced by() {
      return new PgStatements.Fenced(given.fence(), given.now());
    }
  }

  /** A record of a stream. */
  record OfKey(String instanceId, String stream, String key) {}

  /** Some of a stream, behind a key or a sequence. */
  record Page(String instanceId, String stream, Object after, long limit) {}
}
