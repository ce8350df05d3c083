package dev.runlane.jobs.postgres.row;

import dev.runlane.postgres.statement.BoundStatement;
import dev.runlane.postgres.statement.BoundStatements;
import dev.runlane.postgres.statement.SqlStatement;
import dev.runlane.timing.Ids;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlClient;
import org.jspecify.annotations.Nullable;

/**
 * What every part of the store works with.
 *
 * @param client the store's pool, or the connection of a transaction
 * @param statements the statements
 * @param rows reads and writes jobs
 * @param json the texts inside a row
 * @param ids makes job ids and tokens
 * @param scope what advisory locks and channels are distinguished by: the schema
 */
public record JobSession(
    SqlClient client,
    BoundStatements statements,
    JobRows rows,
    JobTexts json,
    Ids ids,
    String scope) {
  public <C extends @Nullable Object> Future<RowSet<Row>> execute(
      SqlStatement<C> statement, C given) {
    return statements.get(statement).execute(client, given);
  }

  /** Runs one prepared statement that has no parameters. */
  public Future<RowSet<Row>> execute(SqlStatement<@Nullable Void> statement) {
    return statements.get(statement).execute(client);
  }

  /** A statement to be sent with others. */
  public <C> SentStatement sent(SqlStatement<C> statement, C given) {
    BoundStatement<C> bound = statements.get(statement);
    return new SentStatement(bound.sql(), bound.tuple(given));
  }

  /** The same with other texts. */
  public JobSession with(BoundStatements others) {
    return new JobSession(client, others, rows, json, ids, scope);
  }

  /** The same on another client. */
  public JobSession on(SqlClient other) {
    return new JobSession(other, statements, rows, json, ids, scope);
  }
}
