package dev.runlane.storage.pg;

import dev.runlane.postgres.PgFailures;
import dev.runlane.postgres.statement.Parameters;
import dev.runlane.postgres.statement.SqlStatement;
import dev.runlane.run.Environment;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.storage.pg.row.PgSession;
import io.vertx.core.Future;
import io.vertx.pgclient.PgConnection;
import io.vertx.pgclient.PgException;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlConnection;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The numbers of environments: given out once by the database, then remembered, until it may be another one that was
 * restored or promoted, where it may have another one.
 */
final class Scopes {
  private static final String OTHER_NUMBERS =
      "it knows environments under other numbers than the database before it";
  private static final Parameters<Environment> OF_ENVIRONMENT =
      new Parameters<Environment>().value("environment_key", Environment::environmentKey);
  private static final SqlStatement<Environment> FIND =
      SqlStatement.of("find_environment", OF_ENVIRONMENT);
  private static final SqlStatement<Environment> CREATE =
      SqlStatement.of("environment", OF_ENVIRONMENT);

  private static final SqlStatement<Set<String>> COMPARE = SqlStatement.of(
      "compare_environments",
      new Parameters<Set<String>>().texts("environment_keys", keys -> keys));

  private static final SqlStatement<PgSession.Scope> LOOK = SqlStatement.of(
      "look_for_environment",
      new Parameters<PgSession.Scope>()
          .value("environment_key", scope -> scope.environment().environmentKey())
          .value("env", PgSession.Scope::env));

  static final List<SqlStatement<?>> STATEMENTS = List.of(FIND, CREATE, COMPARE, LOOK);

  /** Most connections of callers that are remembered; then all are forgotten. */
  private static final int MOST_CONNECTIONS = 10_000;

  private final PgSession session;
  private final long longestWait;
  private final Map<String, Integer> givenOut = new ConcurrentHashMap<>(); // by key, the last one
  private volatile Map<String, PgSession.Scope> known = new ConcurrentHashMap<>();
  private final Map<Server, PgSession.Scope> ofCallers = new ConcurrentHashMap<>();
  private volatile @Nullable Long refusedSince; // in nanoseconds

  /** @param longestWait how long a statement waits for a connection at most */
  Scopes(PgSession session, Duration longestWait) {
    this.session = session;
    this.longestWait = longestWait.toNanos();
  }

  Future<PgSession.Scope> of(Environment environment) {
    PgSession.Scope scope = known.get(environment.environmentKey());
    return scope != null ? Future.succeededFuture(scope) : load(environment, known, 1);
  }

  /** Asks the database again. What was asked before is not remembered when its answer comes. */
  void forget() {
    known = new ConcurrentHashMap<>();
    ofCallers.clear();
  }

  /**
   * The environment as the database behind a connection of the caller's knows it, which need not be the one that gave
   * out the number: one that was restored or promoted, or another one. It is asked once for each connection. Fails with
   * {@code StorageUnavailable} where the environment is not there and the number is another one's.
   */
  Future<PgSession.Scope> on(SqlConnection callers, PgSession.Scope scope) {
    Server server = Server.of(callers, scope);
    PgSession.Scope found = server == null ? null : ofCallers.get(server);
    if (found != null) {
      return Future.succeededFuture(found);
    }
    return session.on(callers).execute(LOOK, scope).map(rows -> {
      PgSession.Scope there = there(rows, scope);
      if (server != null) {
        if (ofCallers.size() >= MOST_CONNECTIONS) {
          ofCallers.clear();
        }
        ofCallers.put(server, there);
      }
      return there;
    });
  }

  private static PgSession.Scope there(RowSet<Row> rows, PgSession.Scope scope) {
    boolean isAnothers = false;
    for (Row row : rows) {
      if (row.getString(1).equals(scope.environment().environmentKey())) {
        return new PgSession.Scope(scope.environment(), row.getInteger(0));
      }
      isAnothers = true;
    }
    if (isAnothers) {
      throw RunlaneException.unavailable(
          ErrorCode.STORAGE_UNAVAILABLE,
          null,
          "the database of the connection has no environment %s, and another one under its number",
          scope.environment().name());
    }
    return scope; // of a transaction that began before the environment was made
  }

  /**
   * Fails where the database behind a connection that was made knows one of the environments under another number than
   * was given out: statements that wait for a connection carry that one, and it may be another environment's there. So
   * does any other connection until they have all failed; who asks for the number then gets the new one.
   */
  Future<Void> check(SqlConnection made) {
    Long since = refusedSince;
    if (since != null && System.nanoTime() - since < longestWait) {
      return Future.failedFuture(OTHER_NUMBERS);
    }
    Map<String, Integer> expected = Map.copyOf(givenOut);
    return expected.isEmpty()
        ? Future.succeededFuture()
        : session
            .on(made)
            .execute(COMPARE, expected.keySet())
            .compose(
                rows -> compared(rows, expected),
                failure ->
                    isAnswer(failure) ? Future.succeededFuture() : Future.failedFuture(failure));
  }

  /** Such as of tables that are gone: who needs them is told. */
  private static boolean isAnswer(Throwable failure) {
    return failure instanceof PgException;
  }

  /** An environment that is not there is made again, under the number that follows from its key. */
  private Future<Void> compared(RowSet<Row> rows, Map<String, Integer> expected) {
    boolean isOther = false;
    for (Row row : rows) {
      String key = row.getString(1);
      if (!row.getInteger(0).equals(expected.get(key))) {
        givenOut.remove(key, expected.get(key));
        isOther = true;
      }
    }
    if (!isOther) {
      return Future.succeededFuture();
    }
    refusedSince = System.nanoTime();
    forget();
    return Future.failedFuture(OTHER_NUMBERS);
  }

  /** A connection, by the process of the server that it leads to, and what was asked. */
  private record Server(int processId, int secretKey, PgSession.Scope scope) {
    /** Null where the connection does not say, or leads through something that says nothing of it. */
    static @Nullable Server of(SqlConnection connection, PgSession.Scope scope) {
      return connection instanceof PgConnection pg && pg.secretKey() != 0
          ? new Server(pg.processId(), pg.secretKey(), scope)
          : null;
    }
  }

  /** Several callers may make the same environment's number at once; who is kept from the row looks again. */
  private Future<PgSession.Scope> load(
      Environment environment, Map<String, PgSession.Scope> loading, int tries) {
    return session
        .execute(FIND, environment)
        .compose(found ->
            found.size() > 0 ? Future.succeededFuture(found) : session.execute(CREATE, environment))
        .compose(rows -> {
          if (rows.size() == 0 && tries < PgSession.MOST_TRIES) {
            return load(environment, loading, tries + 1);
          }
          PgSession.Scope scope =
              new PgSession.Scope(environment, rows.iterator().next().getInteger(0));
          givenOut.put(environment.environmentKey(), scope.env());
          loading.put(environment.environmentKey(), scope);
          return Future.succeededFuture(scope);
        })
        .recover(failure -> PgFailures.mayBeSentAgain(failure) && tries < PgSession.MOST_TRIES
            ? load(environment, loading, tries + 1)
            : Future.failedFuture(
                PgFailures.of("looking up environment " + environment.name(), failure)));
  }
}
