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
import java.util.function.Function;

/**
 * Takes jobs out of whole queues. Many go in parts, each a transaction of its own, parents before their children: so
 * no parent that is to go learns of a child, whenever the process ends. What is left then goes in one transaction,
 * which sees to what others did meanwhile: open children one by one, since their parents have to be told, others at
 * once.
 */
final class QueueRemovals {
  private static final Map<String, String> WAITING_CHILDREN =
      Map.of("which", "j.state = 'waiting-children'", "order", "j.queue, j.created_at");
  private static final Map<String, String> DELAYED =
      Map.of("which", "j.state = 'delayed'", "order", "j.queue, j.delay_until");
  private static final Map<String, String> WAITING = Map.of(
      "which",
      "j.state = 'waiting' AND j.group_id IS NULL",
      "order",
      "j.queue, j.priority, j.place");
  private static final Map<String, String> WAITING_GROUPED = Map.of(
      "which",
      "j.state = 'waiting' AND j.group_id IS NOT NULL",
      "order",
      "j.queue, j.priority, j.place");
  private static final Map<String, String> ACTIVE =
      Map.of("which", "j.state = 'active'", "order", "j.queue, j.group_id");
  private static final Map<String, String> COMPLETED =
      Map.of("which", "j.state = 'completed'", "order", "j.queue, j.completed_at");
  private static final Map<String, String> FAILED =
      Map.of("which", "j.state = 'failed'", "order", "j.queue, j.failed_at");

  /** What a worker does not have and has not ended; parents that wait for children first. */
  private static final List<Map<String, String>> OPEN =
      List.of(WAITING_CHILDREN, DELAYED, WAITING, WAITING_GROUPED);

  private static final List<Map<String, String>> ENDED = List.of(COMPLETED, FAILED);

  private final JobTransactions transactions;
  private final JobMetrics metrics;

  QueueRemovals(JobTransactions transactions, JobMetrics metrics) {
    this.transactions = transactions;
    this.metrics = metrics;
  }

  Future<List<JobChange>> drain(String queue, Instant now) {
    Removal drain = new Removal("drain", queue, OPEN, OPEN, now);
    return drain
        .untilFew(Future::succeededFuture)
        .compose(few -> transactions.run("drain", tx -> discardChildren(tx, queue, false, now)
            .compose(
                children -> tx.execute("delete_open", Tuple.of(queue)).map(children.changes()))))
        .map(drain::with);
  }

  /** Removes the open children of a queue, and lets their parents know. */
  private Future<Discarded> discardChildren(
      JobSession tx, String queue, boolean withActive, Instant now) {
    return tx.execute("open_children", Tuple.of(queue, withActive))
        .compose(rows -> discard(tx, queue, refs(queue, rows), withActive, now));
  }

  private static List<JobRef> refs(String queue, RowSet<Row> rows) {
    List<JobRef> refs = new ArrayList<>();
    for (Row row : rows) {
      refs.add(new JobRef(queue, row.getString(0)));
    }
    return refs;
  }

  /** Removes these children, with those of their ancestors that go with the queue too. */
  private Future<Discarded> discard(
      JobSession tx, String queue, List<JobRef> refs, boolean withActive, Instant now) {
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
  }

  Future<List<JobChange>> obliterate(String queue, Obliterate how, Instant now) {
    List<Map<String, String>> open = new ArrayList<>(OPEN);
    if (how == Obliterate.FORCED) {
      open.add(ACTIVE);
    }
    List<Map<String, String>> all = new ArrayList<>(ENDED);
    all.addAll(open);
    Removal obliteration = new Removal("obliterate", queue, all, open, now);
    return obliteration
        .untilFew(count -> transactions
            .run("obliterate", tx -> tx.execute("some_jobs", ACTIVE, Tuple.of(queue, 1L)))
            .compose(active -> requireIdle(queue, how, number(active)))
            .map(count))
        .compose(
            few -> transactions.run("obliterate", tx -> JobFetches.lock(tx, queue) // before rows
                .compose(
                    locked -> tx.execute("count_state", Map.of("state", "active"), Tuple.of(queue)))
                .compose(rows -> requireIdle(queue, how, number(rows)))
                .compose(idle -> deleteQueue(tx, queue, how, now, List.of()))))
        .map(obliteration::with)
        .map(changes ->
            changes.stream().filter(each -> !each.queueName().equals(queue)).toList());
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

  /** The parts of one removal. Kinds are fragments of statements, each an index of its own. */
  private final class Removal {
    private final String operation;
    private final String queue;
    private final List<Map<String, String>> kinds;
    private final List<Map<String, String>> open;
    private final Instant now;
    private final List<JobChange> changes = new ArrayList<>();

    Removal(
        String operation,
        String queue,
        List<Map<String, String>> kinds,
        List<Map<String, String>> open,
        Instant now) {
      this.operation = operation;
      this.queue = queue;
      this.kinds = kinds;
      this.open = open;
      this.now = now;
    }

    /** What became of ancestors in all parts and in the last one. */
    List<JobChange> with(List<JobChange> last) {
      changes.addAll(last);
      return List.copyOf(changes);
    }

    /** Goes on until no more are left than one transaction may remove, or others hold what is left. */
    Future<Void> untilFew(Function<Long, Future<Long>> check) {
      return count()
          .compose(check)
          .compose(left -> left <= BulkChanges.PART
              ? Future.succeededFuture()
              : round().compose(gone -> gone == 0 ? Future.succeededFuture() : untilFew(check)));
    }

    /** As many as one transaction may remove, or more. */
    private Future<Long> count() {
      return sum(kinds, kind -> transactions
          .run(
              operation,
              tx -> tx.execute("some_jobs", kind, Tuple.of(queue, (long) BulkChanges.PART + 1)))
          .map(QueueRemovals::number));
    }

    private Future<Long> round() {
      return sum(kinds, this::removeAll)
          .compose(plain -> sum(open, this::discardAll).map(children -> plain + children));
    }

    private Future<Long> removeAll(Map<String, String> kind) {
      return BulkChanges.byParts(
              Integer.MAX_VALUE,
              size -> transactions.run(
                  operation, tx -> tx.execute("remove_part", kind, Tuple.of(queue, (long) size))
                      .map(rows -> rows.rowCount())))
          .map(Integer::longValue);
    }

    /** A part that is not full may have made room for the next: children of those that went. */
    private Future<Long> discardAll(Map<String, String> kind) {
      return BulkChanges.untilNone(() -> transactions.run(operation, tx -> tx.execute(
                  "children_part", kind, Tuple.of(queue, (long) BulkChanges.PART))
              .compose(rows -> discard(tx, queue, refs(queue, rows), open.contains(ACTIVE), now))))
          .map(parts -> {
            parts.forEach(each -> changes.addAll(each.changes()));
            return parts.stream().mapToLong(each -> each.jobs().size()).sum();
          });
    }

    private Future<Long> sum(
        List<Map<String, String>> all, Function<Map<String, String>, Future<Long>> each) {
      Future<Long> sum = Future.succeededFuture(0L);
      for (Map<String, String> kind : all) {
        sum = sum.compose(before -> each.apply(kind).map(more -> before + more));
      }
      return sum;
    }
  }

  /**
   * Open children of a queue that were removed.
   *
   * @param jobs the children
   * @param changes what became of their ancestors
   */
  private record Discarded(List<StoredJob> jobs, List<JobChange> changes)
      implements BulkChanges.Some {
    @Override
    public boolean isNone() {
      return jobs.isEmpty();
    }

    long active() {
      return jobs.stream().filter(row -> row.job().state() == JobState.ACTIVE).count();
    }
  }
}
