package dev.runlane.storage.pg.write;

import dev.runlane.postgres.statement.Parameters;
import dev.runlane.postgres.statement.SqlStatement;
import dev.runlane.storage.pg.row.PgSession;
import io.vertx.core.Future;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/** Frees slots that expired dispatch reservations still hold in the capacity rows. */
public final class Reservations {
  private static final int ROWS_AT_ONCE = 500;

  private static final SqlStatement<PgSession.Scoped<Map.Entry<String, Instant>>> COLLECT =
      PgSession.statement(
          "collect_reservations",
          new Parameters<Map.Entry<String, Instant>>()
              .value("queue", Map.Entry::getKey)
              .time("now", Map.Entry::getValue)
              .value("limit", queue -> ROWS_AT_ONCE));

  public static final List<SqlStatement<?>> STATEMENTS = List.of(COLLECT);

  private final PgSession session;

  Reservations(PgSession session) {
    this.session = session;
  }

  /** Collects all in each queue as of its instant, part after part; answers how many slots were freed. */
  Future<Long> collect(PgSession.Scope scope, Map<String, Instant> queues) {
    Future<Long> collected = Future.succeededFuture(0L);
    for (Map.Entry<String, Instant> queue : queues.entrySet()) {
      collected = collected.compose(before -> collect(scope, queue, before));
    }
    return collected;
  }

  /** A part that is not full is the last: what is left is somebody else's for now. */
  private Future<Long> collect(
      PgSession.Scope scope, Map.Entry<String, Instant> queue, long before) {
    return session.execute(COLLECT, scope, queue).compose(rows -> {
      long freed = rows.iterator().next().getLong(0);
      return freed == ROWS_AT_ONCE
          ? collect(scope, queue, before + freed)
          : Future.succeededFuture(before + freed);
    });
  }
}
