package dev.runlane.connector.store.pg;

import static dev.runlane.connector.store.pg.PgValues.utc;

import dev.runlane.connector.store.StoreChecks;
import dev.runlane.connector.store.record.ConnectorStates;
import dev.runlane.connector.store.record.EditOutcome;
import dev.runlane.connector.store.record.StateScope;
import dev.runlane.connector.store.record.StoredCursor;
import dev.runlane.postgres.statement.Parameters;
import dev.runlane.postgres.statement.SqlStatement;
import dev.runlane.run.Json;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The owner's view of cursors in Postgres. */
final class PgStates implements ConnectorStates {
  private static final Parameters<OfStream> OF_STREAM = new Parameters<OfStream>()
      .value("instance_id", of -> of.scope().connector().instanceId())
      .value("grant_id", of -> of.scope().grantId())
      .value("stream", OfStream::stream);
  private static final SqlStatement<PgSession.Given<Edited>> EDIT = PgSession.statement(
      "edit_cursor",
      new Parameters<Edited>()
          .of(Edited::of, OF_STREAM)
          .value("cursor", edited -> edited.cursor().text())
          .value("now", edited -> utc(edited.now())));
  private static final SqlStatement<PgSession.Given<OfStream>> RESET =
      PgSession.statement("reset_cursor", OF_STREAM);

  static final List<SqlStatement<?>> STATEMENTS = List.of(EDIT, RESET);

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
            .execute(EDIT, new Edited(new OfStream(scope, stream), cursor, now))
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
        session -> session.execute(RESET, new OfStream(scope, stream)).map(PgStates::outcome));
  }

  private static EditOutcome outcome(RowSet<Row> rows) {
    Row row = rows.iterator().next();
    String activeRun = row.getString("active_run");
    if (activeRun != null) {
      return new EditOutcome.RunActive(activeRun);
    }
    return row.getBoolean("found") ? new EditOutcome.Edited() : new EditOutcome.NotFound();
  }

  private record OfStream(StateScope scope, String stream) {}

  private record Edited(OfStream of, Json cursor, Instant now) {}
}
