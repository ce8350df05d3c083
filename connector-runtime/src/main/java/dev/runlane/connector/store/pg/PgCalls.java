package dev.runlane.connector.store.pg;

import dev.runlane.adapter.AdapterCall;
import dev.runlane.postgres.ContentionRetry;
import dev.runlane.postgres.HeldConnections;
import dev.runlane.postgres.PgFailures;
import dev.runlane.postgres.statement.BoundStatements;
import dev.runlane.run.ErrorCode;
import dev.runlane.timing.Timers;
import io.vertx.core.Future;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.SqlConnection;
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
  record Opened(Pool pool, BoundStatements statements, EnvironmentNumber environment) {
    /**
     * On this connection, in the environment as the database behind it knows it: it was forgotten where the connection
     * is a new one.
     */
    Future<PgSession> on(SqlConnection connection) {
      return environment.on(connection).map(number -> session(connection, number));
    }

    private Future<PgSession> within(SqlConnection connection) {
      return environment.within(connection).map(number -> session(connection, number));
    }

    private PgSession session(SqlConnection connection, int number) {
      return new PgSession(connection, statements, number);
    }
  }

  /** One statement, which is its own transaction. */
  <T> Future<T> statement(String operation, Runnable checks, Function<PgSession, Future<T>> work) {
    return call(
        operation,
        checks,
        open ->
            HeldConnections.use(open.pool(), connection -> open.on(connection).compose(work)));
  }

  /** Several statements that stand or fall together. */
  <T> Future<T> transaction(
      String operation, Runnable checks, Function<PgSession, Future<T>> work) {
    return call(
        operation,
        checks,
        open -> HeldConnections.transaction(
            open.pool(), connection -> open.within(connection).compose(work)));
  }

  private <T> Future<T> call(String operation, Runnable checks, Function<Opened, Future<T>> work) {
    return AdapterCall.of(operation, () -> {
          checks.run();
          return opened.get().compose(open -> contended
              .run(() -> work.apply(open))
              .recover(failure -> failed(open, failure)));
        })
        .recover(PgFailures.during(operation));
  }

  private static <T> Future<T> failed(Opened open, Throwable failure) {
    if (PgFailures.of("", failure).code()
        == ErrorCode.INTERNAL_ERROR) { // such as a table that is not there any more
      open.environment().forget();
    }
    return Future.failedFuture(failure);
  }
}
