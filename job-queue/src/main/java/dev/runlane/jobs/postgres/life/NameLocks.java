package dev.runlane.jobs.postgres.life;

import dev.runlane.jobs.postgres.row.AdvisoryKey;
import dev.runlane.jobs.postgres.row.JobSession;
import dev.runlane.postgres.statement.Columns;
import dev.runlane.postgres.statement.Parameters;
import dev.runlane.postgres.statement.SqlStatement;
import io.vertx.core.Future;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Locks of what jobs share by name: deduplication keys, and groups of a bounded size. Taken before any row is locked,
 * and held until the transaction ends.
 *
 * <p>Each lock takes a place in a table that all sessions of the server share, of 6 400 by default
 * (max_locks_per_transaction times max_connections). So a call with many names of a queue takes one lock instead, which
 * excludes all others of that queue: those share it.
 */
public final class NameLocks {
  /** The most names of a queue that are locked one by one. */
  public static final int MOST = 256;

  /** In the order given. */
  static final SqlStatement<List<Lock>> LOCK_NAMES = SqlStatement.of(
      "lock_names",
      new Parameters<List<Lock>>()
          .rows(
              locks -> locks,
              new Columns<Lock>().longs("numbers", Lock::number).flags("shared", Lock::isShared)));

  private NameLocks() {}

  /** Of these names by queue; those of queues first, each in one order, so that nobody waits in a circle. */
  static Future<Void> take(JobSession session, Map<String, Set<Name>> names) {
    Comparator<Lock> order = Comparator.comparing(Lock::number);
    List<Lock> locks = Stream.concat(
            names.entrySet().stream()
                .map(each -> new Lock(
                    AdvisoryKey.of(session.scope(), "queue", each.getKey()),
                    each.getValue().size() <= MOST))
                .sorted(order),
            names.entrySet().stream()
                .filter(each -> each.getValue().size() <= MOST)
                .flatMap(each -> each.getValue().stream()
                    .map(name ->
                        AdvisoryKey.of(session.scope(), name.kind(), each.getKey(), name.text())))
                .distinct()
                .map(number -> new Lock(number, false))
                .sorted(order))
        .toList();
    return locks.isEmpty()
        ? Future.succeededFuture()
        : session.execute(LOCK_NAMES, locks).mapEmpty();
  }

  /** Of one deduplication key. */
  public static Future<Void> takeKey(JobSession session, String queue, String key) {
    return take(session, Map.of(queue, Set.of(Name.key(key))));
  }

  /** What is locked. */
  record Name(String kind, String text) {
    static Name key(String text) {
      return new Name("key", text);
    }

    static Name group(String text) {
      return new Name("group", text);
    }
  }

  /** An advisory lock. */
  record Lock(long number, boolean isShared) {}
}
