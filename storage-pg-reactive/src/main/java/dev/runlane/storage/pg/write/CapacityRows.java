package dev.runlane.storage.pg.write;

import dev.runlane.postgres.Columns;
import dev.runlane.postgres.Parameters;
import dev.runlane.postgres.SqlStatement;
import dev.runlane.storage.pg.row.PgSession;
import io.vertx.core.Future;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Makes the capacity row of a partition before it is needed, in a statement of its own. A row stays for
 * ever once it is made, so each process asks once for each partition it remembers.
 */
public final class CapacityRows {
  private static final int MOST_REMEMBERED = 100_000;

  private static final SqlStatement<PgSession.Scoped<List<Partition>>> MAKE = PgSession.statement(
      "make_capacity",
      new Parameters<List<Partition>>()
          .rows(
              missing -> missing,
              new Columns<Partition>()
                  .texts("queues", Partition::queue)
                  .texts("partitions", Partition::name)));

  public static final List<SqlStatement<?>> STATEMENTS = List.of(MAKE);

  private final PgSession session;
  private final Set<Partition> known = ConcurrentHashMap.newKeySet();

  public CapacityRows(PgSession session) {
    this.session = session;
  }

  Future<Void> ensure(PgSession.Scope scope, Set<Partition> partitions) {
    Set<Partition> missing = new LinkedHashSet<>(partitions);
    missing.removeAll(known);
    if (missing.isEmpty()) {
      return Future.succeededFuture();
    }
    return session.execute(MAKE, scope, List.copyOf(missing)).map(made -> {
      if (known.size() + missing.size() > MOST_REMEMBERED) {
        known.clear();
      }
      known.addAll(missing);
      return null;
    });
  }

  /**
   * @param env the environment's number
   * @param queue a bounded queue
   * @param name the concurrency key, empty where there is none
   */
  record Partition(int env, String queue, String name) {}
}
