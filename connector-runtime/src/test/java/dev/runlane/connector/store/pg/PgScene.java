package dev.runlane.connector.store.pg;

import static dev.runlane.connector.store.StoreCase.done;

import dev.runlane.connector.store.StoreCase;
import dev.runlane.run.RunlaneException;
import dev.runlane.testinfra.postgres.PostgresAddress;
import dev.runlane.testinfra.postgres.PostgresServers;
import dev.runlane.testinfra.postgres.ReusedSchemas;
import dev.runlane.testinfra.postgres.ReusedSessions;
import dev.runlane.testinfra.process.Poll;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.pgclient.PgConnection;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

/** Stores on schemas that nobody else uses at the time. */
public final class PgScene implements AutoCloseable {
  private static final PostgresAddress DATABASE =
      PostgresServers.shared().createDatabase("connectors");

  /** A case opens some five connections: to start a server process for each takes longer than the case. */
  private static final ReusedSessions SESSIONS = new ReusedSessions(DATABASE);

  private static final Duration PATIENCE = Duration.ofMinutes(1);
  private static final AtomicInteger SCHEMAS = new AtomicInteger();
  private static final ReusedSchemas REUSED = new ReusedSchemas("reused_");

  private final Vertx vertx = Vertx.vertx();
  private final List<PgConnectorStore> stores = new ArrayList<>();
  private final List<PgConnectorStoreOptions> reused = new ArrayList<>();
  private final PostgresAddress way;

  public PgScene() {
    this(SESSIONS.address());
  }

  private PgScene(PostgresAddress way) {
    this.way = way;
  }

  /** By the server's own address, for what is about connections. */
  static PgScene direct() {
    return new PgScene(DATABASE);
  }

  public Vertx vertx() {
    return vertx;
  }

  /** Of a schema of its own. */
  public PgConnectorStoreOptions options() {
    return new PgConnectorStoreOptions()
        .setConnectOptions(PgConnectOptions.fromUri(way.toUri()))
        .setSchema("case_" + SCHEMAS.incrementAndGet());
  }

  /** Of a schema without rows, whose tables may be there already: for cases that change no table. */
  public PgConnectorStoreOptions reused() {
    PgConnectorStoreOptions options = options().setSchema(REUSED.take());
    reused.add(options);
    return options;
  }

  public PgConnectorStore connected(PgConnectorStoreOptions options) {
    PgConnectorStore store = PgConnectorStore.create(vertx, options);
    stores.add(store);
    inTheEnd(store::connect);
    return store;
  }

  /** Tries again, for a minute at most, while the store is unavailable: a busy machine may meet short deadlines. */
  static <T> T inTheEnd(Supplier<Future<T>> attempt) {
    AtomicReference<Future<T>> last = new AtomicReference<>();
    Poll.until(PATIENCE, () -> {
      last.set(attempt.get());
      return done(last.get()
          .transform((answer, failure) -> Future.succeededFuture(
              !(failure instanceof RunlaneException ours) || !ours.isRetryable())));
    });
    return done(last.get());
  }

  public StoreCase open() {
    PgConnectorStore store = connected(reused());
    return new StoreCase(store, store.records());
  }

  Future<PgConnection> connect() {
    return PgConnection.connect(vertx, options().getConnectOptions());
  }

  /** Statements of the test's own; {@code {s}} is the schema. */
  RowSet<Row> sql(PgConnectorStoreOptions options, String statements) {
    return done(connect().compose(connection -> connection
        .query(statements.replace("{s}", options.getSchema()))
        .execute()
        .eventually(connection::close)));
  }

  @Override
  public void close() {
    done(Future.join(stores.stream().map(PgConnectorStore::close).toList()));
    for (PgConnectorStoreOptions each : reused) {
      sql(each, ReusedSchemas.emptying(each.getSchema()));
      REUSED.giveBack(each.getSchema());
    }
    done(vertx.close());
  }
}
