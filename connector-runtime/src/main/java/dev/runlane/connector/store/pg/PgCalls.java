package dev.runlane.connector.store.pg;

import dev.runlane.adapter.AdapterCall;
import dev.runlane.postgres.ContentionRetry;
import dev.runlane.postgres.HeldConnections;
import dev.runlane.postgres.PgFailures;
import dev.runlane.timing.Timers;
import io.vertx.core.Future;
import io.vertx.sqlclient.Pool;
import java.util.function.Function;
import java.util.function.Supplier;

/** Sends the store's statements, again when others kept them from their rows. */
final class PgCalls {
  private final ContentionRetry contended;
  private final Supplier<Future<Opened>> opened;

  PgCalls(Timers timers, Supplier<Future<Opened>> opened) {
    this.contended = new ContentionRetry(timers, PgFailures::mayBeSentAgain);
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
    return call(
        operation,
        checks,
        open -> HeldConnections.transaction(
            open.pool(), connection -> work.apply(open.session().on(connection))));
  }

  private <T> Future<T> call(String operation, Runnable checks, Function<Opened, Future<T>> work) {
    return AdapterCall.of(operation, () -> {
          checks.run();
          return opened.get().compose(open -> contended.run(() -> work.apply(open)));
        })
        .recover(PgFailures.during(operation));
  }
}
