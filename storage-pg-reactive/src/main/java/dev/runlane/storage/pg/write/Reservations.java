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

  /** Collects in each queue as of its instant; answers how many slots were freed. */
  Future<Long> collect(PgSession.Scope scope, Map<String, Instant> queues) {
    Future<Long> collected = Future.succeededFuture(0L);
    for (Map.Entry<String, Instant> queue : queues.entrySet()) {
      collected = collected.compose(before -> session
          .execute(COLLECT, scope, queue)
          .map(rows -> before + rows.iterator().next().getLong(0)));
    }
    return collected;
  }
}
