package dev.runlane.connector.store.pg;

import dev.runlane.postgres.statement.BoundStatements;
import dev.runlane.postgres.statement.Parameters;
import dev.runlane.postgres.statement.SqlStatement;
import io.vertx.core.Future;
import io.vertx.sqlclient.SqlConnection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The number of the store's environment: given out once by the database, then remembered, until it may be another one
 * that was restored or promoted, where it may have another one.
 */
final class EnvironmentNumber {
  private static final int MOST_TRIES = 3;
  private static final Parameters<String> OF_ENVIRONMENT =
      new Parameters<String>().value("environment_key", key -> key);
  private static final SqlStatement<String> FIND =
      SqlStatement.of("find_environment", OF_ENVIRONMENT);
  private static final SqlStatement<String> CREATE = SqlStatement.of("environment", OF_ENVIRONMENT);

  static final List<SqlStatement<?>> STATEMENTS = List.of(FIND, CREATE);

  private final String environment;
  private final BoundStatements statements;
  private volatile Answer answer = new Answer();

  EnvironmentNumber(String environment, BoundStatements statements) {
    this.environment = environment;
    this.statements = statements;
  }

  /** The number, which {@code connection} is asked for where it is not known. */
  Future<Integer> on(SqlConnection connection) {
    Answer asked = answer;
    Integer known = asked.number;
    return known != null
        ? Future.succeededFuture(known)
        : load(connection, 1).onSuccess(number -> asked.number = number);
  }

  /** The same in a transaction: a number that is made in it, and may be undone with it, is not remembered. */
  Future<Integer> within(SqlConnection connection) {
    Integer known = answer.number;
    return known != null ? Future.succeededFuture(known) : load(connection, 1);
  }

  /** Asks the database again. What was asked before is not remembered when its answer comes. */
  void forget() {
    answer = new Answer();
  }

  /** Several stores may make it at once; who is kept from the row looks again. */
  private Future<Integer> load(SqlConnection connection, int tries) {
    return statements
        .get(FIND)
        .execute(connection, environment)
        .compose(found -> found.size() > 0
            ? Future.succeededFuture(found)
            : statements.get(CREATE).execute(connection, environment))
        .compose(rows -> rows.size() == 0 && tries < MOST_TRIES
            ? load(connection, tries + 1)
            : Future.succeededFuture(rows.iterator().next().getInteger("env")));
  }

  /** What was answered since it was last forgotten. */
  private static final class Answer {
    private volatile @Nullable Integer number;
  }
}
