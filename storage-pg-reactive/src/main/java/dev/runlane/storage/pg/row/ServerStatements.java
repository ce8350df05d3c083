package dev.runlane.storage.pg.row;

import dev.runlane.postgres.statement.BoundStatement;
import dev.runlane.postgres.statement.BoundStatements;
import dev.runlane.postgres.statement.SqlStatement;
import io.vertx.sqlclient.SqlConnection;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * An adapter's statements in the form that suits the server which its last connection led to. Either form is right on
 * any server; the other one is only planned worse there.
 */
public final class ServerStatements {
  private static final int READS_KEYS_AT_ONCE = 17;
  private static final List<String> BY_KEY = List.of(
      "claimed_runs_by_key",
      "ended_runs_by_key",
      "terminal_runs_by_key",
      "claimed_messages_by_key",
      "published_messages_by_key",
      "claimed_steps_by_key");

  private final BoundStatements bound;
  private final Map<SqlStatement<?>, SqlStatement<?>> before17;
  private volatile boolean isBefore17;

  /**
   * Until a connection is made the server counts as a current one.
   *
   * @param bound all statements, the values of {@code before17} too
   * @param before17 what is sent to a server before PostgreSQL 17 in place of a statement
   */
  public ServerStatements(BoundStatements bound, Map<SqlStatement<?>, SqlStatement<?>> before17) {
    this.bound = bound;
    this.before17 = before17;
  }

  /** The form of a statement for servers before PostgreSQL 17. */
  public static SqlStatement<?> before17(SqlStatement<?> statement) {
    SqlStatement<?> form = statement;
    for (String fragment : BY_KEY) {
      form = form.variant(fragment, "{" + fragment + "_before_17}");
    }
    return form;
  }

  /** Goes by the server behind a connection that was made. */
  public void connected(SqlConnection made) {
    isBefore17 = made.databaseMetadata().majorVersion() < READS_KEYS_AT_ONCE;
  }

  /** Fails for one that was not bound, which is a fault of the caller. */
  @SuppressWarnings("unchecked") // a form of the very statement, with its parameters
  public <C extends @Nullable Object> BoundStatement<C> get(SqlStatement<C> statement) {
    return bound.get(isBefore17 ? (SqlStatement<C>) older(statement) : statement);
  }

  /** The texts of a statement in either form. */
  public Stream<String> texts(SqlStatement<?> statement) {
    return Stream.of(statement, older(statement))
        .map(form -> bound.get(form).sql())
        .distinct();
  }

  private SqlStatement<?> older(SqlStatement<?> statement) {
    return before17.getOrDefault(statement, statement);
  }
}
