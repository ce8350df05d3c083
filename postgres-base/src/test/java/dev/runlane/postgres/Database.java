package dev.runlane.postgres;

import dev.runlane.testinfra.postgres.PostgresServers;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.pgclient.PgConnection;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A database of the shared server that nobody else has, and a Vert.x to use it with. */
final class Database implements AutoCloseable {
  private static final long PATIENCE_SECONDS = 30;

  private final Vertx vertx = Vertx.vertx();
  private final PgConnectOptions options = PgConnectOptions.fromUri(
      PostgresServers.shared().createDatabase("postgres_base").toUri());
  private final List<PgConnection> connections = new ArrayList<>();

  Vertx vertx() {
    return vertx;
  }

  PgConnectOptions options() {
    return new PgConnectOptions(options);
  }

  /** A connection that is closed with the database. */
  PgConnection connect() {
    PgConnection connection = done(PgConnection.connect(vertx, options()));
    connections.add(connection);
    return connection;
  }

  RowSet<Row> sql(String statements) {
    PgConnection connection = done(PgConnection.connect(vertx, options()));
    return done(connection.query(statements).execute().eventually(connection::close));
  }

  static <T> T done(Future<T> future) {
    try {
      return wait(future);
    } catch (ExecutionException failed) {
      throw new AssertionError("expected success", failed.getCause());
    }
  }

  static Throwable failure(Future<?> future) {
    try {
      throw new AssertionError("expected a failure, but got " + wait(future));
    } catch (ExecutionException failed) {
      return failed.getCause();
    }
  }

  private static <T> T wait(Future<T> future) throws ExecutionException {
    try {
      return future
          .toCompletionStage()
          .toCompletableFuture()
          .get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    } catch (TimeoutException | InterruptedException never) {
      throw new AssertionError("no outcome within " + PATIENCE_SECONDS + " s", never);
    }
  }

  @Override
  public void close() {
    connections.forEach(connection -> done(connection.close()));
    done(vertx.close());
  }
}
