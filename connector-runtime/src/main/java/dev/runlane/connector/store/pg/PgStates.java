package dev.runlane.connector.store.pg;

import static dev.runlane.connector.store.pg.PgValues.utc;

import dev.runlane.connector.store.ConnectorStates;
import dev.runlane.connector.store.EditOutcome;
import dev.runlane.connector.store.StateScope;
import dev.runlane.connector.store.StoreChecks;
import dev.runlane.connector.store.StoredCursor;
import dev.runlane.run.Json;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.Tuple;
import java.time.Instant;
import java.util.Map;
import java.util.TreeMap;

/** The owner's view of cursors in Postgres. */
final class PgStates implements ConnectorStates {
  private final PgCalls calls;

  PgStates(PgCalls calls) {
    this.calls = calls;
  }

  @Override
  public Future<Map<String, StoredCursor>> show(StateScope scope) {
    return calls
        .statement(
            "show",
            () -> StoreChecks.requireScope(scope),
            session -> PgRecordSink.cursors(session, scope))
        .map(found -> {
          Map<String, StoredCursor> cursors = new TreeMap<>();
          found.forEach(cursor -> cursors.put(cursor.stream(), cursor));
          return cursors;
        });
  }

  @Override
  public Future<EditOutcome> edit(StateScope scope, String stream, Json cursor, Instant now) {
    return calls.statement(
        "edit", () -> StoreChecks.requireEdit(scope, stream, cursor), session -> session
            .execute(
                "edit_cursor",
                cursor(session.env(), scope, stream)
                    .addString(cursor.text())
                    .addOffsetDateTime(utc(now)))
            .map(PgStates::outcome));
  }

  @Override
  public Future<EditOutcome> reset(StateScope scope, String stream) {
    return calls.statement(
        "reset",
        () -> {
          StoreChecks.requireScope(scope);
          StoreChecks.requireStream(stream);
        },
        session -> session
            .execute("reset_cursor", cursor(session.env(), scope, stream))
            .map(PgStates::outcome));
  }

  private static Tuple cursor(int env, StateScope scope, String stream) {
    return Tuple.of(env, scope.connector().instanceId(), scope.grantId(), stream);
  }

  private static EditOutcome outcome(RowSet<Row> rows) {
    Row row = rows.iterator().next();
    String activeRun = row.getString("active_run");
    if (activeRun != null) {
      return new EditOutcome.RunActive(activeRun);
    }
    return row.getBoolean("found") ? new EditOutcome.Edited() : new EditOutcome.NotFound();
  }
}
