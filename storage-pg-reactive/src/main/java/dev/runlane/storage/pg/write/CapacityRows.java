package dev.runlane.storage.pg.write;

import dev.runlane.postgres.statement.Columns;
import dev.runlane.postgres.statement.Parameters;
import dev.runlane.postgres.statement.SqlStatement;
import dev.runlane.storage.pg.row.PgSession;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Makes the capacity row of a partition before it is needed, in a statement of its own. A row stays for a day
 * at least once that was asked for, so each process asks once an hour for each partition it remembers. A database that
 * was restored or promoted may not have it, and a named run is not claimed without.
 */
public final class CapacityRows {
  private static final int MOST_REMEMBERED = 100_000;
  private static final long REMEMBERED_NANOS = TimeUnit.HOURS.toNanos(1);

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
  private final LongSupplier nanoTime;
  private volatile Map<Partition, Long> askedAt = new ConcurrentHashMap<>();

  /** @param nanoTime a clock that only goes on, as {@link System#nanoTime()} */
  public CapacityRows(PgSession session, LongSupplier nanoTime) {
    this.session = session;
    this.nanoTime = nanoTime;
  }

  /** Asks for each partition again. */
  public void forget() {
    askedAt = new ConcurrentHashMap<>();
  }

  Future<Void> ensure(PgSession.Scope scope, Set<Partition> partitions) {
    long now = nanoTime.getAsLong();
    Map<Partition, Long> remembered = askedAt;
    List<Partition> missing = partitions.stream()
        .filter(partition -> !isRemembered(remembered.get(partition), now))
        .toList();
    if (missing.isEmpty()) {
      return Future.succeededFuture();
    }
    return session.execute(MAKE, scope, missing).map(staying -> {
      if (remembered.size() + missing.size() > MOST_REMEMBERED) {
        remembered.clear();
      }
      for (Row row : staying) {
        remembered.put(new Partition(scope.env(), row.getString(0), row.getString(1)), now);
      }
      return null;
    });
  }

  private static boolean isRemembered(@Nullable Long asked, long now) {
    return asked != null && now - asked < REMEMBERED_NANOS;
  }

  /**
   * @param env the environment's number
   * @param queue a bounded queue
   * @param name the concurrency key, empty where there is none
   */
  record Partition(int env, String queue, String name) {}
}
