package dev.runlane.jobs.postgres.row;

import dev.runlane.postgres.ContentionRetry;
import dev.runlane.postgres.HeldConnections;
import dev.runlane.postgres.PgFailures;
import dev.runlane.timing.Timers;
import io.vertx.core.Future;
import io.vertx.pgclient.PgException;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;

/** Transactions of the store's own, begun again when others kept them from their rows. */
public final class PooledTransactions implements JobTransactions {
  private static final String UNIQUE_VIOLATION = "23505";

  private final ContentionRetry contended;
  private final Pool pool;
  private final JobSession session;

  public PooledTransactions(Timers timers, Pool pool, JobSession session) {
    this.contended = new ContentionRetry(timers, PooledTransactions::mayBeSentAgain);
    this.pool = pool;
    this.session = session;
  }

  @Override
  public <T> Future<T> run(String operation, Function<JobSession, Future<T>> work) {
    return statement(operation, () -> once(work));
  }

  /** One statement, sent again likewise. */
  public <T> Future<T> statement(String operation, Supplier<Future<T>> statement) {
    return contended.run(statement).recover(PgFailures.during(operation));
  }

  /** One try of a statement; empty when others kept it from its rows, for somebody who then does it in parts. */
  public <T> Future<Optional<T>> unlessContended(String operation, Supplier<Future<T>> statement) {
    return statement
        .get()
        .map(Optional::of)
        .recover(failure -> mayBeSentAgain(failure)
            ? Future.succeededFuture(Optional.empty())
            : Future.failedFuture(failure))
        .recover(PgFailures.during(operation));
  }

  /** A transaction for somebody who sends it again himself. */
  public <T> Future<T> once(Function<JobSession, Future<T>> work) {
    return HeldConnections.transaction(pool, connection -> work.apply(session.on(connection)));
  }

  /**
   * A transaction whose statements are sent together, for somebody who sends it again himself. Those that follow one
   * that fails fail as well, so the first failure is the one that counts. What must not happen without the ones
   * before it has to see to that itself: a server that refuses the beginning takes what follows all the same.
   */
  public Future<List<RowSet<Row>>> pipelined(List<SentStatement> statements) {
    return pool.getConnection().map(HeldConnections::withLossHandler).compose(connection -> {
      List<Future<RowSet<Row>>> sent = new ArrayList<>();
      sent.add(connection.query("BEGIN").execute());
      statements.forEach(each -> sent.add(each.send(connection)));
      sent.add(connection.query("COMMIT").execute());
      return Future.join(sent)
          .transform(ended -> connection.close().transform(closed -> firstFailure(sent)))
          .map(all ->
              sent.subList(1, sent.size() - 1).stream().map(Future::result).toList());
    });
  }

  private static Future<Void> firstFailure(List<? extends Future<?>> sent) {
    return sent.stream()
        .filter(Future::failed)
        .findFirst()
        .<Future<Void>>map(failed -> Future.failedFuture(failed.cause()))
        .orElseGet(Future::succeededFuture);
  }

  /** A key that somebody else took meanwhile is seen by the next try. */
  static boolean mayBeSentAgain(Throwable failure) {
    return PgFailures.mayBeSentAgain(failure)
        || isUniqueViolation(failure)
        || failure.getCause() instanceof PlanOutdated;
  }

  public static boolean isUniqueViolation(Throwable failure) {
    return failure instanceof PgException pg && UNIQUE_VIOLATION.equals(pg.getSqlState());
  }
}
