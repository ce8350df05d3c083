package dev.runlane.steps.sql.mysql;

import dev.runlane.postgres.HeldConnections;
import io.vertx.core.Future;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.SqlConnection;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Transactions that see what others have committed: repeated reads, which these databases have by default,
 * would lock the gaps between rows against everybody's inserts. Inside a transaction that the caller has
 * begun, that one is used as it is.
 */
final class MysqlTransactions {
  private static final String READ_COMMITTED = "SET TRANSACTION ISOLATION LEVEL READ COMMITTED";
  private static final int MOST_TRIES = 5;

  private final Pool pool;
  private final MysqlFailures failures;
  private final @Nullable SqlConnection joined;

  MysqlTransactions(Pool pool, MysqlFailures failures, @Nullable SqlConnection joined) {
    this.pool = pool;
    this.failures = failures;
    this.joined = joined;
  }

  MysqlTransactions joining(SqlConnection connection) {
    return new MysqlTransactions(pool, failures, connection);
  }

  /** For what is one statement. */
  SqlClient client() {
    return joined == null ? pool : joined;
  }

  /** Runs work that is no transaction, on a connection of its own. */
  <T> Future<T> onConnection(Function<SqlConnection, Future<T>> work) {
    return HeldConnections.use(pool, work);
  }

  /** Runs the work once. */
  <T> Future<T> once(Function<SqlConnection, Future<T>> work) {
    SqlConnection present = joined;
    return present == null
        ? HeldConnections.use(pool, connection -> transaction(connection, work))
        : work.apply(present);
  }

  /** Runs the work, a few times over where others were in the way; not inside somebody's transaction. */
  <T> Future<T> repeated(Function<SqlConnection, Future<T>> work) {
    return repeated(work, joined == null ? MOST_TRIES : 1);
  }

  private <T> Future<T> repeated(Function<SqlConnection, Future<T>> work, int tries) {
    return once(work)
        .recover(failure -> tries > 1 && failures.mayBeSentAgain(failure)
            ? repeated(work, tries - 1)
            : Future.failedFuture(failure));
  }

  private static <T> Future<T> transaction(
      SqlConnection connection, Function<SqlConnection, Future<T>> work) {
    return connection
        .query(READ_COMMITTED)
        .execute()
        .compose(set -> connection.begin())
        .compose(transaction -> work.apply(connection)
            .compose(done -> transaction.commit().map(done), failure -> transaction
                .rollback()
                .transform((undone, second) -> Future.failedFuture(failure))));
  }
}
