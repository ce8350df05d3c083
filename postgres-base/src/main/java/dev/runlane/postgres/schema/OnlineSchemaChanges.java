package dev.runlane.postgres.schema;

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
 *
 * <p>An autovacuum does not end for somebody who waits 40 ms. Where it alone has kept a change waiting for 2 minutes,
 * one try a minute waits for as long as Postgres takes to end it, a little more than {@code deadlock_timeout}, and so
 * long stands in front of others.
 */
public final class OnlineSchemaChanges {
  private static final Logger LOG = LoggerFactory.getLogger(OnlineSchemaChanges.class);
  private static final SqlStatement<String> TRY_LOCK =
      SqlStatement.of("try_lock", new Parameters<String>().value("lock", lock -> lock));
  private static final SqlStatement<@Nullable Void> LOCK_TABLES_BRIEFLY =
      SqlStatement.plain("lock_tables_briefly");
  private static final SqlStatement<@Nullable Void> LOCK_TABLES_PAST_AUTOVACUUM =
      SqlStatement.plain("lock_tables_past_autovacuum");
  private static final SqlStatement<OnlineSchemaChanges> LOCK_HOLDERS = SqlStatement.of(
      "lock_holders",
      new Parameters<OnlineSchemaChanges>()
          .value("schema_name", changes -> changes.schema.value())
          .value("lock", changes -> changes.key));
  private static final Duration SHORTEST_PAUSE = Duration.ofMillis(200);
  private static final Duration LONGEST_PAUSE = Duration.ofMillis(700);
  private static final Duration HOLDERS_TOLD_AFTER = Duration.ofMinutes(1);
  private static final Duration AUTOVACUUM_ENDED_AFTER = Duration.ofMinutes(2);
  private static final Duration AUTOVACUUM_ENDED_EVERY = Duration.ofMinutes(1);
  private static final String LOCK_NOT_AVAILABLE = "55P03";
  private static final String ROLLED_BACK = "40"; // a deadlock, or a serialization failure

  private final Timers timers;
  private final Duration timeout;
  private final Connections connections;
  private final SchemaName schema;
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
    this.schema = schema;
    this.key = key;
    this.statements = statements(schema);
    this.begun = timers.elapsed();
  }

  private static BoundStatements statements(SchemaName schema) {
    return SqlStatements.load(
            OnlineSchemaChanges.class::getResourceAsStream, schema, "sql/locks.sql")
        .bind(
            Placeholders.NUMBERED,
            List.of(TRY_LOCK, LOCK_TABLES_BRIEFLY, LOCK_TABLES_PAST_AUTOVACUUM, LOCK_HOLDERS));
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
   * ErrorCode#STORAGE_UNAVAILABLE} that names who had the locks when others had them all the time, else as Postgres
   * does.
   *
   * @param what the change is called in logs and failures
   */
  public Future<Void> run(String what, Function<SqlConnection, Future<Void>> change) {
    return new Change(what, change).make();
  }

  /** Whether a try may wait until an autovacuum has been ended. */
  static boolean endsAutovacuum(
      Duration waited, @Nullable Duration sinceLastTime, LockHolders holders) {
    return waited.compareTo(AUTOVACUUM_ENDED_AFTER) >= 0
        && (sinceLastTime == null || sinceLastTime.compareTo(AUTOVACUUM_ENDED_EVERY) >= 0)
        && holders.allYield();
  }

  private static boolean isContended(Throwable failure) {
    return failure instanceof PgException pg
        && (LOCK_NOT_AVAILABLE.equals(pg.getSqlState())
            || pg.getSqlState().startsWith(ROLLED_BACK));
  }

  /** One change, until it is made or given up. */
  private final class Change {
    private final String what;
    private final Function<SqlConnection, Future<Void>> change;
    private final Duration firstTried = timers.elapsed();
    private LockHolders holders = LockHolders.UNKNOWN;
    private boolean holdersTold;
    private @Nullable Duration autovacuumEndedAt;

    Change(String what, Function<SqlConnection, Future<Void>> change) {
      this.what = what;
      this.change = change;
    }

    Future<Void> make() {
      SqlStatement<@Nullable Void> patience = patience();
      return connections
          .use(connection -> transaction(connection, patience)
              .compose(done -> done ? Future.succeededFuture(true) : look(connection)))
          .compose(done -> done ? Future.succeededFuture() : again());
    }

    private SqlStatement<@Nullable Void> patience() {
      Duration now = timers.elapsed();
      Duration sinceLastTime = autovacuumEndedAt == null ? null : now.minus(autovacuumEndedAt);
      if (!endsAutovacuum(now.minus(firstTried), sinceLastTime, holders)) {
        return LOCK_TABLES_BRIEFLY;
      }
      autovacuumEndedAt = now;
      LOG.info("{} waits until Postgres ends an autovacuum: {}", what, holders);
      return LOCK_TABLES_PAST_AUTOVACUUM;
    }

    /** False when nothing was done, because somebody else held a lock. */
    private Future<Boolean> transaction(
        SqlConnection connection, SqlStatement<@Nullable Void> patience) {
      return connection.begin().compose(transaction -> locked(connection)
          .compose(mine -> mine ? changed(connection, patience) : Future.succeededFuture(false))
          .compose(done -> transaction.commit().map(done))
          .recover(failure -> transaction
              .rollback()
              .transform((undone, second) -> isContended(failure)
                  ? Future.succeededFuture(false)
                  : Future.failedFuture(failure))));
    }

    private Future<Boolean> locked(SqlConnection connection) {
      return statements.get(TRY_LOCK).execute(connection, key).map(rows -> rows.iterator()
          .next()
          .getBoolean(0));
    }

    private Future<Boolean> changed(
        SqlConnection connection, SqlStatement<@Nullable Void> patience) {
      return connection
          .query(statements.get(patience).sql())
          .execute()
          .compose(set -> change.apply(connection))
          .map(true);
    }

    /** After a try that came to nothing. A role that may not look waits all the same. */
    private Future<Boolean> look(SqlConnection connection) {
      return statements
          .get(LOCK_HOLDERS)
          .execute(connection, OnlineSchemaChanges.this)
          .transform((rows, failure) -> {
            if (failure == null) {
              holders = holders.after(LockHolders.read(rows));
            } else {
              LOG.debug("{} could not look who holds its locks", what, failure);
            }
            return Future.succeededFuture(false);
          });
    }

    private Future<Void> again() {
      Duration now = timers.elapsed();
      if (now.minus(begun).compareTo(timeout) > 0) {
        return Future.failedFuture(RunlaneException.unavailable(
            ErrorCode.STORAGE_UNAVAILABLE,
            null,
            "%s did not get its locks within %s; last had by: %s",
            what,
            timeout,
            holders));
      }
      if (!reported) {
        reported = true;
        LOG.info("{} waits for locks that others hold", what);
      }
      if (!holdersTold && now.minus(firstTried).compareTo(HOLDERS_TOLD_AFTER) >= 0) {
        holdersTold = true;
        LOG.warn("{} still waits for locks that others hold: {}", what, holders);
      }
      long pause =
          ThreadLocalRandom.current().nextLong(SHORTEST_PAUSE.toMillis(), LONGEST_PAUSE.toMillis());
      return timers.after(Duration.ofMillis(pause)).compose(over -> make());
    }
  }

  /** Where changes are made: on one connection, or on whichever a pool has. */
  @FunctionalInterface
  public interface Connections {
    /** A connection for as long as the work lasts; between two tries it may be somebody else's. */
    Future<Boolean> use(Function<SqlConnection, Future<Boolean>> work);
  }
}
