package dev.runlane.storage.pg.row;

import dev.runlane.postgres.statement.Parameters;
import dev.runlane.postgres.statement.SqlStatement;
import dev.runlane.run.Environment;
import dev.runlane.timing.Ids;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlClient;
import org.jspecify.annotations.Nullable;

/**
 * What every part of the storage works with.
 *
 * @param client the adapter's pool, or the connection of the caller's transaction
 * @param statements the adapter's statements
 * @param ids makes outbox ids and tokens
 */
public record PgSession(SqlClient client, ServerStatements statements, Ids ids) {
  /** How often a short statement is sent that lost against others. */
  public static final int MOST_TRIES = 20;

  /** A statement about one environment, whose number is its parameter {@code env}. */
  public static <C> SqlStatement<Scoped<C>> statement(String name, Parameters<C> parameters) {
    return SqlStatement.of(
        name, new Parameters<Scoped<C>>().value("env", Scoped::env).of(Scoped::given, parameters));
  }

  /** Runs one prepared statement. */
  public <C extends @Nullable Object> Future<RowSet<Row>> execute(
      SqlStatement<C> statement, C given) {
    return statements.get(statement).execute(client, given);
  }

  /** Runs one prepared statement in an environment. */
  public <C> Future<RowSet<Row>> execute(SqlStatement<Scoped<C>> statement, Scope scope, C given) {
    return execute(statement, new Scoped<>(scope.env(), given));
  }

  /** The same on another client. */
  public PgSession on(SqlClient other) {
    return new PgSession(other, statements, ids);
  }

  /** An environment and the number that keys start with. */
  public record Scope(Environment environment, int env) {}

  /** What a statement about one environment is given. */
  public record Scoped<C>(int env, C given) {}
}
