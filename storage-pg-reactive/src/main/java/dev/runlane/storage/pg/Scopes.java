package dev.runlane.storage.pg;

import dev.runlane.postgres.PgFailures;
import dev.runlane.postgres.statement.Parameters;
import dev.runlane.postgres.statement.SqlStatement;
import dev.runlane.run.Environment;
import dev.runlane.storage.pg.row.PgSession;
import io.vertx.core.Future;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The numbers of environments: given out once by the database, then remembered, until it may be another one that was
 * restored or promoted, where it may have another one.
 */
final class Scopes {
  private static final Parameters<Environment> OF_ENVIRONMENT =
      new Parameters<Environment>().value("environment_key", Environment::environmentKey);
  private static final SqlStatement<Environment> FIND =
      SqlStatement.of("find_environment", OF_ENVIRONMENT);
  private static final SqlStatement<Environment> CREATE =
      SqlStatement.of("environment", OF_ENVIRONMENT);

  static final List<SqlStatement<?>> STATEMENTS = List.of(FIND, CREATE);

  private final PgSession session;
  private volatile Map<String, PgSession.Scope> known = new ConcurrentHashMap<>();

  Scopes(PgSession session) {
    this.session = session;
  }

  Future<PgSession.Scope> of(Environment environment) {
    PgSession.Scope scope = known.get(environment.environmentKey());
    return scope != null ? Future.succeededFuture(scope) : load(environment, known, 1);
  }

  /** Asks the database again. What was asked before is not remembered when its answer comes. */
  void forget() {
    known = new ConcurrentHashMap<>();
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
          loading.put(environment.environmentKey(), scope);
          return Future.succeededFuture(scope);
        })
        .recover(failure -> PgFailures.mayBeSentAgain(failure) && tries < PgSession.MOST_TRIES
            ? load(environment, loading, tries + 1)
            : Future.failedFuture(
                PgFailures.of("looking up environment " + environment.name(), failure)));
  }
}
