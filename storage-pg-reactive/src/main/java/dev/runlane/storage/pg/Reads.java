package dev.runlane.storage.pg;

import dev.runlane.postgres.PgFailures;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunlaneException;
import dev.runlane.run.StorageConflictKind;
import dev.runlane.storage.GetRunByIdempotencyKey;
import dev.runlane.storage.OutboxMessageState;
import dev.runlane.storage.OutboxMessageStatus;
import dev.runlane.storage.ResetIdempotencyKey;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.templates.SqlTemplate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Single runs, and the owners of idempotency keys. */
final class Reads {
  private final PgSession session;
  private final String getRuns;
  private final String messages;
  private final String owner;
  private final String reset;

  Reads(PgSession session) {
    this.session = session;
    this.getRuns = session.statements().get("get_runs");
    this.messages = session.statements().get("outbox_messages_of_run");
    this.owner = session.statements().get("idempotency_owner");
    this.reset = session.statements().get("reset_idempotency_key");
  }

  Future<List<RunRecord>> runs(PgSession.Scope scope, List<String> runIds) {
    return SqlTemplate.forQuery(session.client(), getRuns)
        .execute(Map.of("env", scope.env(), "runIds", runIds.toArray(String[]::new)))
        .map(rows -> {
          List<RunRecord> runs = new ArrayList<>(rows.size());
          rows.forEach(row -> runs.add(RunRows.run(scope.environment(), new RowReader(row))));
          return runs;
        })
        .recover(PgFailures.during("reading runs"));
  }

  Future<Optional<RunRecord>> run(PgSession.Scope scope, String runId) {
    return runs(scope, List.of(runId)).map(found -> found.stream().findFirst());
  }

  Future<List<OutboxMessageState>> messages(PgSession.Scope scope, String runId) {
    return SqlTemplate.forQuery(session.client(), messages)
        .execute(Map.of("env", scope.env(), "runId", runId))
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

  Future<Optional<RunRecord>> byIdempotencyKey(
      PgSession.Scope scope, GetRunByIdempotencyKey query) {
    return owner(scope, query.taskId(), query.idempotencyKey())
        .compose(owner -> owner != null && owner.isLiveAt(query.now())
            ? run(scope, owner.runId())
            : Future.succeededFuture(Optional.empty()));
  }

  Future<Void> reset(PgSession.Scope scope, ResetIdempotencyKey command) {
    return SqlTemplate.forUpdate(session.client(), reset)
        .execute(key(scope, command.taskId(), command.idempotencyKey()))
        .compose(deleted -> deleted.rowCount() > 0
            ? Future.<@Nullable Owner>succeededFuture(null)
            : owner(scope, command.taskId(), command.idempotencyKey()))
        .compose(left -> left == null
            ? Future.<Void>succeededFuture()
            : Future.failedFuture(RunlaneException.conflict(
                    StorageConflictKind.IDEMPOTENCY_KEY,
                    "the key is owned by run %s, which is active",
                    left.runId())
                .withMeta(RunlaneException.OWNER_RUN_ID, left.runId())))
        .recover(PgFailures.during("resetIdempotencyKey"));
  }

  private Future<@Nullable Owner> owner(PgSession.Scope scope, String taskId, String key) {
    return SqlTemplate.forQuery(session.client(), owner)
        .execute(key(scope, taskId, key))
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

  private static Map<String, Object> key(PgSession.Scope scope, String taskId, String key) {
    return Map.of("env", scope.env(), "taskId", taskId, "key", key);
  }

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
