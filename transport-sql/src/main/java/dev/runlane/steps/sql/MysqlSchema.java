package dev.runlane.steps.sql;

import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import io.vertx.core.Future;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.util.List;

/** Creates the tables on MySQL and MariaDB. */
final class MysqlSchema {
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
    return transactions
        .client()
        .preparedQuery(statements.get("find_objects"))
        .execute(Tuple.of(
            table("transport_tasks"),
            table("transport_tasks_order_idx"),
            table("transport_results"),
            table("transport_results_order_idx")))
        .map(rows -> rows.iterator().next().getLong(0) == KEYS_AND_INDEXES);
  }

  /** DDL commits by itself here, so a named lock stands for the transaction. */
  private Future<Void> createMissing() {
    Tuple lock = Tuple.of("runlane " + table("transport"));
    return transactions.onConnection(connection -> connection
        .preparedQuery(statements.get("lock_creation"))
        .execute(lock)
        .compose(rows -> Long.valueOf(1).equals(rows.iterator().next().getLong(0))
            ? createWhatIsMissing(connection)
            : Future.failedFuture(RunlaneException.unavailable(
                ErrorCode.STORAGE_UNAVAILABLE, null, "another process is creating the tables")))
        .eventually(
            () -> connection.preparedQuery(statements.get("unlock_creation")).execute(lock)));
  }

  private Future<Void> createWhatIsMissing(SqlConnection connection) {
    Future<Void> created = Future.succeededFuture();
    for (String name :
        List.of("create_tasks", "create_results", "create_tasks_index", "create_results_index")) {
      created = created.compose(before -> connection
          .query(statements.get(name))
          .execute()
          .<Void>mapEmpty()
          .recover(failure -> failures.isDuplicateIndex(failure)
              ? Future.succeededFuture()
              : Future.failedFuture(failure)));
    }
    return created;
  }

  private String table(String name) {
    return prefix + "_" + name;
  }
}
