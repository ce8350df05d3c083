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
  private final Map<String, PgSession.Scope> known;

  Scopes(PgSession session) {
    this(session, new ConcurrentHashMap<>());
  }

  private Scopes(PgSession session, Map<String, PgSession.Scope> known) {
    this.session = session;
    this.find = session.statements().get("find_environment");
    this.create = session.statements().get("environment");
    this.known = known;
  }

  Future<PgSession.Scope> of(Environment environment) {
    PgSession.Scope scope = known.get(environment.environmentKey());
    return scope != null ? Future.succeededFuture(scope) : look(environment);
  }

  private Future<PgSession.Scope> look(Environment environment) {
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
        .recover(PgFailures.during("looking up environment " + environment.name()));
  }
}
