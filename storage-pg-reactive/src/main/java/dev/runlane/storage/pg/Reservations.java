package dev.runlane.storage.pg;

import io.vertx.core.Future;
import io.vertx.sqlclient.Tuple;
import java.time.Instant;
import java.util.Map;

/** Frees slots that expired dispatch reservations still hold in the capacity rows. */
final class Reservations {
  private static final int ROWS_AT_ONCE = 500;

  private final PgSession session;
  private final String collect;

  Reservations(PgSession session) {
    this.session = session;
    this.collect = session.statements().get("collect_reservations");
  }

  /** Collects in each queue as of its instant; answers how many slots were freed. */
  Future<Long> collect(PgSession.Scope scope, Map<String, Instant> queues) {
    Future<Long> collected = Future.succeededFuture(0L);
    for (Map.Entry<String, Instant> queue : queues.entrySet()) {
      Tuple parameters =
          Tuple.of(scope.env(), queue.getKey(), Columns.utc(queue.getValue()), ROWS_AT_ONCE);
      collected = collected.compose(before -> session
          .execute(collect, parameters)
          .map(rows -> before + rows.iterator().next().getLong(0)));
    }
    return collected;
  }
}
