package dev.runlane.postgres;

import dev.runlane.testinfra.postgres.PostgresAddress;
import dev.runlane.testinfra.postgres.PostgresServers;
import dev.runlane.testinfra.postgres.ReusedSessions;
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
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A database of the shared server that nobody else has meanwhile, and a Vert.x to use it with. */
public final class Database implements AutoCloseable {
  private static final long PATIENCE_SECONDS = 30;
  private static final String DROP_SCHEMAS = """
      SET client_min_messages = warning;
      DO $$ DECLARE name text; BEGIN
        FOR name IN SELECT nspname FROM pg_namespace
            WHERE nspname !~ '^pg_' AND nspname NOT IN ('public', 'information_schema') LOOP
          EXECUTE format('DROP SCHEMA %I CASCADE', name);
        END LOOP;
      END $$""";

  private final Vertx vertx = Vertx.vertx();
  private final PostgresAddress address;
  private final boolean isEmptied;
  private final PgConnectOptions options;
  private final List<PgConnection> connections = new ArrayList<>();
  private @Nullable PgConnection forStatements;

  /** One that nobody has had. */
  public Database() {
    this(PostgresServers.shared().createDatabase("postgres_base"));
  }

  private Database(PostgresAddress address) {
    this(address, address);
  }

  private Database(PostgresAddress address, PostgresAddress way) {
    this.address = address;
    this.isEmptied = address != way;
    this.options = PgConnectOptions.fromUri(way.toUri());
  }

  /** One for cases that make schemas alone, of which each leaves it without any; by sessions that others have left. */
  public static Database withoutSchemas() {
    return new Database(Emptied.ADDRESS, Emptied.SESSIONS.address());
  }

  /** One for cases that leave nothing behind that the next one minds, and are about connections. */
  public static Database shared() {
    return new Database(Shared.ADDRESS);
  }

  private static final class Shared {
    static final PostgresAddress ADDRESS = PostgresServers.shared().createDatabase("postgres_base");
  }

  private static final class Emptied {
    static final PostgresAddress ADDRESS = PostgresServers.shared().createDatabase("postgres_base");
    static final ReusedSessions SESSIONS = new ReusedSessions(ADDRESS);
  }

  public Vertx vertx() {
    return vertx;
  }

  public PgConnectOptions options() {
    return new PgConnectOptions(options);
  }

  /** For a role that the case makes: a session that others have left would be of its forerunner. */
  public PgConnectOptions optionsOf(String role, String password) {
    return PgConnectOptions.fromUri(address.toUri()).setUser(role).setPassword(password);
  }

  /** A connection that is closed with the database. */
  public PgConnection connect() {
    PgConnection connection = done(PgConnection.connect(vertx, options()));
    connections.add(connection);
    return connection;
  }

  public RowSet<Row> sql(String statements) {
    if (forStatements == null) {
      forStatements = connect();
    }
    return done(forStatements.query(statements).execute());
  }

  public static <T> T done(Future<T> future) {
    try {
      return wait(future);
    } catch (ExecutionException failed) {
      throw new AssertionError("expected success", failed.getCause());
    }
  }

  /** What the first attempt gives that succeeds: a busy machine may miss the deadline of one. */
  public static <T> T inTheEnd(Supplier<Future<T>> attempt) {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
    while (true) {
      try {
        return wait(attempt.get());
      } catch (ExecutionException failed) {
        if (System.nanoTime() - deadline > 0) {
          throw new AssertionError("no attempt succeeded", failed.getCause());
        }
      }
    }
  }

  public static Throwable failure(Future<?> future) {
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
    closeConnections();
    if (isEmptied) {
      sql(DROP_SCHEMAS);
      closeConnections();
    }
    done(vertx.close());
  }

  private void closeConnections() {
    connections.forEach(connection -> done(connection.close()));
    connections.clear();
    forStatements = null;
  }
}
