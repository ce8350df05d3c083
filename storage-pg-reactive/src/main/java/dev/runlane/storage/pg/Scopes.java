package dev.runlane.storage.pg;

import dev.runlane.postgres.PgFailures;
import dev.runlane.run.Environment;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.util.Iterator;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The numbers of environments: given out once by the database, then remembered for the life of the process. */
final class Scopes {
  private final PgSession session;
  private final String find;
  private final String create;
  private final Map<String, PgSession.Scope> known = new ConcurrentHashMap<>();

  Scopes(PgSession session) {
    this.session = session;
    this.find = session.statements().get("find_environment");
    this.create = session.statements().get("environment");
  }

  Future<PgSession.Scope> of(Environment environment) {
    PgSession.Scope scope = known.get(environment.environmentKey());
    return scope != null ? Future.succeededFuture(scope) : look(environment, 1);
  }

  /** Several callers may make the same environment's number at once; who is kept from the row looks again. */
  private Future<PgSession.Scope> look(Environment environment, int tries) {
    Tuple key = Tuple.of(environment.environmentKey());
    return session
        .execute(find, key)
        .compose(found ->
            found.size() > 0 ? Future.succeededFuture(found) : session.execute(create, key))
        .map(rows -> {
          Iterator<Row> row = rows.iterator();
          PgSession.Scope scope = new PgSession.Scope(environment, row.next().getInteger(0));
          known.put(environment.environmentKey(), scope);
          return scope;
        })
        .recover(failure -> PgFailures.mayBeSentAgain(failure) && tries < PgParts.MOST_TRIES
            ? look(environment, tries + 1)
            : Future.failedFuture(
                PgFailures.of("looking up environment " + environment.name(), failure)));
  }
}
