package dev.runlane.storage.pg;

import dev.runlane.postgres.ConnectionBounds;
import dev.runlane.postgres.PgConnections;
import dev.runlane.postgres.PgTuning;
import dev.runlane.postgres.SqlStatements;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes the indexes, of due runs and of fires, that migrations left out because a table was not small, beside readers and
 * writers. One that a killed process left unfinished is dropped and made anew. Claims are right without them,
 * so nothing waits for this, and what fails is tried again by the next process that starts.
 */
final class DueIndexes {
  private static final Logger LOG = LoggerFactory.getLogger(DueIndexes.class);
  private static final List<String> NAMES =
      List.of("active_runs_due_task", "active_runs_due_task_bounded", "schedule_occurrences_fires");

  /** An index that takes longer is taken for one whose answer does not come. */
  private static final ConnectionBounds BOUNDS =
      ConnectionBounds.of(Duration.ofHours(6), ConnectionBounds.DEFAULT_CLOSE_TIMEOUT);

  private final SqlStatements statements;
  private final String schema;

  DueIndexes(SqlStatements statements, String schema) {
    this.statements = statements;
    this.schema = schema;
  }

  /** Whether nothing is left to be made. */
  Future<Boolean> areWhole(PgSession session) {
    return session
        .execute(
            statements.get("whole_due_indexes"),
            Tuple.tuple().addArrayOfString(NAMES.toArray(String[]::new)))
        .map(rows -> rows.iterator().next().getLong(0) == NAMES.size());
  }

  /** Completes when the indexes are there, or another process makes them; fails as Postgres does. */
  Future<Void> make(Vertx vertx, PgConnectOptions options) {
    return PgConnections.connect(vertx, PgTuning.plain(options), BOUNDS).compose(connection -> {
      Future<Void> made = execute(connection, statements.get("take_time"));
      for (String name : NAMES) {
        made = made.compose(before -> make(connection, name));
      }
      return made.eventually(connection::close);
    });
  }

  private Future<Void> make(SqlConnection connection, String name) {
    return connection
        .preparedQuery(statements.get("due_index"))
        .execute(Tuple.of(name))
        .compose(rows -> {
          Iterator<Row> found = rows.iterator();
          if (!found.hasNext()) {
            return create(connection, name);
          }
          Row index = found.next();
          boolean settled = index.getBoolean(0) || Boolean.TRUE.equals(index.getBoolean(1));
          return settled
              ? Future.succeededFuture()
              : execute(connection, statements.get("drop_due_index", Map.of("index", name)))
                  .compose(dropped -> create(connection, name));
        });
  }

  private Future<Void> create(SqlConnection connection, String name) {
    LOG.info("schema {}: making index {} beside readers and writers", schema, name);
    return execute(connection, statements.get("make_" + name));
  }

  private static Future<Void> execute(SqlConnection connection, String sql) {
    return connection.query(sql).execute().mapEmpty();
  }
}
