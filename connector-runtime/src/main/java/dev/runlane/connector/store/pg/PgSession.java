package dev.runlane.connector.store.pg;

import dev.runlane.postgres.statement.BoundStatements;
import dev.runlane.postgres.statement.Parameters;
import dev.runlane.postgres.statement.SqlStatement;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlConnection;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What every part of the store works with.
 *
 * @param connection one of the store's, held for a call, or for a transaction
 * @param statements the statements
 * @param env the number of the environment, which every statement is given
 */
record PgSession(SqlConnection connection, BoundStatements statements, int env) {
  /** A statement about one environment, whose number is its parameter {@code env}. */
  static <C extends @Nullable Object> SqlStatement<Given<C>> statement(
      String name, Parameters<C> parameters) {
    return SqlStatement.of(
        name, new Parameters<Given<C>>().value("env", Given::env).of(Given::given, parameters));
  }

  /** A statement that is given nothing but the environment. */
  static SqlStatement<Given<@Nullable Void>> statement(String name) {
    return statement(name, new Parameters<>());
  }

  <C extends @Nullable Object> Future<RowSet<Row>> execute(
      SqlStatement<Given<C>> statement, C given) {
    return statements.get(statement).execute(connection, new Given<>(env, given));
  }

  <C extends @Nullable Object, T> Future<List<T>> list(
      SqlStatement<Given<C>> statement, C given, Function<Row, T> mapper) {
    return execute(statement, given).map(rows -> {
      List<T> found = new ArrayList<>(rows.size());
      rows.forEach(row -> found.add(mapper.apply(row)));
      return found;
    });
  }

  /** The first row, or empty. */
  <C extends @Nullable Object, T> Future<Optional<T>> first(
      SqlStatement<Given<C>> statement, C given, Function<Row, T> mapper) {
    return list(statement, given, mapper).map(rows -> rows.stream().findFirst());
  }

  /** The same of a statement whose one parameter is the environment. */
  @SuppressWarnings("NullAway") // what is given is null, which the checker does not follow
  <T> Future<List<T>> list(SqlStatement<Given<@Nullable Void>> statement, Function<Row, T> mapper) {
    return list(statement, null, mapper);
  }

  /** How many rows were written. */
  <C extends @Nullable Object> Future<Integer> update(SqlStatement<Given<C>> statement, C given) {
    return execute(statement, given).map(RowSet::rowCount);
  }

  /** What a statement about one environment is given. */
  record Given<C extends @Nullable Object>(int env, C given) {}
}
