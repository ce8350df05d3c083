package dev.runlane.jobs.postgres;

import dev.runlane.jobs.JobChange;
import dev.runlane.jobs.JobRef;
import dev.runlane.jobs.JobState;
import dev.runlane.jobs.Obliterate;
import dev.runlane.run.RunlaneException;
import dev.runlane.run.StorageConflictKind;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.Tuple;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Takes jobs out of whole queues: open children one by one, since their parents have to be told, others at once. */
final class QueueRemovals {
  private final JobTransactions transactions;
  private final JobMetrics metrics;

  QueueRemovals(JobTransactions transactions, JobMetrics metrics) {
    this.transactions = transactions;
    this.metrics = metrics;
  }

  Future<List<JobChange>> drain(String queue, Instant now) {
    return transactions.run("drain", tx -> discardChildren(tx, queue, false, now)
        .compose(children -> tx.execute("delete_open", Tuple.of(queue)).map(children.changes())));
  }

  /** Removes the open children of a queue, and lets their parents know. */
  private Future<Discarded> discardChildren(
      JobSession tx, String queue, boolean withActive, Instant now) {
    return tx.execute("open_children", Tuple.of(queue, withActive)).compose(rows -> {
      List<JobRef> refs = new ArrayList<>();
      for (Row row : rows) {
        refs.add(new JobRef(queue, row.getString(0)));
      }
      JobWork work = new JobWork(tx, metrics);
      return work.lock(refs).compose(locked -> {
        List<StoredJob> going = work.all().stream()
            .filter(row -> row.job().queueName().equals(queue)
                && !row.job().state().isTerminal()
                && (withActive || row.job().state() != JobState.ACTIVE))
            .toList();
        going.forEach(work::remove); // before anybody is told: parents of this queue do not stay
        List<JobChange> changes = new ArrayList<>();
        going.forEach(row -> changes.addAll(work.discard(row, now)));
        return work.write().map(new Discarded(going, changes));
      });
    });
  }

  Future<List<JobChange>> obliterate(String queue, Obliterate how, Instant now) {
    return transactions.run(
        "obliterate", tx -> tx.execute("count_state", Map.of("state", "active"), Tuple.of(queue))
            .compose(rows -> requireIdle(queue, how, number(rows)))
            .compose(idle -> deleteQueue(tx, queue, how, now, List.of())));
  }

  /**
   * Open children go first, since others have to be told. Those that somebody adds meanwhile are left by the statement
   * that deletes everything, and go in one more round; whatever became active meanwhile is seen when it goes.
   */
  private Future<List<JobChange>> deleteQueue(
      JobSession tx, String queue, Obliterate how, Instant now, List<JobChange> before) {
    return discardChildren(tx, queue, true, now).compose(children -> {
      List<JobChange> changes = new ArrayList<>(before);
      children.changes().stream()
          .filter(change -> !change.queueName().equals(queue))
          .forEach(changes::add);
      return requireIdle(queue, how, children.active())
          .compose(idle -> tx.execute("delete_queue", Tuple.of(queue)))
          .compose(rows -> requireIdle(queue, how, number(rows)))
          .compose(idle -> tx.execute("open_children", Tuple.of(queue, true)))
          .compose(late -> late.size() == 0
              ? Future.succeededFuture(changes)
              : deleteQueue(tx, queue, how, now, changes));
    });
  }

  private static Future<Void> requireIdle(String queue, Obliterate how, long active) {
    return how == Obliterate.FORCED || active == 0
        ? Future.succeededFuture()
        : Future.failedFuture(RunlaneException.conflict(
            StorageConflictKind.JOB_STATE, "queue %s: active jobs exist", queue));
  }

  private static long number(RowSet<Row> rows) {
    return rows.iterator().next().getLong(0);
  }

  /**
   * Open children of a queue that were removed.
   *
   * @param jobs the children
   * @param changes what became of their ancestors
   */
  private record Discarded(List<StoredJob> jobs, List<JobChange> changes) {
    long active() {
      return jobs.stream().filter(row -> row.job().state() == JobState.ACTIVE).count();
    }
  }
}
