package dev.runlane.postgres;

import io.vertx.core.Future;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.TransactionRollbackException;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Connections somebody holds for longer than a statement. The driver prints the loss of one that has no
 * handler for it, with its stack trace, to standard error ({@code SqlConnectionBase.handleException} of
 * vertx-sql-client 5.0.8); here the statement that fails with the loss reports it.
 */
public final class HeldConnections {
  private static final Logger LOG = LoggerFactory.getLogger(HeldConnections.class);

  private HeldConnections() {}

  /** The same connection, whose loss is no more than a debug line. */
  public static <C extends SqlConnection> C withLossHandler(C connection) {
    connection.exceptionHandler(lost -> LOG.debug("a held connection was lost", lost));
    return connection;
  }

  /** A connection of the pool for as long as the work lasts. */
  public static <T> Future<T> use(Pool pool, Function<SqlConnection, Future<T>> work) {
    return pool.withConnection(connection -> work.apply(withLossHandler(connection)));
  }

  /**
   * The work in a transaction of its own on a connection of the pool: committed when the work succeeds, rolled
   * back when it fails. A failed commit over a lost connection may have happened all the same.
   */
  public static <T> Future<T> transaction(Pool pool, Function<SqlConnection, Future<T>> work) {
    return use(pool, connection -> connection.begin().compose(transaction -> work.apply(connection)
        .compose(
            done -> transaction.commit().map(done),
            failure -> failure instanceof TransactionRollbackException
                ? Future.failedFuture(failure)
                : transaction
                    .rollback()
                    .transform((undone, second) -> Future.failedFuture(failure)))));
  }
}
