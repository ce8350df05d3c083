package dev.runlane.storage.pg;

import io.vertx.core.Future;
import io.vertx.sqlclient.Tuple;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Makes the capacity row of a partition before it is needed, in a statement of its own. A row stays for
 * ever once it is made, so each process asks once for each partition it remembers.
 */
final class CapacityRows {
  private static final int MOST_REMEMBERED = 100_000;

  private final PgSession session;
  private final String make;
  private final Set<Partition> known = ConcurrentHashMap.newKeySet();

  CapacityRows(PgSession session) {
    this.session = session;
    this.make = session.statements().get("make_capacity");
  }

  Future<Void> ensure(PgSession.Scope scope, Set<Partition> partitions) {
    Set<Partition> missing = new LinkedHashSet<>(partitions);
    missing.removeAll(known);
    if (missing.isEmpty()) {
      return Future.succeededFuture();
    }
    Tuple parameters = Tuple.tuple().addInteger(scope.env());
    new Columns<>(List.copyOf(missing), parameters).texts(Partition::queue).texts(Partition::name);
    return session.execute(make, parameters).map(made -> {
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
