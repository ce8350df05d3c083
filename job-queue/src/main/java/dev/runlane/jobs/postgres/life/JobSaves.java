package dev.runlane.jobs.postgres.life;

import dev.runlane.jobs.FlowNode;
import dev.runlane.jobs.JobData;
import dev.runlane.jobs.JobGroup;
import dev.runlane.jobs.JobRef;
import dev.runlane.jobs.JobState;
import dev.runlane.jobs.NewJob;
import dev.runlane.jobs.postgres.row.DeduplicationSlots;
import dev.runlane.jobs.postgres.row.JobIds;
import dev.runlane.jobs.postgres.row.JobRows;
import dev.runlane.jobs.postgres.row.JobSession;
import dev.runlane.jobs.postgres.row.JobTexts;
import dev.runlane.jobs.postgres.row.PlanOutdated;
import dev.runlane.jobs.postgres.row.StoredJob;
import dev.runlane.jobs.store.SavedJob;
import dev.runlane.postgres.BatchLimits;
import dev.runlane.postgres.statement.Columns;
import dev.runlane.postgres.statement.Parameters;
import dev.runlane.postgres.statement.SqlStatement;
import dev.runlane.run.RunlaneException;
import dev.runlane.run.StorageConflictKind;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Stores new jobs. Those that share nothing with others are one statement for many callers. A deduplication key,
 * and a group of bounded size, is locked by name for the rest of the transaction; who holds the key and how
 * many wait in the group is read afterwards and decided here.
 */
public final class JobSaves {
  private static final Parameters<Plain> OF_PLAIN = new Parameters<Plain>()
      .rows(
          Plain::jobs,
          new Columns<FlowNode>()
              .texts("queues", FlowNode::queueName)
              .texts("ids", each -> each.job().id())
              .shorts("directions", each -> (short) (each.job().options().isLifo() ? -1 : 1))
              .texts("names", each -> each.job().name())
              .texts("states", each -> each.job().state().value())
              .doubles("priorities", each -> each.job().options().effectivePriority())
              .flags("repeats", each -> each.job().options().repeat() != null)
              .shorts("removals", each -> StoredJob.removal(each.job().options()))
              .longs("keep_millis", each -> StoredJob.keepMillis(each.job().options()))
              .times("created_times", each -> each.job().createdAt())
              .times("delay_times", each -> each.job().delayUntil())
              .texts("groups", each -> each.job().groupId())
              .texts("data", each -> each.job().data().text()))
      .texts("options", Plain::options);

  /** Of ids that are made here, which nobody had before. */
  private static final SqlStatement<Plain> ADD = SqlStatement.of("add_jobs", OF_PLAIN);

  private static final SqlStatement<Plain> ADD_NAMED = SqlStatement.of("add_named_jobs", OF_PLAIN);
  private static final SqlStatement<List<JobRef>> STATES =
      SqlStatement.of("states", new Parameters<List<JobRef>>().rows(refs -> refs, JobWork.REFS));
  private static final SqlStatement<OfQueue> WAITING_IN_GROUPS = SqlStatement.of(
      "waiting_in_groups",
      new Parameters<OfQueue>().value("queue", OfQueue::queue).texts("groups", OfQueue::names));

  /** The holders of keys, locked. */
  public static final SqlStatement<OfQueue> SLOT_HOLDERS = SqlStatement.of(
      "slot_holders",
      new Parameters<OfQueue>()
          .value("queue", OfQueue::queue)
          .texts("slots", of -> of.names().stream()
              .map(key -> DeduplicationSlots.of(of.queue(), key))
              .toList()));

  /** Writes rows that are there. */
  private static final SqlStatement<List<JobRows.Written>> WRITE = SqlStatement.of(
      "write_jobs", new Parameters<List<JobRows.Written>>().rows(rows -> rows, JobRows.WRITTEN));

  /** Writes new rows. */
  private static final SqlStatement<List<JobRows.Written>> INSERT = SqlStatement.of(
      "insert_jobs",
      new Parameters<List<JobRows.Written>>()
          .rows(rows -> rows, JobRows.WRITTEN.shorts("direction", each -> each.row()
              .direction())));

  public static final List<SqlStatement<?>> STATEMENTS = List.of(
      ADD, ADD_NAMED, STATES, WAITING_IN_GROUPS, NameLocks.LOCK_NAMES, SLOT_HOLDERS, WRITE, INSERT);

  private final JobSession session;

  public JobSaves(JobSession session) {
    this.session = session;
  }

  JobSaves on(JobSession other) {
    return new JobSaves(other);
  }

  /** Whether the job needs nothing but its own row, which has no entries. */
  public static boolean isPlain(NewJob job) {
    return job.deduplicationKey() == null
        && maxSize(job) == null
        && job.more() == null
        && job.parentId() == null
        && job.childrenIds().isEmpty()
        && job.pendingChildrenCount() == 0;
  }

  private static @Nullable Integer maxSize(NewJob job) {
    JobGroup group = job.options().group();
    return group == null || job.groupId() == null ? null : group.maxSize();
  }

  /**
   * Plain jobs of any queues; answers which of them were there.
   *
   * @param named whether an id of them is the caller's, which another job may have had before
   */
  public Future<List<SavedJob>> addPlain(List<FlowNode> jobs, boolean named) {
    List<FlowNode> all = withIds(jobs);
    Set<JobRef> stored = new HashSet<>();
    Future<Boolean> added = Future.succeededFuture();
    for (List<FlowNode> part : statements(all)) {
      added = added.compose(before -> add(part, named).map(here -> stored.addAll(here.stored())));
    }
    return added.compose(done -> {
      Added together = new Added(all, stored);
      return states(together.missing()).map(together::saved);
    });
  }

  /** Jobs that are stored together, in as many statements as their data need. */
  public static List<List<FlowNode>> statements(List<FlowNode> jobs) {
    return BatchLimits.statements(jobs, JobSaves::bytes);
  }

  /** About how much a new job holds. */
  static long bytes(FlowNode job) {
    return job.job().data().text().length();
  }

  /** Gives ids to those that have none, before the first try: what is sent again then stores no job twice. */
  public List<FlowNode> withIds(List<FlowNode> jobs) {
    return jobs.stream()
        .map(each -> each.job().id() != null
            ? each
            : new FlowNode(each.queueName(), each.job().withId(id(each.job()))))
        .toList();
  }

  /** Stores those plain jobs, all with ids, whose ids nobody has. */
  Future<Added> add(List<FlowNode> jobs, boolean named) {
    return session
        .execute(named ? ADD_NAMED : ADD, new Plain(distinct(jobs), session.json()))
        .map(rows -> new Added(jobs, refs(rows)));
  }

  private static SavedJob saved(FlowNode node, Set<JobRef> fresh, Map<JobRef, JobState> known) {
    JobRef ref = ref(node);
    boolean stored = fresh.remove(ref); // of two with one id in a call the first is stored
    return new SavedJob(
        ref.jobId(),
        stored ? SavedJob.Outcome.STORED : SavedJob.Outcome.EXISTING,
        Objects.requireNonNull(known.get(ref)));
  }

  private static List<FlowNode> distinct(List<FlowNode> nodes) {
    Map<JobRef, FlowNode> first = new LinkedHashMap<>();
    nodes.forEach(node -> first.putIfAbsent(ref(node), node));
    return List.copyOf(first.values());
  }

  private static JobRef ref(FlowNode node) {
    return new JobRef(node.queueName(), Objects.requireNonNull(node.job().id()));
  }

  private static Set<JobRef> refs(RowSet<Row> rows) {
    Set<JobRef> refs = new HashSet<>();
    rows.forEach(row -> refs.add(new JobRef(row.getString(0), row.getString(1))));
    return refs;
  }

  private String id(NewJob job) {
    return job.id() != null ? job.id() : JobIds.next(session.ids());
  }

  Future<Map<JobRef, JobState>> states(List<JobRef> refs) {
    if (refs.isEmpty()) {
      return Future.succeededFuture(Map.of());
    }
    return session.execute(STATES, refs).map(rows -> {
      Map<JobRef, JobState> states = new HashMap<>();
      rows.forEach(row -> states.put(
          new JobRef(row.getString(0), row.getString(1)), JobRows.state(row.getString(2))));
      return states;
    });
  }

  /** Locks all that the jobs share with others by name; before any row is locked. */
  public Future<Void> lockNames(Map<String, List<NewJob>> jobs, boolean sized) {
    Map<String, Set<NameLocks.Name>> names = new HashMap<>();
    jobs.forEach((queue, all) -> all.stream()
        .flatMap(job -> names(job, sized))
        .forEach(name -> names.computeIfAbsent(queue, of -> new HashSet<>()).add(name)));
    return NameLocks.take(session, names);
  }

  private static Stream<NameLocks.Name> names(NewJob job, boolean sized) {
    Stream<NameLocks.Name> key = Stream.ofNullable(job.deduplicationKey()).map(NameLocks.Name::key);
    Stream<NameLocks.Name> group = sized && maxSize(job) != null
        ? Stream.ofNullable(job.groupId()).map(NameLocks.Name::group)
        : Stream.of();
    return Stream.concat(key, group);
  }

  /**
   * Stores jobs of any kind in a transaction whose names are locked.
   *
   * @param sized whether the size of groups counts
   */
  public Future<List<SavedJob>> save(String queue, List<NewJob> jobs, Instant now, boolean sized) {
    return save(queue, jobs, null, now, sized);
  }

  /** One job of a schedule, whose group may be full. */
  public Future<SavedJob> saveScheduled(String queue, NewJob job, String scheduleKey, Instant now) {
    return save(queue, List.of(job), scheduleKey, now, false).map(saved -> saved.get(0));
  }

  private Future<List<SavedJob>> save(
      String queue, List<NewJob> jobs, @Nullable String scheduleKey, Instant now, boolean sized) {
    List<String> ids =
        jobs.stream().flatMap(job -> Stream.ofNullable(job.id())).distinct().toList();
    Set<String> keys = jobs.stream()
        .flatMap(job -> Stream.ofNullable(job.deduplicationKey()))
        .collect(Collectors.toSet());
    Set<String> groups = jobs.stream()
        .filter(job -> sized && maxSize(job) != null)
        .map(job -> Objects.requireNonNull(job.groupId()))
        .collect(Collectors.toSet());
    return holders(queue, keys)
        .compose(holders -> states(ids.stream().map(id -> new JobRef(queue, id)).toList())
            .compose(taken -> waiting(queue, groups).compose(waiting -> {
              SavePlan plan = new SavePlan(queue, holders, taken, waiting, now);
              for (NewJob job : jobs) {
                plan.add(job.withId(id(job)), job.id() != null, sized ? maxSize(job) : null);
              }
              return write(plan, scheduleKey, sized && jobs.size() > 1);
            })));
  }

  private Future<Map<String, StoredJob>> holders(String queue, Collection<String> keys) {
    if (keys.isEmpty()) {
      return Future.succeededFuture(Map.of());
    }
    return session.execute(SLOT_HOLDERS, new OfQueue(queue, keys)).map(rows -> {
      Map<String, StoredJob> holders = new HashMap<>();
      session.rows().stored(rows).forEach(each -> {
        if (each.slot() != null) {
          holders.put(each.slot(), each);
        }
      });
      return holders;
    });
  }

  private Future<Map<String, Long>> waiting(String queue, Set<String> groups) {
    if (groups.isEmpty()) {
      return Future.succeededFuture(Map.of());
    }
    return session.execute(WAITING_IN_GROUPS, new OfQueue(queue, groups)).map(rows -> {
      Map<String, Long> waiting = new HashMap<>();
      rows.forEach(row -> {
        requireFresh(queue, row.getString(0), row.getString(2));
        waiting.put(row.getString(0), row.getLong(1));
      });
      return waiting;
    });
  }

  /** The count of a snapshot that is older than the group's lock lets in too many. */
  private static void requireFresh(String queue, String group, String isolation) {
    if (!isolation.startsWith("read ")) {
      throw RunlaneException.validationFailed(
          "group %s of queue %s has a maximum size, which a transaction that is %s cannot count: it must be read"
              + " committed",
          group, queue, isolation);
    }
  }

  /** @param anew whether to begin anew where an id was taken meanwhile, since one job's outcome hangs on another's */
  private Future<List<SavedJob>> write(SavePlan plan, @Nullable String scheduleKey, boolean anew) {
    RunlaneException refusal = plan.refusal();
    if (refusal != null) {
      return Future.failedFuture(refusal);
    }
    List<StoredJob> changed = plan.changed();
    return writeRows(session, changed)
        .compose(done -> insert(plan.fresh(), scheduleKey))
        .compose(stored -> {
          List<JobRef> missing = plan.fresh().stream()
              .map(StoredJob::ref)
              .filter(ref -> !stored.contains(ref))
              .toList();
          if (anew && !missing.isEmpty()) {
            return Future.failedFuture(PlanOutdated.by(missing.get(0)));
          }
          return missing.isEmpty()
              ? Future.succeededFuture(plan.outcomes(Map.of()))
              : states(missing).compose(found -> outcomes(plan, missing, found));
        });
  }

  /** A row that was left out, and whose id nobody has, lost its key to a process that does not take these locks. */
  private static Future<List<SavedJob>> outcomes(
      SavePlan plan, List<JobRef> missing, Map<JobRef, JobState> found) {
    return missing.stream()
        .filter(ref -> !found.containsKey(ref))
        .findFirst()
        .map(ref -> Future.<List<SavedJob>>failedFuture(PlanOutdated.by(ref)))
        .orElseGet(() -> Future.succeededFuture(plan.outcomes(found)));
  }

  private Future<Set<JobRef>> insert(List<StoredJob> fresh, @Nullable String scheduleKey) {
    if (fresh.isEmpty()) {
      return Future.succeededFuture(Set.of());
    }
    List<StoredJob> rows =
        fresh.stream().map(job -> job.scheduledBy(scheduleKey)).toList();
    return insertRows(session, rows).compose(stored -> {
      List<StoredJob> withEntries = rows.stream()
          .filter(row -> stored.contains(row.ref()))
          .filter(JobSaves::hasEntries)
          .toList();
      return JobEntries.insert(session, withEntries).map(stored);
    });
  }

  /** Writes new rows, in as many statements as they need; answers which of them were stored. */
  static Future<Set<JobRef>> insertRows(JobSession session, List<StoredJob> rows) {
    return inStatements(session, INSERT, rows)
        .map(inserted ->
            inserted.stream().flatMap(each -> refs(each).stream()).collect(Collectors.toSet()));
  }

  /** Writes rows that are there, in as many statements as they need. */
  static Future<Void> writeRows(JobSession session, List<StoredJob> rows) {
    return inStatements(session, WRITE, rows).mapEmpty();
  }

  private static Future<List<RowSet<Row>>> inStatements(
      JobSession session, SqlStatement<List<JobRows.Written>> statement, List<StoredJob> rows) {
    if (rows.isEmpty()) {
      return Future.succeededFuture(List.of());
    }
    return Future.all(BatchLimits.statements(rows, StoredJob::bytes).stream()
            .map(part -> session.execute(statement, session.rows().written(part)))
            .toList())
        .map(all -> all.<RowSet<Row>>list());
  }

  private static boolean hasEntries(StoredJob row) {
    JobData job = row.job();
    return !job.logs().isEmpty()
        || !job.stacktrace().isEmpty()
        || !job.attemptLogs().isEmpty();
  }

  static StoredJob row(String queue, NewJob job) {
    JobData made = job.storedIn(queue, Objects.requireNonNull(job.id())).build();
    return StoredJob.added(job.more() == null ? made : job.more().applyTo(made));
  }

  /** Stores a flow; an id that is taken fails it. The transaction is then rolled back by whoever runs it. */
  public Future<List<String>> saveFlow(List<FlowNode> nodes) {
    List<FlowNode> named = withIds(nodes);
    return states(named.stream().map(JobSaves::ref).toList()).compose(taken -> {
      if (!taken.isEmpty()) {
        return Future.failedFuture(idTaken(taken.keySet().iterator().next()));
      }
      List<StoredJob> rows = new ArrayList<>();
      named.forEach(each -> rows.add(row(each.queueName(), each.job())));
      return insertRows(session, rows).compose(stored -> {
        for (FlowNode node : named) {
          if (!stored.contains(ref(node))) {
            return Future.failedFuture(idTaken(ref(node)));
          }
        }
        List<StoredJob> withEntries = rows.stream().filter(JobSaves::hasEntries).toList();
        return JobEntries.insert(session, withEntries)
            .map(done -> named.stream().map(each -> ref(each).jobId()).toList());
      });
    });
  }

  private static RunlaneException idTaken(JobRef ref) {
    return RunlaneException.conflict(
        StorageConflictKind.JOB_ID, "queue %s has a job %s", ref.queueName(), ref.jobId());
  }

  /** Names of something in a queue. */
  public record OfQueue(String queue, Collection<String> names) {}

  /** What one statement stored of these jobs. */
  record Added(List<FlowNode> jobs, Set<JobRef> stored) {
    List<JobRef> missing() {
      return jobs.stream()
          .map(JobSaves::ref)
          .filter(ref -> !stored.contains(ref))
          .distinct()
          .toList();
    }

    /** @param found the states of those that are missing; one that is gone by now has that of the new job */
    List<SavedJob> saved(Map<JobRef, JobState> found) {
      Set<JobRef> fresh = new HashSet<>(stored);
      Map<JobRef, JobState> known = new HashMap<>(found);
      distinct(jobs).forEach(each -> known.putIfAbsent(ref(each), each.job().state()));
      return jobs.stream().map(each -> JobSaves.saved(each, fresh, known)).toList();
    }

    boolean isStored(FlowNode node) {
      return stored.contains(ref(node));
    }
  }

  private record Plain(List<FlowNode> jobs, JobTexts json) {
    List<String> options() {
      return jobs.stream().map(each -> json.options(each.job().options())).toList();
    }
  }
}
