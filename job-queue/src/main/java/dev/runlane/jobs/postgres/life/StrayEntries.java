package dev.runlane.jobs.postgres.life;

import dev.runlane.jobs.postgres.row.JobSession;
import dev.runlane.jobs.postgres.row.PooledTransactions;
import dev.runlane.postgres.statement.Parameters;
import dev.runlane.postgres.statement.SqlStatement;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Removes entries of jobs that are gone. A line that is being written while another statement removes its job is not
 * seen by that statement, which waits for the job's row alone. A job that is added under the id of one that is gone
 * removes them itself.
 */
public final class StrayEntries {
  private static final int MOST_LOOKED_AT = 1_000;

  private static final SqlStatement<Walk> REMOVE = SqlStatement.of(
      "remove_stray_entries",
      new Parameters<Walk>()
          .value("queue", Walk::queue)
          .value("after_id", Walk::afterId)
          .value("limit", walk -> MOST_LOOKED_AT));

  public static final List<SqlStatement<?>> STATEMENTS = List.of(REMOVE);

  private final JobSession session;
  private final PooledTransactions transactions;
  private final Map<String, String> lookedAt = new ConcurrentHashMap<>(); // the last job by queue

  public StrayEntries(JobSession session, PooledTransactions transactions) {
    this.session = session;
    this.transactions = transactions;
  }

  /** Looks at a bounded number of a queue's jobs, from where the call before ended. */
  public Future<Void> remove(String queue) {
    Walk walk = new Walk(queue, lookedAt.getOrDefault(queue, ""));
    return transactions
        .statement("removeExpiredJobs", () -> session.execute(REMOVE, walk))
        .map(rows -> {
          Row row = rows.iterator().next();
          @Nullable String last = row.getString(0);
          lookedAt.compute(queue, (key, before) -> last);
          return null;
        });
  }

  private record Walk(String queue, String afterId) {}
}
