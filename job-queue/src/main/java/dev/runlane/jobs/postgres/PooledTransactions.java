package dev.runlane.jobs.postgres;

import dev.runlane.postgres.PgFailures;
import dev.runlane.timing.Timers;
import io.vertx.core.Future;
import io.vertx.pgclient.PgException;
import io.vertx.sqlclient.Pool;
import java.time.Duration;
import java.util.function.Function;
import java.util.function.Supplier;

/** Transactions of the store's own, begun again when others kept them from their rows. */
final class PooledTransactions implements JobTransactions {
  private static final int MOST_TRIES = 40;
  private static final long FIRST_PAUSE_MILLIS = 2;
  private static final long LONGEST_PAUSE_MILLIS = 250;
  private static final String UNIQUE_VIOLATION = "23505";

  private final Timers timers;
  private final Pool pool;
  private final JobSession session;

  PooledTransactions(Timers timers, Pool pool, JobSession session) {
    this.timers = timers;
    this.pool = pool;
    this.session = session;
  }

  @Override
  public <T> Future<T> run(String operation, Function<JobSession, Future<T>> work) {
    return again(operation, () -> once(work), 1);
  }

  /** One statement, sent again likewise. */
  <T> Future<T> statement(String operation, Supplier<Future<T>> statement) {
    return again(operation, statement, 1);
  }

  /** A transaction for somebody who sends it again himself. */
  <T> Future<T> once(Function<JobSession, Future<T>> work) {
    return pool.withTransaction(connection -> work.apply(session.on(connection)));
  }

  private <T> Future<T> again(String operation, Supplier<Future<T>> work, int tries) {
    return work.get().recover(failure -> {
      if (tries >= MOST_TRIES || !mayBeSentAgain(failure)) {
        return Future.failedFuture(PgFailures.of(operation, failure));
      }
      long pause = Math.min(LONGEST_PAUSE_MILLIS, FIRST_PAUSE_MILLIS << Math.min(tries, 20));
      return timers
          .after(Duration.ofMillis(pause))
          .compose(over -> again(operation, work, tries + 1));
    });
  }

  /** A key that somebody else took meanwhile is seen by the next try. */
  static boolean mayBeSentAgain(Throwable failure) {
    return PgFailures.mayBeSentAgain(failure) || isUniqueViolation(failure);
  }

  static boolean isUniqueViolation(Throwable failure) {
    return failure instanceof PgException pg && UNIQUE_VIOLATION.equals(pg.getSqlState());
  }
}
