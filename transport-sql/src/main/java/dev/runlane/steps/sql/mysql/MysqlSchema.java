package dev.runlane.steps.sql.mysql;

import dev.runlane.postgres.statement.Parameters;
import dev.runlane.postgres.statement.SqlStatement;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import io.vertx.core.Future;
import io.vertx.sqlclient.SqlConnection;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Creates the tables on MySQL and MariaDB. */
final class MysqlSchema {
  private static final SqlStatement<MysqlSchema> FIND_OBJECTS = SqlStatement.of(
      "find_objects",
      new Parameters<MysqlSchema>()
          .value("tasks", schema -> schema.table("transport_tasks"))
          .value("tasks_index", schema -> schema.table("transport_tasks_order_idx"))
          .value("results", schema -> schema.table("transport_results"))
          .value("results_index", schema -> schema.table("transport_results_order_idx")));
  private static final Parameters<String> OF_LOCK =
      new Parameters<String>().value("lock", lock -> lock);
  private static final SqlStatement<String> LOCK = SqlStatement.of("lock_creation", OF_LOCK);
  private static final SqlStatement<String> UNLOCK = SqlStatement.of("unlock_creation", OF_LOCK);
  private static final SqlStatement<@Nullable Void> WAIT_SHORTLY =
      SqlStatement.plain("wait_shortly");
  private static final SqlStatement<@Nullable Void> WAIT_AS_USUAL =
      SqlStatement.plain("wait_as_usual");
  private static final List<SqlStatement<@Nullable Void>> CREATIONS = Stream.of(
          "create_tasks", "create_results", "create_tasks_index", "create_results_index")
      .map(SqlStatement::plain)
      .toList();

  static final List<SqlStatement<?>> STATEMENTS = Stream.<SqlStatement<?>>concat(
          Stream.of(FIND_OBJECTS, LOCK, UNLOCK, WAIT_SHORTLY, WAIT_AS_USUAL), CREATIONS.stream())
      .toList();

  private static final int KEYS_AND_INDEXES = 4;

  private final String prefix;
  private final MysqlStatements statements;
  private final MysqlTransactions transactions;
  private final MysqlFailures failures;

  MysqlSchema(
      String prefix,
      MysqlStatements statements,
      MysqlTransactions transactions,
      MysqlFailures failures) {
    this.prefix = prefix;
    this.statements = statements;
    this.transactions = transactions;
    this.failures = failures;
  }

  /** Creates what is missing; takes no lock when nothing is. */
  Future<Void> create() {
    return objectsAreThere().compose(there -> there ? Future.succeededFuture() : createMissing());
  }

  private Future<Boolean> objectsAreThere() {
    return statements
        .get(FIND_OBJECTS)
        .execute(transactions.client(), this)
        .map(rows -> rows.iterator().next().getLong(0) == KEYS_AND_INDEXES);
  }

  /** DDL commits by itself here, so a named lock stands for the transaction. */
  private Future<Void> createMissing() {
    String lock = "runlane " + table("transport");
    return transactions.onConnection(connection -> statements
        .get(LOCK)
        .execute(connection, lock)
        .compose(rows -> Long.valueOf(1).equals(rows.iterator().next().getLong(0))
            ? createWhatIsMissing(connection)
            : Future.failedFuture(RunlaneException.unavailable(
                ErrorCode.STORAGE_UNAVAILABLE, null, "another process is creating the tables")))
        .eventually(() -> statements.get(UNLOCK).execute(connection, lock)));
  }

  /**
   * An index on somebody else's table waits for every transaction that has read it, and whoever comes later waits
   * behind that: it gives up soon, and is tried again.
   */
  private Future<Void> createWhatIsMissing(SqlConnection connection) {
    Future<Void> created = run(connection, WAIT_SHORTLY);
    for (SqlStatement<@Nullable Void> creation : CREATIONS) {
      created = created.compose(before -> run(connection, creation)
          .recover(failure -> failures.isDuplicateIndex(failure)
              ? Future.succeededFuture()
              : Future.failedFuture(failure)));
    }
    return created.eventually(() -> run(connection, WAIT_AS_USUAL));
  }

  private Future<Void> run(SqlConnection connection, SqlStatement<@Nullable Void> statement) {
    return connection.query(statements.get(statement).sql()).execute().mapEmpty();
  }

  private String table(String name) {
    return prefix + "_" + name;
  }
}
