package dev.runlane.jobs.postgres.operate;

import dev.runlane.jobs.JobRef;
import dev.runlane.jobs.JobState;
import dev.runlane.jobs.postgres.life.BulkChanges;
import dev.runlane.jobs.postgres.life.JobFetches;
import dev.runlane.jobs.postgres.life.JobWork;
import dev.runlane.jobs.postgres.log.JobMetrics;
import dev.runlane.jobs.postgres.row.JobSession;
import dev.runlane.jobs.postgres.row.JobStatements;
import dev.runlane.jobs.postgres.row.JobTransactions;
import dev.runlane.jobs.postgres.row.StoredJob;
import dev.runlane.jobs.store.JobChange;
import dev.runlane.jobs.store.Obliterate;
import dev.runlane.postgres.statement.Parameters;
import dev.runlane.postgres.statement.SqlStatement;
import dev.runlane.run.RunlaneException;
import dev.runlane.run.StorageConflictKind;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlResult;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Takes jobs out of whole queues. Many go in parts, each a transaction of its own, parents before their children: so
 * no parent that is to go learns of a child, whenever the process ends. What is left then goes in one transaction,
 * which sees to what others did meanwhile: open children one by one, since their parents have to be updated, others at
 * once. A drain leaves the dead letters that it makes in its own queue, but for those of earlier parts. Of what else
 * belongs to a queue that is deleted, schedules, metrics, hand-outs and groups, much goes in parts before the last
 * transaction too, never a group that has a waiting job.
 */
public final class QueueRemovals {
  private static final Kind WAITING_CHILDREN =
      Kind.of("j.state = 'waiting-children'", "j.queue, j.created_at");
  private static final Kind DELAYED = Kind.of("j.state = 'delayed'", "j.queue, j.delay_until");
  private static final Kind WAITING =
      Kind.of("j.state = 'waiting' AND j.group_id IS NULL", "j.queue, j.priority, j.place");
  private static final Kind WAITING_GROUPED =
      Kind.of("j.state = 'waiting' AND j.group_id IS NOT NULL", "j.queue, j.priority, j.place");
  private static final Kind ACTIVE = Kind.of("j.state = 'active'", "j.queue, j.group_id");
  private static final Kind COMPLETED = Kind.of("j.state = 'completed'", "j.queue, j.completed_at");
  private static final Kind FAILED = Kind.of("j.state = 'failed'", "j.queue, j.failed_at");

  /** What a worker does not have and has not ended; parents that wait for children first. */
  private static final List<Kind> OPEN =
      List.of(WAITING_CHILDREN, DELAYED, WAITING, WAITING_GROUPED);

  private static final List<Kind> ENDED = List.of(COMPLETED, FAILED);

  private static final SqlStatement<String> DELETE_OPEN =
      SqlStatement.of("delete_open", JobStatements.OF_QUEUE);
  private static final SqlStatement<String> DELETE_QUEUE =
      SqlStatement.of("delete_queue", JobStatements.OF_QUEUE);
  private static final SqlStatement<String> COUNT_ACTIVE =
      SqlStatement.of("count_state", JobStatements.OF_QUEUE).variant("state", "active");
  private static final SqlStatement<Children> OPEN_CHILDREN = SqlStatement.of(
      "open_children",
      new Parameters<Children>()
          .value("queue", Children::queue)
          .value("with_active", Children::withActive));

  private static final Table GROUPS = Table.of("job_groups");
  private static final Table MARKS = Table.of("job_group_marks");

  /** Whose rows may go before the jobs that are left. */
  private static final List<Table> BELONGINGS =
      List.of(Table.of("job_schedules"), Table.of("job_metrics"), Table.of("job_rate_fetches"));

  private static final SqlStatement<Walked> REMOVE_MARKS = SqlStatement.of(
      "remove_marks",
      new Parameters<Walked>()
          .value("queue", Walked::queue)
          .value("from", Walked::from)
          .value("limit", part -> (long) BulkChanges.PART));

  public static final List<SqlStatement<?>> STATEMENTS = Stream.of(
          Stream.of(DELETE_OPEN, DELETE_QUEUE, COUNT_ACTIVE, OPEN_CHILDREN, REMOVE_MARKS),
          Stream.of(GROUPS.some(), MARKS.some()),
          BELONGINGS.stream().flatMap(table -> Stream.of(table.some(), table.remove())),
          Stream.of(OPEN, ENDED, List.of(ACTIVE))
              .flatMap(List::stream)
              .flatMap(kind -> Stream.of(kind.some(), kind.remove(), kind.children())))
      .<SqlStatement<?>>flatMap(statements -> statements)
      .toList();

  private final JobTransactions transactions;
  private final JobMetrics metrics;

  QueueRemovals(JobTransactions transactions, JobMetrics metrics) {
    this.transactions = transactions;
    this.metrics = metrics;
  }

  Future<List<JobChange>> drain(String queue, Instant now) {
    Removal drain = new Removal("drain", queue, OPEN, OPEN, now);
    return drain
        .repeatUntilFew(Future::succeededFuture)
        .compose(few -> transactions.run("drain", tx -> drainFew(tx, queue, now)))
        .map(drain::with);
  }

  /** Children last: a parent elsewhere that fails with one of them may leave its dead letter here. */
  private Future<List<JobChange>> drainFew(JobSession tx, String queue, Instant now) {
    return tx.execute(DELETE_OPEN, queue)
        .compose(gone -> discardChildren(tx, queue, false, now))
        .map(Discarded::changes);
  }

  /** Removes the open children of a queue, and lets their parents know. */
  private Future<Discarded> discardChildren(
      JobSession tx, String queue, boolean withActive, Instant now) {
    return tx.execute(OPEN_CHILDREN, new Children(queue, withActive))
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
    List<Kind> open = new ArrayList<>(OPEN);
    if (how == Obliterate.FORCED) {
      open.add(ACTIVE);
    }
    List<Kind> all = new ArrayList<>(ENDED);
    all.addAll(open);
    Removal obliteration = new Removal("obliterate", queue, all, open, now);
    return obliteration
        .repeatUntilFew(count ->
            transactions.run("obliterate", tx -> requireIdle(tx, queue, how)).map(count))
        .compose(few -> removeBelongings(queue, how))
        .compose(
            few -> transactions.run("obliterate", tx -> JobFetches.lock(tx, queue) // before rows
                .compose(locked -> tx.execute(COUNT_ACTIVE, queue))
                .compose(rows -> requireIdle(queue, how, number(rows)))
                .compose(idle -> deleteQueue(tx, queue, how, now, List.of()))))
        .map(obliteration::with)
        .map(changes ->
            changes.stream().filter(each -> !each.queueName().equals(queue)).toList());
  }

  /** What belongs to a queue, in parts, until there is no more of each kind than one transaction may remove. */
  private Future<Void> removeBelongings(String queue, Obliterate how) {
    Future<Void> removed = Future.succeededFuture();
    for (Table table : BELONGINGS) {
      removed = removed.compose(before -> untilFew(queue, table, tx -> requireIdle(tx, queue, how)
          .compose(
              idle -> tx.execute(table.remove(), new JobStatements.Some(queue, BulkChanges.PART)))
          .map(SqlResult::rowCount)));
    }
    return removed
        .compose(before -> isMany(queue, MARKS))
        .compose(many -> many ? removeMarks(queue) : Future.succeededFuture())
        .compose(before -> isMany(queue, GROUPS))
        .compose(many -> many
            ? JobFetches.removeGroups(transactions, "obliterate", queue, 0, Integer.MAX_VALUE, null)
            : Future.succeededFuture())
        .mapEmpty();
  }

  private Future<Void> untilFew(
      String queue, Table table, Function<JobSession, Future<Integer>> part) {
    return BulkChanges.removeByParts(Integer.MAX_VALUE, size -> isMany(queue, table)
            .compose(
                many -> many ? transactions.run("obliterate", part) : Future.succeededFuture(0))
            .map(count -> new BulkChanges.Part(count, null, count > 0)))
        .mapEmpty();
  }

  private Future<Boolean> isMany(String queue, Table table) {
    return transactions
        .run(
            "obliterate",
            tx -> tx.execute(table.some(), new JobStatements.Some(queue, BulkChanges.PART + 1)))
        .map(rows -> number(rows) > BulkChanges.PART);
  }

  /** Under the lock of fetches: those take marks in, and in another order. */
  private Future<Void> removeMarks(String queue) {
    return BulkChanges.walk(
            null,
            Integer.MAX_VALUE,
            from -> transactions.run("obliterate", tx -> JobFetches.lock(tx, queue)
                .compose(locked -> tx.execute(REMOVE_MARKS, new Walked(queue, from)))
                .map(BulkChanges::walked)))
        .mapEmpty();
  }

  /**
   * Open children go first, since others have to be updated. Those that somebody adds meanwhile are left by the
   * statement that deletes everything, and go in one more round; whatever became active meanwhile is seen when it goes.
   */
  private Future<List<JobChange>> deleteQueue(
      JobSession tx, String queue, Obliterate how, Instant now, List<JobChange> before) {
    return discardChildren(tx, queue, true, now).compose(children -> {
      List<JobChange> changes = new ArrayList<>(before);
      children.changes().stream()
          .filter(change -> !change.queueName().equals(queue))
          .forEach(changes::add);
      return requireIdle(queue, how, children.active())
          .compose(idle -> tx.execute(DELETE_QUEUE, queue))
          .compose(rows -> requireIdle(queue, how, number(rows)))
          .compose(idle -> tx.execute(OPEN_CHILDREN, new Children(queue, true)))
          .compose(late -> late.size() == 0
              ? Future.succeededFuture(changes)
              : deleteQueue(tx, queue, how, now, changes));
    });
  }

  private static Future<Void> requireIdle(JobSession tx, String queue, Obliterate how) {
    return tx.execute(ACTIVE.some(), new JobStatements.Some(queue, 1))
        .compose(active -> requireIdle(queue, how, number(active)));
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
    private final List<Kind> kinds;
    private final List<Kind> open;
    private final Instant now;
    private final List<JobChange> changes = new ArrayList<>();

    Removal(String operation, String queue, List<Kind> kinds, List<Kind> open, Instant now) {
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
    Future<Void> repeatUntilFew(Function<Long, Future<Long>> check) {
      return count()
          .compose(check)
          .compose(left -> left <= BulkChanges.PART
              ? Future.succeededFuture()
              : round()
                  .compose(gone -> gone == 0 ? Future.succeededFuture() : repeatUntilFew(check)));
    }

    /** As many as one transaction may remove, or more, also where fewer have very many lines. */
    private Future<Long> count() {
      return sum(kinds, kind -> transactions
          .run(
              operation,
              tx -> tx.execute(kind.some(), new JobStatements.Some(queue, BulkChanges.PART + 1)))
          .map(QueueRemovals::number));
    }

    private Future<Long> round() {
      return sum(kinds, this::removeAll)
          .compose(plain -> sum(open, this::discardAll).map(children -> plain + children));
    }

    private Future<Long> removeAll(Kind kind) {
      return BulkChanges.removeByParts(
              Integer.MAX_VALUE,
              size -> transactions.run(
                  operation, tx -> tx.execute(kind.remove(), new JobStatements.Some(queue, size))
                      .map(BulkChanges::removed)))
          .map(Integer::longValue);
    }

    /** A part that is not full may have made room for the next: children of those that went. */
    private Future<Long> discardAll(Kind kind) {
      return BulkChanges.untilNone(() -> transactions.run(operation, tx -> tx.execute(
                  kind.children(), new JobStatements.Some(queue, BulkChanges.PART))
              .compose(rows -> discard(tx, queue, refs(queue, rows), open.contains(ACTIVE), now))))
          .map(parts -> {
            parts.forEach(each -> changes.addAll(each.changes()));
            return parts.stream().mapToLong(each -> each.jobs().size()).sum();
          });
    }

    private Future<Long> sum(List<Kind> all, Function<Kind, Future<Long>> each) {
      Future<Long> sum = Future.succeededFuture(0L);
      for (Kind kind : all) {
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

  private record Children(String queue, boolean withActive) {}

  /** Rows of a queue behind one of them, or from the first on where that is null. */
  private record Walked(String queue, @Nullable String from) {}

  /** What belongs to a queue beside its jobs: whether there is much, and how a part goes. */
  private record Table(
      SqlStatement<JobStatements.Some> some, SqlStatement<JobStatements.Some> remove) {
    static Table of(String name) {
      return new Table(
          SqlStatement.of("some_rows", JobStatements.Some.PARAMETERS).variant("table", name),
          SqlStatement.of("remove_rows", JobStatements.Some.PARAMETERS).variant("table", name));
    }
  }

  /** Jobs of one kind, each an index of its own: how many there are, and two ways to remove a part of them. */
  private record Kind(
      SqlStatement<JobStatements.Some> some,
      SqlStatement<JobStatements.Some> remove,
      SqlStatement<JobStatements.Some> children) {
    static Kind of(String which, String order) {
      return new Kind(
          of("some_jobs", which, order),
          of("remove_part", which, order),
          of("children_part", which, order));
    }

    private static SqlStatement<JobStatements.Some> of(String name, String which, String order) {
      return SqlStatement.of(
              name,
              JobStatements.Some.PARAMETERS.value("most_lines", some -> BulkChanges.MOST_LINES))
          .variant("which", which)
          .variant("order", order);
    }
  }
}
