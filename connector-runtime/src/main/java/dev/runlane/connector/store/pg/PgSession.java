package dev.runlane.connector.store.pg;

import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * What every part of the store works with.
 *
 * @param client the store's pool, or the connection of a transaction
 * @param statements the statements
 * @param env the number of the environment, the first parameter of every statement
 */
record PgSession(SqlClient client, PgStatements statements, int env) {
  Future<RowSet<Row>> execute(String statement, Tuple parameters) {
    return client.preparedQuery(statements.get(statement)).execute(parameters);
  }

  <T> Future<List<T>> list(String statement, Tuple parameters, Function<Row, T> mapper) {
    return execute(statement, parameters).map(rows -> {
      List<T> found = new ArrayList<>(rows.size());
      rows.forEach(row -> found.add(mapper.apply(row)));
      return found;
    });
  }

  /** The first row, or empty. */
  <T> Future<Optional<T>> first(String statement, Tuple parameters, Function<Row, T> mapper) {
    return list(statement, parameters, mapper).map(rows -> rows.stream().findFirst());
  }

  /** How many rows were written. */
  Future<Integer> update(String statement, Tuple parameters) {
    return execute(statement, parameters).map(RowSet::rowCount);
  }

  /** The same on another client. */
  PgSession on(SqlClient other) {
    return new PgSession(other, statements, env);
  }
}
