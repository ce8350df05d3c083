package dev.runlane.storage.pg;

import dev.runlane.postgres.SqlStatements;
import dev.runlane.run.Environment;
import dev.runlane.timing.Ids;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;

/**
 * What every part of the storage works with.
 *
 * @param client the adapter's pool, or the connection of the caller's transaction
 * @param statements the adapter's statements
 * @param ids makes outbox ids and tokens
 */
record PgSession(SqlClient client, SqlStatements statements, Ids ids) {
  /** Runs one prepared statement. */
  Future<RowSet<Row>> execute(String statement, Tuple parameters) {
    return client.preparedQuery(statement).execute(parameters);
  }

  /** The same on another client. */
  PgSession on(SqlClient other) {
    return new PgSession(other, statements, ids);
  }

  /** An environment and the number that keys start with. */
  record Scope(Environment environment, int env) {}
}
