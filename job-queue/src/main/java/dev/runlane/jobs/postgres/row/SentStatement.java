package dev.runlane.jobs.postgres.row;

import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;

/**
 * A statement that is sent without waiting for the one before.
 *
 * @param sql its text
 * @param parameters its parameters
 */
public record SentStatement(String sql, Tuple parameters) {
  public Future<RowSet<Row>> send(SqlClient client) {
    return client.preparedQuery(sql).execute(parameters);
  }
}
