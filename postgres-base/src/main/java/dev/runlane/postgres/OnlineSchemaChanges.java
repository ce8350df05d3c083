package dev.runlane.postgres;

import dev.runlane.postgres.statement.BoundStatements;
import dev.runlane.postgres.statement.Parameters;
import dev.runlane.postgres.statement.Placeholders;
import dev.runlane.postgres.statement.SchemaName;
import dev.runlane.postgres.statement.SqlStatement;
import dev.runlane.postgres.statement.SqlStatements;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.timing.Timers;
import io.vertx.core.Future;
import io.vertx.pgclient.PgException;
import io.vertx.sqlclient.SqlConnection;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Changes of tables beside those who work with them. Each is a transaction that takes an advisory lock first, so that
 * one process at a time makes it, and waits for a table's lock for 40 ms at most: whoever waits for a table stands in
 * front of every later statement on it. Then it lets everybody else through and comes back after a pause.
 */
public final class OnlineSchemaChanges {
  private static final Logger LOG = LoggerFactory.getLogger(OnlineSchemaChanges.class);
  private static final SqlStatement<String> TRY_LOCK =
      SqlStatement.of("try_lock", new Parameters<String>().value("lock", lock -> lock));
  private static final SqlStatement<@Nullable Void> LOCK_TABLES_BRIEFLY =
      SqlStatement.plain("lock_tables_briefly");
  private static final Duration SHORTEST_PAUSE = Duration.ofMillis(200);
  private static final Duration LONGEST_PAUSE = Duration.ofMillis(700);
  private static final String LOCK_NOT_AVAILABLE = "55P03";
  private static final String ROLLED_BACK = "40"; // a deadlock, or a serialization failure

  private final Timers timers;
  private final Duration timeout;
  private final Connections connections;
  private final String key;
  private final BoundStatements statements;
  private final Duration begun;
  private boolean reported;

  /**
   * @param timers for the pauses
   * @param timeout from now on, after which a change that does not get its locks fails
   * @param connections where the changes are made
   * @param schema whose tables are changed
   * @param key names the advisory lock
   */
  public OnlineSchemaChanges(
      Timers timers, Duration timeout, Connections connections, SchemaName schema, String key) {
    this.timers = timers;
    this.timeout = timeout;
    this.connections = connections;
    this.key = key;
    this.statements = statements(schema);
    this.begun = timers.elapsed();
  }

  private static BoundStatements statements(SchemaName schema) {
    return SqlStatements.load(
            OnlineSchemaChanges.class::getResourceAsStream, schema, "sql/locks.sql")
        .bind(Placeholders.NUMBERED, List.of(TRY_LOCK, LOCK_TABLES_BRIEFLY));
  }

  /** What a script begins the transaction of a change with; it waits for the advisory lock, and for no other. */
  static String locking(SchemaName schema, String key) {
    return """
        SELECT pg_advisory_xact_lock(hashtextextended('%s', 0));
        %s;
        """.formatted(
            key.replace("'", "''"), statements(schema).get(LOCK_TABLES_BRIEFLY).sql());
  }

  /**
   * Makes a change, which looks first whether another process has made it. Fails with a retryable {@link
   * ErrorCode#STORAGE_UNAVAILABLE} when others held the locks all the time, else as Postgres does.
   *
   * @param what the change is called in logs and failures
   */
  public Future<Void> run(String what, Function<SqlConnection, Future<Void>> change) {
    return connections
        .use(connection -> transaction(connection, change))
        .compose(done -> done ? Future.succeededFuture() : again(what, change));
  }

  private Future<Void> again(String what, Function<SqlConnection, Future<Void>> change) {
    if (timers.elapsed().minus(begun).compareTo(timeout) > 0) {
      return Future.failedFuture(RunlaneException.unavailable(
          ErrorCode.STORAGE_UNAVAILABLE,
          null,
          "%s did not get its locks within %s: somebody held one of them all the time",
          what,
          timeout));
    }
    if (!reported) {
      reported = true;
      LOG.info("{} waits for locks that others hold", what);
    }
    long pause =
        ThreadLocalRandom.current().nextLong(SHORTEST_PAUSE.toMillis(), LONGEST_PAUSE.toMillis());
    return timers.after(Duration.ofMillis(pause)).compose(over -> run(what, change));
  }

  /** False when nothing was done, because somebody else held a lock. */
  private Future<Boolean> transaction(
      SqlConnection connection, Function<SqlConnection, Future<Void>> change) {
    return connection.begin().compose(transaction -> locked(connection)
        .compose(mine -> mine ? briefly(connection, change) : Future.succeededFuture(false))
        .compose(done -> transaction.commit().map(done))
        .recover(failure -> transaction
            .rollback()
            .transform((undone, second) -> isContended(failure)
                ? Future.succeededFuture(false)
                : Future.failedFuture(failure))));
  }

  private static boolean isContended(Throwable failure) {
    return failure instanceof PgException pg
        && (LOCK_NOT_AVAILABLE.equals(pg.getSqlState())
            || pg.getSqlState().startsWith(ROLLED_BACK));
  }

  private Future<Boolean> locked(SqlConnection connection) {
    return statements.get(TRY_LOCK).execute(connection, key).map(rows -> rows.iterator()
        .next()
        .getBoolean(0));
  }

  private Future<Boolean> briefly(
      SqlConnection connection, Function<SqlConnection, Future<Void>> change) {
    return connection
        .query(statements.get(LOCK_TABLES_BRIEFLY).sql())
        .execute()
        .compose(set -> change.apply(connection))
        .map(true);
  }

  /** Where changes are made: on one connection, or on whichever a pool has. */
  @FunctionalInterface
  public interface Connections {
    /** A connection for as long as the work lasts; between two tries it may be somebody else's. */
    Future<Boolean> use(Function<SqlConnection, Future<Boolean>> work);
  }
}
