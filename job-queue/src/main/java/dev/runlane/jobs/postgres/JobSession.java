package dev.runlane.jobs.postgres;

import dev.runlane.timing.Ids;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import java.util.Map;

/**
 * What every part of the store works with.
 *
 * @param client the store's pool, or the connection of a transaction
 * @param statements the statements
 * @param rows reads and writes jobs
 * @param json the texts inside a row
 * @param ids makes job ids and tokens
 * @param scope what advisory locks and channels are told apart by: the schema
 */
record JobSession(
    SqlClient client,
    JobStatements statements,
    JobRows rows,
    JobTexts json,
    Ids ids,
    String scope) {
  Future<RowSet<Row>> execute(String statement, Tuple parameters) {
    return client.preparedQuery(statements.get(statement)).execute(parameters);
  }

  Future<RowSet<Row>> execute(String statement, Map<String, String> variant, Tuple parameters) {
    return client.preparedQuery(statements.get(statement, variant)).execute(parameters);
  }

  /** The text of a statement that the caller keeps. */
  Future<RowSet<Row>> send(String sql, Tuple parameters) {
    return client.preparedQuery(sql).execute(parameters);
  }

  /** The same on another client. */
  JobSession on(SqlClient other) {
    return new JobSession(other, statements, rows, json, ids, scope);
  }
}
