package dev.runlane.jobs.memory;

import dev.runlane.adapter.AdapterCall;
import dev.runlane.jobs.AttemptRecord;
import dev.runlane.jobs.DeadLetter;
import dev.runlane.jobs.FlowNode;
import dev.runlane.jobs.JobData;
import dev.runlane.jobs.JobLock;
import dev.runlane.jobs.JobRef;
import dev.runlane.jobs.JobRemoval;
import dev.runlane.jobs.JobSchedule;
import dev.runlane.jobs.JobState;
import dev.runlane.jobs.JobUpdate;
import dev.runlane.jobs.MetricsBucket;
import dev.runlane.jobs.NewJob;
import dev.runlane.jobs.StoreEvent;
import dev.runlane.jobs.StoreEventType;
import dev.runlane.jobs.store.CancelResult;
import dev.runlane.jobs.store.FailedJobsFilter;
import dev.runlane.jobs.store.FetchJobs;
import dev.runlane.jobs.store.FinishAndFetch;
import dev.runlane.jobs.store.FinishJob;
import dev.runlane.jobs.store.FinishResult;
import dev.runlane.jobs.store.FinishedAndFetched;
import dev.runlane.jobs.store.FinishedJob;
import dev.runlane.jobs.store.FireSchedule;
import dev.runlane.jobs.store.JobChange;
import dev.runlane.jobs.store.JobChecks;
import dev.runlane.jobs.store.JobPage;
import dev.runlane.jobs.store.JobStore;
import dev.runlane.jobs.store.JobStoreOptions;
import dev.runlane.jobs.store.JobTransitions;
import dev.runlane.jobs.store.LockStatus;
import dev.runlane.jobs.store.MetricsQuery;
import dev.runlane.jobs.store.Obliterate;
import dev.runlane.jobs.store.QueueInfo;
import dev.runlane.jobs.store.SavedJob;
import dev.runlane.jobs.store.SearchJobsFilter;
import dev.runlane.jobs.store.UpsertSchedule;
import dev.runlane.jobs.webhook.ClaimJobDeliveries;
import dev.runlane.jobs.webhook.FinishJobDeliveries;
import dev.runlane.jobs.webhook.JobDelivery;
import dev.runlane.jobs.webhook.JobWebhookStore;
import dev.runlane.jobs.webhook.RegisterJobWebhooks;
import dev.runlane.json.StorableText;
import dev.runlane.run.RunlaneException;
import dev.runlane.run.StorageConflictKind;
import dev.runlane.timing.Randomness;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Jobs in the memory of this process, for tests and first steps: they end with it. Every command runs under one
 * lock, and its future is complete when the method returns. Nothing depends on a clock.
 */
public final class MemoryJobStore implements JobStore {
  private final Object lock = new Object(); // any thread may call
  private final JobTable table;
  private final JobSaves saves;
  private final JobUpdates updates;
  private final JobFetches fetches;
  private final JobEnds ends;
  private final JobLists lists;
  private final JobSchedules schedules;
  private final JobMetrics metrics;
  private final JobListeners listeners;

  /** An empty store with the default options. */
  public MemoryJobStore() {
    this(new JobStoreOptions());
  }

  /** An empty store. */
  public MemoryJobStore(JobStoreOptions options) {
    this(options, Randomness.system());
  }

  /** An empty store whose ids and tokens are drawn from {@code randomness}. */
  public MemoryJobStore(JobStoreOptions options, Randomness randomness) {
    JobStoreOptions copy = new JobStoreOptions(options);
    table = new JobTable(randomness);
    saves = new JobSaves(table);
    metrics = new JobMetrics(copy);
    updates = new JobUpdates(table, metrics);
    fetches = new JobFetches(table);
    ends = new JobEnds(table, saves, metrics);
    lists = new JobLists(table);
    schedules = new JobSchedules(saves);
    listeners = new JobListeners(copy.getOnEventHandlerError());
  }

  @Override
  public Future<Void> connect() {
    return Future.succeededFuture();
  }

  @Override
  public Future<Void> disconnect() {
    listeners.clear();
    return Future.succeededFuture();
  }

  @Override
  public Future<List<SavedJob>> saveJobs(String queueName, List<NewJob> jobs, Instant now) {
    return answer("saveJobs", () -> {
      JobChecks.check(queueName, jobs);
      JobChecks.requireInstant("now", now);
      return saves.saveAll(queueName, jobs, millis(now));
    });
  }

  @Override
  public Future<Optional<JobData>> getJob(String queueName, String jobId) {
    return answer("getJob", () -> {
      JobChecks.requireJob(queueName, jobId);
      return table.find(queueName, jobId).map(JobRow::full);
    });
  }

  @Override
  public Future<Void> updateJob(String queueName, String jobId, JobUpdate fields) {
    return answer("updateJob", () -> {
      JobChecks.requireJob(queueName, jobId);
      JobChecks.check(fields);
      updates.update(queueName, jobId, fields);
      return null;
    });
  }

  @Override
  public Future<Void> updateJob(
      String queueName, String jobId, JobUpdate fields, List<JobState> expectedStates) {
    return answer("updateJob", () -> {
      JobChecks.requireJob(queueName, jobId);
      JobChecks.check(fields);
      updates.update(queueName, jobId, fields, expectedStates);
      return null;
    });
  }

  @Override
  public Future<Boolean> updateJob(JobLock held, JobUpdate fields) {
    return answer("updateJob", () -> {
      JobChecks.requireLock(held);
      JobChecks.check(fields);
      Optional<JobRow> row = ends.held(held);
      row.ifPresent(found -> updates.write(found, fields));
      return row.isPresent();
    });
  }

  @Override
  public Future<List<JobChange>> removeJob(String queueName, String jobId, Instant now) {
    return answer("removeJob", () -> {
      JobChecks.requireJob(queueName, jobId);
      JobChecks.requireInstant("now", now);
      return ends.remove(table.find(queueName, jobId).stream().toList(), millis(now));
    });
  }

  @Override
  public Future<Optional<JobData>> findByDeduplicationKey(
      String queueName, String key, Instant now) {
    return answer("findByDeduplicationKey", () -> {
      JobChecks.requireQueue(queueName);
      JobChecks.requireInstant("now", now);
      JobChecks.requireKey(key);
      return table.queue(queueName).heldBy(key, millis(now)).map(row -> row.job);
    });
  }

  @Override
  public Future<List<JobData>> fetchNextJobs(FetchJobs command) {
    return answer("fetchNextJobs", () -> {
      JobChecks.check(command);
      return fetches.fetch(command);
    });
  }

  @Override
  public Future<Boolean> extendLock(
      String queueName, String jobId, Duration duration, Instant now) {
    return answer("extendLock", () -> {
      JobChecks.requireJob(queueName, jobId);
      JobChecks.requireLock(duration, now);
      Optional<JobRow> active =
          table.find(queueName, jobId).filter(row -> row.job.state() == JobState.ACTIVE);
      active.ifPresent(row -> lockUntil(row, millis(now).plus(duration)));
      return active.isPresent();
    });
  }

  @Override
  public Future<List<LockStatus>> extendLocks(List<JobLock> locks, Duration duration, Instant now) {
    return answer("extendLocks", () -> {
      JobChecks.requireLocks(locks);
      JobChecks.requireLock(duration, now);
      return locks.stream()
          .map(each -> extended(each, millis(now).plus(duration)))
          .toList();
    });
  }

  @Override
  public Future<Void> releaseLock(String queueName, String jobId) {
    return answer("releaseLock", () -> {
      JobChecks.requireJob(queueName, jobId);
      table.find(queueName, jobId).ifPresent(this::unlock);
      return null;
    });
  }

  @Override
  public Future<Boolean> releaseLock(JobLock held) {
    return answer("releaseLock", () -> {
      JobChecks.requireLock(held);
      Optional<JobRow> row = ends.held(held);
      row.ifPresent(this::unlock);
      return row.isPresent();
    });
  }

  @Override
  public Future<List<FinishResult>> finishJobs(List<FinishJob> commands) {
    return answer("finishJobs", () -> {
      JobChecks.check(commands);
      return commands.stream().map(ends::finish).toList();
    });
  }

  @Override
  public Future<FinishedAndFetched> finishAndFetch(FinishAndFetch command) {
    return answer("finishAndFetch", () -> {
      JobChecks.check(command);
      List<FinishResult> results = command.finished().stream().map(ends::finish).toList();
      return new FinishedAndFetched(results, fetches.fetch(command.fetch()));
    });
  }

  @Override
  public Future<Optional<FinishedJob>> failJob(
      String queueName, String jobId, String reason, Instant now) {
    return answer("failJob", () -> {
      JobChecks.requireJob(queueName, jobId);
      JobChecks.requireInstant("now", now);
      StorableText.require("reason", reason);
      return table.find(queueName, jobId).flatMap(row -> ends.fail(row, reason, millis(now)));
    });
  }

  @Override
  public Future<Boolean> cancelJob(String queueName, String jobId, Instant now) {
    Future<Boolean> asked = answer("cancelJob", () -> {
      JobChecks.requireJob(queueName, jobId);
      JobChecks.requireInstant("now", now);
      Optional<JobRow> active =
          table.find(queueName, jobId).filter(row -> row.job.state() == JobState.ACTIVE);
      active.ifPresent(row -> ends.cancel(row, millis(now)));
      return active.isPresent();
    });
    return asked.compose(active ->
        active ? publishCancelled(queueName, jobId, now).map(true) : Future.succeededFuture(false));
  }

  @Override
  public Future<CancelResult> cancelOpenJob(String queueName, String jobId, Instant now) {
    Future<CancelResult> asked = answer("cancelOpenJob", () -> {
      JobChecks.requireJob(queueName, jobId);
      JobChecks.requireInstant("now", now);
      return table
          .find(queueName, jobId)
          .map(row -> ends.cancel(row, millis(now)))
          .orElseGet(CancelResult.Unchanged::new);
    });
    return asked.compose(result -> result instanceof CancelResult.Requested
        ? publishCancelled(queueName, jobId, now).map(result)
        : Future.succeededFuture(result));
  }

  @Override
  public Future<Boolean> appendLog(String queueName, String jobId, String line) {
    return answer("appendLog", () -> {
      JobChecks.requireJob(queueName, jobId);
      JobChecks.requireLine(line);
      Optional<JobRow> row = table.find(queueName, jobId);
      row.ifPresent(found -> found.addLine(line));
      return row.isPresent();
    });
  }

  @Override
  public Future<Boolean> appendLog(JobLock held, String line) {
    return answer("appendLog", () -> {
      JobChecks.requireLock(held);
      JobChecks.requireLine(line);
      Optional<JobRow> row = ends.held(held);
      row.ifPresent(found -> found.addLine(line));
      return row.isPresent();
    });
  }

  @Override
  public Future<List<String>> getLogs(String queueName, String jobId, int start, int end) {
    return answer("getLogs", () -> {
      JobChecks.requireJob(queueName, jobId);
      JobChecks.requireRange(start, end);
      return table.find(queueName, jobId).map(JobRow::logs).orElse(List.of()).stream()
          .skip(start)
          .limit((long) end - start)
          .toList();
    });
  }

  @Override
  public Future<Void> clearLogs(String queueName, String jobId) {
    return answer("clearLogs", () -> {
      JobChecks.requireJob(queueName, jobId);
      table.find(queueName, jobId).ifPresent(JobRow::clearLogs);
      return null;
    });
  }

  @Override
  public Future<List<AttemptRecord>> listAttempts(String queueName, String jobId) {
    return answer("listAttempts", () -> {
      JobChecks.requireJob(queueName, jobId);
      return table.find(queueName, jobId).map(JobRow::attempts).orElse(List.of());
    });
  }

  @Override
  public Future<Long> getActiveCount(String queueName) {
    return answer("getActiveCount", () -> {
      JobChecks.requireQueue(queueName);
      return lists.count(queueName, JobState.ACTIVE);
    });
  }

  @Override
  public Future<List<JobData>> listJobs(String queueName, JobState state, int start, int end) {
    return answer("listJobs", () -> {
      JobChecks.requireQueue(queueName);
      JobChecks.requireRange(start, end);
      return lists.inState(queueName, state, start, end);
    });
  }

  @Override
  public Future<Long> countJobs(String queueName, JobState state) {
    return answer("countJobs", () -> {
      JobChecks.requireQueue(queueName);
      return lists.count(queueName, state);
    });
  }

  @Override
  public Future<Map<JobState, Long>> getJobCounts(String queueName) {
    return answer("getJobCounts", () -> {
      JobChecks.requireQueue(queueName);
      return Map.copyOf(lists.counts(queueName));
    });
  }

  @Override
  public Future<List<QueueInfo>> listQueues() {
    return answer("listQueues", () -> {
      return lists.queues();
    });
  }

  @Override
  public Future<Optional<JobData>> findJobById(String jobId) {
    return answer("findJobById", () -> {
      JobChecks.requireJob(ALL, jobId);
      return lists.byId(jobId).map(JobRow::full);
    });
  }

  @Override
  public Future<List<JobData>> searchByName(String query, Optional<String> queueName, int limit) {
    return answer("searchByName", () -> {
      JobChecks.requireLimit(limit);
      StorableText.require("query", query);
      queueName.ifPresent(JobChecks::requireQueue);
      return lists.newest(
          job -> queueName.map(job.queueName()::equals).orElse(true)
              && JobLists.contains(job.name(), query),
          limit);
    });
  }

  @Override
  public Future<List<JobData>> searchByPayload(String queueName, String query, int limit) {
    return answer("searchByPayload", () -> {
      JobChecks.requireQueue(queueName);
      JobChecks.requireLimit(limit);
      StorableText.require("query", query);
      return lists.newest(
          job ->
              queueName.equals(job.queueName()) && JobLists.contains(job.data().text(), query),
          limit);
    });
  }

  @Override
  public Future<JobPage> searchJobs(SearchJobsFilter filter, int start, int end) {
    return answer("searchJobs", () -> {
      JobChecks.check(filter);
      JobChecks.requireRange(start, end);
      return lists.search(filter, start, end);
    });
  }

  @Override
  public Future<List<JobData>> listFlowParents(Optional<JobState> state, int limit) {
    return answer("listFlowParents", () -> {
      JobChecks.requireLimit(limit);
      return lists.newest(
          job -> !job.childrenIds().isEmpty() && state.map(job.state()::equals).orElse(true),
          limit);
    });
  }

  @Override
  public Future<Optional<Instant>> getNextDelayedTimestamp(String queueName) {
    return answer("getNextDelayedTimestamp", () -> {
      JobChecks.requireQueue(queueName);
      return table.queue(queueName).in(JobState.DELAYED).stream()
          .flatMap(row -> Optional.ofNullable(row.job.delayUntil()).stream())
          .findFirst();
    });
  }

  @Override
  public Future<Integer> promoteDelayedJobs(String queueName, Instant timestamp) {
    return answer("promoteDelayedJobs", () -> {
      JobChecks.requireQueue(queueName);
      JobChecks.requireInstant("timestamp", timestamp);
      return promote(table.queue(queueName).in(JobState.DELAYED).stream()
          .filter(row -> isDue(row, millis(timestamp)))
          .limit(JobChecks.MOST_ENTRIES)
          .toList());
    });
  }

  @Override
  public Future<Integer> promoteJobs(String queueName) {
    return answer("promoteJobs", () -> {
      JobChecks.requireQueue(queueName);
      return promote(List.copyOf(table.queue(queueName).in(JobState.DELAYED)));
    });
  }

  @Override
  public Future<Void> pauseJobName(String queueName, String jobName) {
    return answer("pauseJobName", () -> {
      JobChecks.requireQueue(queueName);
      JobChecks.requireName(jobName);
      table.queue(queueName).paused.add(jobName);
      return null;
    });
  }

  @Override
  public Future<Void> resumeJobName(String queueName, String jobName) {
    return answer("resumeJobName", () -> {
      JobChecks.requireQueue(queueName);
      JobChecks.requireName(jobName);
      table.queue(queueName).paused.remove(jobName);
      return null;
    });
  }

  @Override
  public Future<List<String>> getPausedJobNames(String queueName) {
    return answer("getPausedJobNames", () -> {
      JobChecks.requireQueue(queueName);
      return List.copyOf(table.queue(queueName).paused);
    });
  }

  @Override
  public Future<List<JobData>> getStalledJobs(String queueName, Instant now, int limit) {
    return answer("getStalledJobs", () -> {
      JobChecks.requireQueue(queueName);
      JobChecks.requireInstant("now", now);
      JobChecks.requireLimit(limit);
      return table.queue(queueName).in(JobState.ACTIVE).stream()
          .map(row -> row.job)
          .filter(job -> lockEnd(job).isBefore(millis(now)))
          .sorted(Comparator.comparing(MemoryJobStore::lockEnd))
          .limit(limit)
          .toList();
    });
  }

  @Override
  public Future<Integer> clean(String queueName, JobState state, Duration grace, Instant now) {
    return answer("clean", () -> {
      JobChecks.requireQueue(queueName);
      JobChecks.requireTerminal(state);
      JobChecks.requireGrace(grace, now);
      return removeEnded(table.queue(queueName).in(state).stream()
          .filter(JobRow::hasEnd)
          .filter(row -> row.endedAt().isBefore(millis(now).minus(grace)))
          .toList());
    });
  }

  @Override
  public Future<List<JobChange>> drain(String queueName, Instant now) {
    return answer("drain", () -> {
      JobChecks.requireQueue(queueName);
      JobChecks.requireInstant("now", now);
      List<JobRow> rows = new ArrayList<>();
      for (JobState state :
          List.of(JobState.WAITING, JobState.DELAYED, JobState.WAITING_CHILDREN)) {
        rows.addAll(table.queue(queueName).in(state));
      }
      return ends.remove(rows, millis(now));
    });
  }

  @Override
  public Future<List<JobChange>> obliterate(String queueName, Obliterate how, Instant now) {
    return answer("obliterate", () -> {
      JobChecks.requireQueue(queueName);
      JobChecks.requireInstant("now", now);
      if (how == Obliterate.IF_IDLE && table.hasActive(queueName)) {
        throw RunlaneException.conflict(
            StorageConflictKind.JOB_STATE, "queue %s: active jobs exist", queueName);
      }
      List<JobChange> changed =
          ends.remove(List.copyOf(table.queue(queueName).byId.values()), millis(now));
      table.queues.remove(queueName);
      schedules.forget(queueName);
      metrics.forget(queueName);
      return changed;
    });
  }

  @Override
  public Future<Integer> retryJobs(String queueName, JobState state) {
    return answer("retryJobs", () -> {
      JobChecks.requireQueue(queueName);
      return retry(state.isTerminal() ? List.copyOf(table.queue(queueName).in(state)) : List.of());
    });
  }

  @Override
  public Future<Integer> retryJobs(String queueName, FailedJobsFilter filter) {
    return answer("retryJobs", () -> {
      JobChecks.requireQueue(queueName);
      JobChecks.check(filter);
      return retry(lists.failed(queueName, filter).toList());
    });
  }

  private int retry(List<JobRow> rows) {
    for (JobRow row : rows) {
      row.keepCompletion();
      table.put(row, JobTransitions.retried(row.job));
      row.setStacks(List.of());
    }
    return rows.size();
  }

  @Override
  public Future<Long> countJobs(String queueName, FailedJobsFilter filter) {
    return answer("countJobs", () -> {
      JobChecks.requireQueue(queueName);
      JobChecks.check(filter);
      return lists.failed(queueName, filter).count();
    });
  }

  @Override
  public Future<Integer> removeExpiredJobs(String queueName, Instant now, int limit) {
    return answer("removeExpiredJobs", () -> {
      JobChecks.requireQueue(queueName);
      JobChecks.requireInstant("now", now);
      JobChecks.requireLimit(limit);
      table.queue(queueName).forgetIdleGroups();
      return removeEnded(Stream.of(JobState.COMPLETED, JobState.FAILED)
          .flatMap(state -> table.queue(queueName).in(state).stream())
          .filter(row -> expiresAt(row).filter(at -> !at.isAfter(millis(now))).isPresent())
          .sorted(Comparator.comparing(row -> expiresAt(row).orElseThrow()))
          .limit(limit)
          .toList());
    });
  }

  @Override
  public Future<List<JobRef>> redriveDeadLetters(String queueName, int limit, Instant now) {
    return answer("redriveDeadLetters", () -> {
      JobChecks.requireQueue(queueName);
      JobChecks.requireLimit(limit);
      JobChecks.requireInstant("now", now);
      return table.queue(queueName).in(JobState.WAITING).stream()
          .filter(row -> row.job.deadLetter() != null)
          .limit(limit)
          .toList()
          .stream()
          .map(row -> redriven(row, millis(now)))
          .toList();
    });
  }

  @Override
  public Future<Void> subscribe(String queueName, Consumer<StoreEvent> listener) {
    return unlocked("subscribe", () -> {
      JobChecks.requireQueue(queueName);
      listeners.add(queueName, listener);
    });
  }

  @Override
  public Future<Void> unsubscribe(String queueName, Consumer<StoreEvent> listener) {
    return unlocked("unsubscribe", () -> listeners.remove(queueName, listener));
  }

  @Override
  public Future<Void> unsubscribe(String queueName) {
    return unlocked("unsubscribe", () -> listeners.removeAll(queueName));
  }

  @Override
  public Future<Void> publish(StoreEvent event) {
    return publishAll(List.of(event));
  }

  @Override
  public Future<Void> publishAll(List<StoreEvent> events) {
    return unlocked("publish", () -> {
      events.forEach(event -> JobChecks.requireQueue(event.queueName()));
      events.forEach(listeners::deliver);
    });
  }

  @Override
  public boolean sharesEvents() {
    return false;
  }

  @Override
  public Future<List<String>> saveFlow(List<FlowNode> jobs, Instant now) {
    return answer("saveFlow", () -> {
      JobChecks.checkFlow(jobs);
      JobChecks.requireInstant("now", now);
      return saves.saveFlow(jobs);
    });
  }

  @Override
  public Future<JobState> notifyChildCompleted(
      String parentQueueName, String parentId, Instant now) {
    return answer("notifyChildCompleted", () -> {
      JobChecks.requireJob(parentQueueName, parentId);
      JobChecks.requireInstant("now", now);
      return table
          .find(parentQueueName, parentId)
          .filter(row -> row.job.state() == JobState.WAITING_CHILDREN)
          .map(row -> childDone(row, millis(now)))
          .orElse(JobState.COMPLETED);
    });
  }

  @Override
  public Future<Boolean> failParentOnChildFailure(
      String parentQueueName, String parentId, String reason, Instant now) {
    return answer("failParentOnChildFailure", () -> {
      JobChecks.requireJob(parentQueueName, parentId);
      JobChecks.requireInstant("now", now);
      StorableText.require("reason", reason);
      Optional<JobRow> parent =
          table.find(parentQueueName, parentId).filter(MemoryJobStore::mayFail);
      parent.ifPresent(row -> table.put(
          row, JobTransitions.failed(row.job, JobTransitions.CHILD_FAILED + reason, millis(now))));
      return parent.isPresent();
    });
  }

  @Override
  public Future<List<JobData>> getChildrenJobs(String parentQueueName, String parentId) {
    return answer("getChildrenJobs", () -> {
      JobChecks.requireJob(parentQueueName, parentId);
      return lists.children(parentQueueName, parentId);
    });
  }

  @Override
  public Future<Long> getGroupActiveCount(String queueName, String groupId) {
    return answer("getGroupActiveCount", () -> {
      JobChecks.requireQueue(queueName);
      JobChecks.requireGroup(groupId);
      return (long) table.queue(queueName).group(groupId).active;
    });
  }

  @Override
  public Future<Long> getWaitingGroupCount(String queueName, String groupId) {
    return answer("getWaitingGroupCount", () -> {
      JobChecks.requireQueue(queueName);
      JobChecks.requireGroup(groupId);
      return (long) table.queue(queueName).group(groupId).firstIn.size();
    });
  }

  @Override
  public Future<JobSchedule> upsertSchedule(UpsertSchedule command) {
    return answer("upsertSchedule", () -> {
      JobChecks.check(command);
      return schedules.upsert(command);
    });
  }

  @Override
  public Future<Optional<JobSchedule>> getSchedule(String queueName, String key) {
    return answer("getSchedule", () -> {
      JobChecks.requireSchedule(queueName, key);
      return schedules.find(queueName, key);
    });
  }

  @Override
  public Future<List<JobSchedule>> listSchedules(String queueName) {
    return answer("listSchedules", () -> {
      JobChecks.requireQueue(queueName);
      return schedules.list(queueName);
    });
  }

  @Override
  public Future<Boolean> removeSchedule(String queueName, String key) {
    return answer("removeSchedule", () -> {
      JobChecks.requireSchedule(queueName, key);
      return schedules.remove(queueName, key);
    });
  }

  @Override
  public Future<List<JobSchedule>> listDueSchedules(String queueName, Instant now, int limit) {
    return answer("listDueSchedules", () -> {
      JobChecks.requireQueue(queueName);
      JobChecks.requireInstant("now", now);
      JobChecks.requireLimit(limit);
      return schedules.due(queueName, millis(now), limit);
    });
  }

  @Override
  public Future<Optional<Instant>> getNextScheduleTimestamp(String queueName) {
    return answer("getNextScheduleTimestamp", () -> {
      JobChecks.requireQueue(queueName);
      return schedules.next(queueName);
    });
  }

  @Override
  public Future<Optional<SavedJob>> fireSchedule(FireSchedule command) {
    return answer("fireSchedule", () -> {
      JobChecks.check(command);
      return schedules.fire(command);
    });
  }

  @Override
  public Future<List<MetricsBucket>> getMetrics(MetricsQuery query) {
    return answer("getMetrics", () -> {
      JobChecks.check(query);
      return metrics.list(query);
    });
  }

  @Override
  public Future<Void> aggregateMetrics(Instant now) {
    return answer("aggregateMetrics", () -> {
      JobChecks.requireInstant("now", now);
      metrics.aggregate(millis(now));
      return null;
    });
  }

  private Future<Void> publishCancelled(String queueName, String jobId, Instant now) {
    return publish(StoreEvent.of(StoreEventType.JOB_CANCELLED, queueName, jobId, now));
  }

  private LockStatus extended(JobLock held, Instant until) {
    Optional<JobRow> row = ends.held(held);
    row.filter(found -> lockEnd(found.job).isBefore(until))
        .ifPresent(found -> lockUntil(found, until));
    return row.map(
            found -> found.job.cancelledAt() == null ? LockStatus.HELD : LockStatus.HELD_CANCELLED)
        .orElse(LockStatus.LOST);
  }

  @Override
  public Optional<JobWebhookStore> webhooks() {
    return Optional.of(new WebhookDesk());
  }

  private final class WebhookDesk implements JobWebhookStore {
    @Override
    public Future<Void> registerWebhooks(RegisterJobWebhooks command) {
      return answer("registerWebhooks", () -> {
        JobChecks.check(command);
        table.webhooks.register(command);
        return null;
      });
    }

    @Override
    public Future<List<JobDelivery>> claimDeliveries(ClaimJobDeliveries command) {
      return answer("claimDeliveries", () -> {
        JobChecks.check(command);
        return table.webhooks.claim(command);
      });
    }

    @Override
    public Future<Void> finishDeliveries(FinishJobDeliveries command) {
      return answer("finishDeliveries", () -> {
        JobChecks.check(command);
        table.webhooks.finish(command);
        return null;
      });
    }
  }

  private void lockUntil(JobRow row, Instant until) {
    table.put(row, row.job.toBuilder().lockUntil(until).build());
  }

  private void unlock(JobRow row) {
    table.put(
        row, row.job.toBuilder().lockUntil(null).lockedBy(null).lockToken(null).build());
  }

  private int promote(List<JobRow> rows) {
    rows.forEach(row -> table.put(
        row, row.job.toBuilder().state(JobState.WAITING).delayUntil(null).build()));
    return rows.size();
  }

  private int removeEnded(List<JobRow> rows) {
    rows.forEach(table::remove);
    return rows.size();
  }

  private JobState childDone(JobRow parent, Instant now) {
    table.put(parent, JobTransitions.childDone(parent.job, now));
    return parent.job.state();
  }

  private JobRef redriven(JobRow row, Instant now) {
    DeadLetter origin = Objects.requireNonNull(row.job.deadLetter());
    NewJob job = NewJob.of(
        row.job.name(), row.job.data(), origin.options().toBuilder().jobId(null).build(), now);
    table.remove(row);
    return new JobRef(
        origin.queueName(), saves.save(origin.queueName(), job, null, now).id());
  }

  private static boolean mayFail(JobRow parent) {
    return parent.job.state() == JobState.WAITING_CHILDREN
        || parent.job.state() == JobState.WAITING;
  }

  private static boolean isDue(JobRow row, Instant timestamp) {
    Instant due = row.job.delayUntil();
    return due != null && !due.isAfter(timestamp);
  }

  /** A job without a lock never stalls. */
  private static Instant lockEnd(JobData job) {
    return Objects.requireNonNullElse(job.lockUntil(), Instant.MAX);
  }

  private static Optional<Instant> expiresAt(JobRow row) {
    @Nullable JobRemoval removal = row.job.options().removalAfter(row.job.state());
    return removal == null || removal.age() == null || !row.hasEnd()
        ? Optional.empty()
        : Optional.of(row.endedAt().plus(removal.age()));
  }

  private static Instant millis(Instant instant) {
    return instant.truncatedTo(ChronoUnit.MILLIS);
  }

  private <T extends @Nullable Object> Future<T> answer(String method, Supplier<T> command) {
    return AdapterCall.of(method, () -> {
      synchronized (lock) {
        return Future.succeededFuture(command.get());
      }
    });
  }

  /** Listeners are called without the lock, so that they may call the store. */
  private Future<Void> unlocked(String method, Runnable command) {
    return AdapterCall.of(method, () -> {
      command.run();
      return Future.succeededFuture();
    });
  }
}
