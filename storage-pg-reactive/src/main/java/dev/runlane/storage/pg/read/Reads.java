package dev.runlane.storage.pg.read;

import dev.runlane.postgres.PgFailures;
import dev.runlane.postgres.statement.Parameters;
import dev.runlane.postgres.statement.SqlStatement;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunlaneException;
import dev.runlane.run.StorageConflictKind;
import dev.runlane.storage.outbox.OutboxMessageState;
import dev.runlane.storage.outbox.OutboxMessageStatus;
import dev.runlane.storage.pg.row.Lists;
import dev.runlane.storage.pg.row.PgSession;
import dev.runlane.storage.pg.row.RowReader;
import dev.runlane.storage.pg.row.RunRows;
import dev.runlane.storage.pg.row.UnreadableRows;
import dev.runlane.storage.read.GetRunByIdempotencyKey;
import dev.runlane.storage.read.RunSummary;
import dev.runlane.storage.run.ResetIdempotencyKey;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Single runs, and the owners of idempotency keys. */
public final class Reads {
  private static final Parameters<List<String>> OF_RUNS =
      new Parameters<List<String>>().texts("run_ids", runIds -> runIds);
  private static final SqlStatement<PgSession.Scoped<List<String>>> GET_RUNS =
      PgSession.statement("get_runs", OF_RUNS);
  private static final SqlStatement<PgSession.Scoped<List<String>>> GET_SUMMARIES =
      PgSession.statement("get_run_summaries", OF_RUNS);
  private static final SqlStatement<PgSession.Scoped<String>> MESSAGES = PgSession.statement(
      "outbox_messages_of_run", new Parameters<String>().value("run_id", runId -> runId));
  private static final Parameters<Key> OF_KEY =
      new Parameters<Key>().value("task_id", Key::taskId).value("key", Key::key);
  private static final SqlStatement<PgSession.Scoped<Key>> OWNER =
      PgSession.statement("idempotency_owner", OF_KEY);
  private static final SqlStatement<PgSession.Scoped<Key>> RESET =
      PgSession.statement("reset_idempotency_key", OF_KEY);

  public static final List<SqlStatement<?>> STATEMENTS =
      List.of(GET_RUNS, GET_SUMMARIES, MESSAGES, OWNER, RESET);

  private final PgSession session;

  public Reads(PgSession session) {
    this.session = session;
  }

  public Future<List<RunRecord>> runs(PgSession.Scope scope, List<String> runIds) {
    return read(GET_RUNS, scope, runIds, row -> RunRows.run(scope.environment(), row));
  }

  public Future<List<RunSummary>> summaries(PgSession.Scope scope, List<String> runIds) {
    return read(GET_SUMMARIES, scope, runIds, RunRows::summary);
  }

  private <T> Future<List<T>> read(
      SqlStatement<PgSession.Scoped<List<String>>> statement,
      PgSession.Scope scope,
      List<String> runIds,
      Function<RowReader, T> mapper) {
    return session
        .execute(statement, scope, runIds)
        .map(rows -> {
          List<T> runs = new ArrayList<>(rows.size());
          rows.forEach(row -> runs.add(read(row, mapper)));
          return runs;
        })
        .recover(PgFailures.during("reading runs"));
  }

  private static <T> T read(Row row, Function<RowReader, T> mapper) {
    try {
      return mapper.apply(new RowReader(row));
    } catch (RuntimeException unreadable) {
      throw UnreadableRows.failure("run " + row.getString(0), unreadable);
    }
  }

  public Future<Optional<RunRecord>> run(PgSession.Scope scope, String runId) {
    return runs(scope, List.of(runId)).map(found -> found.stream().findFirst());
  }

  public Future<List<OutboxMessageState>> messages(PgSession.Scope scope, String runId) {
    return session
        .execute(MESSAGES, scope, runId)
        .map(rows -> Lists.mapped(rows, Reads::message))
        .recover(PgFailures.during("reading outbox messages"));
  }

  private static OutboxMessageState message(RowReader row) {
    String id = row.text();
    OutboxMessageStatus status = OutboxMessageStatus.valueOf(row.text().toUpperCase(Locale.ROOT));
    Instant availableAt = row.time();
    Instant nextAt = row.time();
    return new OutboxMessageState(
        id,
        status,
        availableAt,
        status == OutboxMessageStatus.CLAIMED ? nextAt : null,
        row.count(),
        RunRows.failure(row.jsonOrNull()));
  }

  public Future<Optional<RunRecord>> byIdempotencyKey(
      PgSession.Scope scope, GetRunByIdempotencyKey query) {
    return owner(scope, new Key(query.taskId(), query.idempotencyKey()))
        .compose(owner -> owner != null && owner.isLiveAt(query.now())
            ? run(scope, owner.runId())
            : Future.succeededFuture(Optional.empty()));
  }

  public Future<Void> reset(PgSession.Scope scope, ResetIdempotencyKey command) {
    Key key = new Key(command.taskId(), command.idempotencyKey());
    return session
        .execute(RESET, scope, key)
        .compose(deleted -> deleted.rowCount() > 0
            ? Future.<@Nullable Owner>succeededFuture(null)
            : owner(scope, key))
        .compose(left -> left == null
            ? Future.<Void>succeededFuture()
            : Future.failedFuture(RunlaneException.conflict(
                    StorageConflictKind.IDEMPOTENCY_KEY,
                    "the key is owned by run %s, which is active",
                    left.runId())
                .withMeta(RunlaneException.OWNER_RUN_ID, left.runId())))
        .recover(PgFailures.during("resetIdempotencyKey"));
  }

  private Future<@Nullable Owner> owner(PgSession.Scope scope, Key key) {
    return session
        .execute(OWNER, scope, key)
        .map(Reads::owner)
        .recover(PgFailures.during("looking up an idempotency key"));
  }

  private static @Nullable Owner owner(RowSet<Row> rows) {
    for (Row row : rows) {
      RowReader reader = new RowReader(row);
      return new Owner(reader.text(), reader.time(), reader.textOrNull(), reader.textOrNull());
    }
    return null;
  }

  private record Key(String taskId, String key) {}

  private record Owner(
      String runId,
      Instant expiresAt,
      @Nullable String activeStatus,
      @Nullable String terminalStatus) {
    boolean isLiveAt(Instant now) {
      return activeStatus != null
          || (terminalStatus != null && !terminalStatus.equals("failed") && expiresAt.isAfter(now));
    }
  }
}
