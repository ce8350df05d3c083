package dev.runlane.connector.store.pg;

import dev.runlane.adapter.AdapterCall;
import dev.runlane.postgres.PgFailures;
import dev.runlane.timing.Timers;
import io.vertx.core.Future;
import io.vertx.sqlclient.Pool;
import java.time.Duration;
import java.util.function.Function;
import java.util.function.Supplier;

/** Sends the store's statements, again when others kept them from their rows. */
final class PgCalls {
  private static final int MOST_TRIES = 40;
  private static final long FIRST_PAUSE_MILLIS = 2;
  private static final long LONGEST_PAUSE_MILLIS = 250;

  private final Timers timers;
  private final Supplier<Future<Opened>> opened;

  PgCalls(Timers timers, Supplier<Future<Opened>> opened) {
    this.timers = timers;
    this.opened = opened;
  }

  /** What an open store has. */
  record Opened(Pool pool, PgSession session) {}

  /** One statement, which is its own transaction. */
  <T> Future<T> statement(String operation, Runnable checks, Function<PgSession, Future<T>> work) {
    return call(operation, checks, open -> work.apply(open.session()));
  }

  /** Several statements that stand or fall together. */
  <T> Future<T> transaction(
      String operation, Runnable checks, Function<PgSession, Future<T>> work) {
    return call(operation, checks, open -> open.pool()
        .withTransaction(connection -> work.apply(open.session().on(connection))));
  }

  private <T> Future<T> call(String operation, Runnable checks, Function<Opened, Future<T>> work) {
    return AdapterCall.of(operation, () -> {
          checks.run();
          return opened.get().compose(open -> again(() -> work.apply(open), 1));
        })
        .recover(PgFailures.during(operation));
  }

  private <T> Future<T> again(Supplier<Future<T>> work, int tries) {
    return work.get().recover(failure -> {
      if (tries >= MOST_TRIES || !PgFailures.mayBeSentAgain(failure)) {
        return Future.failedFuture(failure);
      }
      long pause = Math.min(LONGEST_PAUSE_MILLIS, FIRST_PAUSE_MILLIS << Math.min(tries, 20));
      return timers.after(Duration.ofMillis(pause)).compose(over -> again(work, tries + 1));
    });
  }
}
