package dev.runlane.jobs.postgres.life;

import dev.runlane.jobs.ChildFailurePolicy;
import dev.runlane.jobs.DeadLetter;
import dev.runlane.jobs.JobData;
import dev.runlane.jobs.JobOptions;
import dev.runlane.jobs.JobRef;
import dev.runlane.jobs.JobRemoval;
import dev.runlane.jobs.JobState;
import dev.runlane.jobs.postgres.log.JobMetrics;
import dev.runlane.jobs.postgres.row.JobIds;
import dev.runlane.jobs.postgres.row.JobSession;
import dev.runlane.jobs.postgres.row.StoredJob;
import dev.runlane.jobs.store.JobChange;
import dev.runlane.jobs.store.JobTransitions;
import dev.runlane.jobs.webhook.JobDelivery;
import dev.runlane.postgres.statement.Columns;
import dev.runlane.postgres.statement.Parameters;
import dev.runlane.postgres.statement.SqlStatement;
import io.vertx.core.Future;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What one transaction does to jobs: their rows and those of all their ancestors are locked in one order, what
 * becomes of them is decided here, and everything is written at the end.
 */
public final class JobWork {
  /** Jobs by their names. */
  static final Columns<JobRef> REFS =
      new Columns<JobRef>().texts("queues", JobRef::queueName).texts("ids", JobRef::jobId);

  private static final Parameters<List<JobRef>> OF_JOBS =
      new Parameters<List<JobRef>>().rows(refs -> refs, REFS);
  private static final SqlStatement<List<JobRef>> LOCK_WITH_ANCESTORS =
      SqlStatement.of("lock_with_ancestors", OF_JOBS);
  private static final SqlStatement<List<JobRef>> DELETE = SqlStatement.of("delete_jobs", OF_JOBS);
  private static final SqlStatement<List<JobData>> DELETE_ENDED = SqlStatement.of(
      "delete_ended_jobs",
      new Parameters<List<JobData>>()
          .rows(
              jobs -> jobs,
              new Columns<JobData>()
                  .texts("queues", JobData::queueName)
                  .texts("ids", JobData::id)
                  .texts("states", job -> job.state().value())
                  .times("end_times", JobDelivery::endOf)
                  .integers("attempts", JobData::attemptsMade)
                  .flags("cancelled", job -> job.cancelledAt() != null)));
  private static final SqlStatement<List<JobData>> COUNT_CHILDREN = SqlStatement.of(
      "count_children",
      new Parameters<List<JobData>>()
          .rows(
              jobs -> jobs,
              new Columns<JobData>()
                  .texts("queues", JobData::queueName)
                  .texts("ids", JobData::id)
                  .integers("pending", JobData::pendingChildrenCount)
                  .texts("states", job -> job.state().value())
                  .times("delays", JobData::delayUntil)));
  private static final SqlStatement<Kept> ANY_SURPLUS = SqlStatement.of(
      "surplus_jobs",
      new Parameters<Kept>()
          .value("queue", kept -> kept.ended.queueName())
          .value("most", kept -> kept.others)
          .texts("present_ids", kept -> kept.left)
          .value("most_lines", kept -> BulkChanges.MOST_LINES));
  private static final Map<JobState, SqlStatement<Kept>> SURPLUS = Map.of(
      JobState.COMPLETED,
      JobEnds.of(ANY_SURPLUS, JobState.COMPLETED),
      JobState.FAILED,
      JobEnds.of(ANY_SURPLUS, JobState.FAILED));

  public static final List<SqlStatement<?>> STATEMENTS = Stream.<SqlStatement<?>>concat(
          Stream.of(LOCK_WITH_ANCESTORS, DELETE, DELETE_ENDED, COUNT_CHILDREN),
          SURPLUS.values().stream())
      .toList();

  private static final Comparator<JobRef> ORDER =
      Comparator.comparing(JobRef::queueName).thenComparing(JobRef::jobId);

  private final JobSession session;
  private final JobMetrics metrics;
  private final Map<JobRef, StoredJob> rows = new HashMap<>();
  private final Set<JobRef> changed = new LinkedHashSet<>();
  private final Set<JobRef> countedDown =
      new LinkedHashSet<>(); // parents of which nothing else changed
  private final Set<JobRef> removed = new LinkedHashSet<>();
  private final Set<JobRef> endedHere = new LinkedHashSet<>();
  private final List<StoredJob> added = new ArrayList<>();
  private final List<JobEntry> entries = new ArrayList<>();
  private final List<JobMetrics.End> ends = new ArrayList<>();
  private final Map<Ended, Kept> kept =
      new TreeMap<>(Comparator.comparing(Ended::queueName).thenComparing(Ended::state));

  public JobWork(JobSession session, JobMetrics metrics) {
    this.session = session;
    this.metrics = metrics;
  }

  /** Locks these jobs and their ancestors. */
  public Future<Void> lock(Collection<JobRef> refs) {
    if (refs.isEmpty()) {
      return Future.succeededFuture();
    }
    List<JobRef> ordered = refs.stream().distinct().sorted(ORDER).toList();
    return session.execute(LOCK_WITH_ANCESTORS, ordered).map(found -> {
      session.rows().stored(found).forEach(each -> rows.put(each.ref(), each));
      return null;
    });
  }

  /** The job as it is by now, or null when it is gone. */
  @Nullable
  public StoredJob get(JobRef ref) {
    return removed.contains(ref) ? null : rows.get(ref);
  }

  /** Every job that is locked, those named and their ancestors. */
  public List<StoredJob> all() {
    return List.copyOf(rows.values());
  }

  public void put(StoredJob job) {
    rows.put(job.ref(), job);
    changed.add(job.ref());
    countedDown.remove(job.ref());
  }

  /**
   * A parent with one open child less. Not its whole row is written: with the names of its children it may be as large
   * as they are many, and each of them ends.
   */
  private void countDown(StoredJob parent) {
    rows.put(parent.ref(), parent);
    if (!changed.contains(parent.ref())) {
      countedDown.add(parent.ref());
    }
  }

  void add(StoredJob job) {
    added.add(job);
  }

  void append(JobEntry entry) {
    entries.add(entry);
  }

  public void remove(StoredJob job) {
    remove(job.ref());
  }

  private void remove(JobRef ref) {
    removed.add(ref);
    changed.remove(ref);
    countedDown.remove(ref);
  }

  /** Whether this transaction removes the job. */
  public boolean isRemoved(JobRef ref) {
    return removed.contains(ref);
  }

  /**
   * All that follows from a job's end, which is in its state: metrics, copy in the dead-letter queue, removal, and
   * what its parent and those above make of it.
   */
  public End end(StoredJob job, Instant now) {
    List<JobChange> ancestors = new ArrayList<>();
    JobRef letter = ended(job, now);
    boolean done = job.job().state() == JobState.COMPLETED;
    String reason = Objects.requireNonNullElse(job.job().failedReason(), "");
    notifyParent(job, done ? ChildResult.done() : ChildResult.failed(reason), now, ancestors);
    return new End(asTheyAre(ancestors), letter);
  }

  /** What one end keeps by number may remove what ended just before it. */
  private List<JobChange> asTheyAre(List<JobChange> changes) {
    return changes.stream()
        .map(each -> each.withRemoved(
            each.removed() || isRemoved(new JobRef(each.queueName(), each.jobId()))))
        .toList();
  }

  /** Counts an end that was only written, without anything that follows. */
  public void countEnd(JobData job) {
    ends.add(JobMetrics.End.of(job, job.createdAt()));
  }

  /** Removes a job, which its parent learns of where it has not ended. */
  public List<JobChange> discard(StoredJob job, Instant now) {
    List<JobChange> ancestors = new ArrayList<>();
    remove(job);
    if (!job.job().state().isTerminal()) {
      notifyParent(job, ChildResult.failed(JobTransitions.REMOVED_REASON), now, ancestors);
    }
    return asTheyAre(ancestors);
  }

  private @Nullable JobRef ended(StoredJob job, Instant now) {
    JobData data = job.job();
    put(job);
    endedHere.add(job.ref());
    ends.add(JobMetrics.End.of(data, now));
    JobRef letter = deadLetter(data, now);
    JobRemoval removal = data.options().removalAfter(data.state());
    if (removal != null && removal.isAtOnce()) {
      remove(job);
      return letter;
    }
    Kept here = kept.computeIfAbsent(new Ended(data.queueName(), data.state()), Kept::new);
    here.add(job.ref());
    if (removal != null && removal.count() != null) {
      here.keep(removal.count()).forEach(this::remove);
    }
    return letter;
  }

  private @Nullable JobRef deadLetter(JobData job, Instant now) {
    String queue = job.options().deadLetterQueue();
    if (queue == null || job.state() != JobState.FAILED || job.cancelledAt() != null) {
      return null;
    }
    String reason = Objects.requireNonNullElse(job.failedReason(), "");
    JobOptions options = JobOptions.builder().priority(job.options().priority()).build();
    String id = JobIds.next(session.ids());
    added.add(StoredJob.added(
        JobData.builder(id, queue, job.name(), job.data(), JobState.WAITING, options, now)
            .deadLetter(new DeadLetter(
                job.queueName(),
                job.id(),
                reason,
                Objects.requireNonNullElse(job.failedAt(), now),
                job.options()))
            .build()));
    return new JobRef(queue, id);
  }

  private void notifyParent(
      StoredJob child, ChildResult news, Instant now, List<JobChange> ancestors) {
    JobRef ref = child.parent();
    if (ref == null || child.counted()) {
      return;
    }
    if (get(child.ref()) != null) {
      put(Objects.requireNonNull(get(child.ref())).countedByParent());
    }
    StoredJob parent = get(ref);
    if (parent == null
        || parent.job().state() != JobState.WAITING_CHILDREN
        || !parent.job().isParentOf(child.job())) {
      return;
    }
    ChildFailurePolicy policy = parent.job().options().effectiveChildFailurePolicy();
    if (news.isDone() || policy == ChildFailurePolicy.IGNORE) {
      StoredJob after = parent.with(JobTransitions.childDone(parent.job(), now));
      countDown(after);
      if (after.job().state() != JobState.WAITING_CHILDREN) {
        ancestors.add(JobChange.of(after.job(), false));
      }
    } else if (policy == ChildFailurePolicy.FAIL) {
      String reason = JobTransitions.CHILD_FAILED + news.reason();
      StoredJob after = parent.with(JobTransitions.failed(parent.job(), reason, now));
      ended(after, now);
      ancestors.add(JobChange.of(after.job(), isRemoved(after.ref())));
      notifyParent(after, ChildResult.failed(reason), now, ancestors);
    } else {
      remove(parent);
      ancestors.add(JobChange.of(parent.job(), true));
      notifyParent(parent, ChildResult.failed(JobTransitions.REMOVED_REASON), now, ancestors);
    }
  }

  /** Writes all of it; the statements go out together. */
  public Future<Void> write() {
    List<Future<?>> sent = new ArrayList<>();
    List<StoredJob> updates = changed.stream()
        .filter(ref -> !removed.contains(ref))
        .map(ref -> Objects.requireNonNull(rows.get(ref)))
        .toList();
    if (!updates.isEmpty()) {
      sent.add(JobSaves.writeRows(session, updates));
    }
    if (!countedDown.isEmpty()) {
      sent.add(session.execute(
          COUNT_CHILDREN,
          countedDown.stream()
              .map(ref -> Objects.requireNonNull(rows.get(ref)).job())
              .toList()));
    }
    List<JobRef> removedOnly =
        removed.stream().filter(ref -> !endedHere.contains(ref)).toList();
    if (!removedOnly.isEmpty()) {
      sent.add(session.execute(DELETE, removedOnly));
    }
    List<JobData> endedAndRemoved = removed.stream()
        .filter(endedHere::contains)
        .map(ref -> Objects.requireNonNull(rows.get(ref)).job())
        .toList();
    if (!endedAndRemoved.isEmpty()) {
      sent.add(session.execute(DELETE_ENDED, endedAndRemoved));
    }
    if (!added.isEmpty()) {
      sent.add(JobSaves.insertRows(session, added));
    }
    List<JobEntry> present =
        entries.stream().filter(entry -> !removed.contains(entry.job())).toList();
    if (!present.isEmpty()) {
      sent.add(session.execute(JobEntries.APPEND, present));
    }
    kept.values().stream()
        .filter(each -> each.others != null)
        .forEach(each -> sent.add(
            session.execute(Objects.requireNonNull(SURPLUS.get(each.ended.state())), each)));
    if (!ends.isEmpty() && metrics.areKept()) {
      sent.add(metrics.raise(session, ends));
    }
    return Future.join(sent)
        .<Void>mapEmpty()
        .recover(failure -> Future.failedFuture(
            sent.stream().filter(Future::failed).map(Future::cause).findFirst().orElse(failure)));
  }

  /** What jobs of one queue that ended alike have in common. */
  private record Ended(String queueName, JobState state) {}

  /**
   * Jobs of one queue that end alike here. They have ended last, one after the other, whatever the clocks of others
   * say: so an end that keeps a number of jobs keeps itself.
   */
  private static final class Kept {
    private final Ended ended;
    private final Set<JobRef> here = new LinkedHashSet<>(); // in the order of their ends
    private final Set<String> left =
        new LinkedHashSet<>(); // ids of those that are none of the others
    private @Nullable Integer others; // how many stay of those that ended before, or null for all

    Kept(Ended ended) {
      this.ended = ended;
    }

    void add(JobRef job) {
      here.add(job);
      left.add(job.jobId());
    }

    /** Keeps so many; answers which of those that end here go. */
    List<JobRef> keep(int count) {
      int surplus = Math.max(0, here.size() - count);
      others =
          Math.min(others == null ? Integer.MAX_VALUE : others, Math.max(0, count - here.size()));
      List<JobRef> going = here.stream().limit(surplus).toList();
      going.forEach(here::remove);
      return going;
    }
  }

  /**
   * @param isDone whether the child completed
   * @param reason else, why not
   */
  private record ChildResult(boolean isDone, String reason) {
    static ChildResult done() {
      return new ChildResult(true, "");
    }

    static ChildResult failed(String reason) {
      return new ChildResult(false, reason);
    }
  }

  /**
   * What followed from a job's end.
   *
   * @param ancestors that changed, from the nearest upwards
   * @param deadLetter the copy in the dead-letter queue, or null
   */
  public record End(List<JobChange> ancestors, @Nullable JobRef deadLetter) {}
}
