package dev.runlane.jobs.postgres;

import static dev.runlane.jobs.JobTimes.millis;

import dev.runlane.adapter.AdapterCall;
import dev.runlane.jobs.AttemptRecord;
import dev.runlane.jobs.FlowNode;
import dev.runlane.jobs.JobData;
import dev.runlane.jobs.JobLock;
import dev.runlane.jobs.JobRef;
import dev.runlane.jobs.JobSchedule;
import dev.runlane.jobs.JobState;
import dev.runlane.jobs.JobUpdate;
import dev.runlane.jobs.NewJob;
import dev.runlane.jobs.postgres.life.BulkChanges;
import dev.runlane.jobs.postgres.life.JobSaves;
import dev.runlane.jobs.postgres.operate.JobReads;
import dev.runlane.jobs.postgres.row.JobStatements;
import dev.runlane.jobs.store.FailedJobsFilter;
import dev.runlane.jobs.store.FinishedJob;
import dev.runlane.jobs.store.FireSchedule;
import dev.runlane.jobs.store.JobChange;
import dev.runlane.jobs.store.JobChecks;
import dev.runlane.jobs.store.JobPage;
import dev.runlane.jobs.store.JobStore;
import dev.runlane.jobs.store.Obliterate;
import dev.runlane.jobs.store.QueueInfo;
import dev.runlane.jobs.store.SavedJob;
import dev.runlane.jobs.store.SearchJobsFilter;
import dev.runlane.jobs.store.UpsertSchedule;
import dev.runlane.json.StorableText;
import dev.runlane.postgres.PgFailures;
import dev.runlane.postgres.statement.Parameters;
import dev.runlane.postgres.statement.SqlStatement;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** What a store and its view on a caller's transaction have in common: checks, then one statement or transaction. */
public abstract class JobCommands implements JobStore {
  private static final SqlStatement<Progress> UPDATE_PROGRESS = SqlStatement.of(
      "update_progress",
      new Parameters<Progress>()
          .of(Progress::job, JobStatements.OF_JOB)
          .value("progress", Progress::progress)
          .value("token", Progress::token));
  private static final Parameters<Named> OF_NAME =
      new Parameters<Named>().value("queue", Named::queue).value("name", Named::name);
  private static final SqlStatement<Named> PAUSE = SqlStatement.of("pause", OF_NAME);
  private static final SqlStatement<Named> RESUME = SqlStatement.of("resume", OF_NAME);

  /** The statements that are sent here. */
  public static final List<SqlStatement<?>> STATEMENTS = List.of(UPDATE_PROGRESS, PAUSE, RESUME);

  private static final Set<JobUpdate.Field> PROGRESS = Set.of(JobUpdate.Field.PROGRESS);

  JobCommands() {}

  /** Where the commands go; fails while the store is not connected. */
  abstract Future<JobScope> scope();

  /** Sends one statement of the store's own. */
  abstract <T> Future<T> statement(String operation, Function<JobScope, Future<T>> work);

  /** Checks, then calls; whatever goes wrong fails the future in our own form. */
  final <T> Future<T> call(String operation, Runnable checks, Function<JobScope, Future<T>> work) {
    return AdapterCall.of(operation, () -> {
          checks.run();
          return scope().compose(work);
        })
        .recover(PgFailures.during(operation));
  }

  private <T> Future<T> one(String operation, Runnable checks, Function<JobScope, Future<T>> work) {
    return AdapterCall.of(operation, () -> {
          checks.run();
          return statement(operation, work);
        })
        .recover(PgFailures.during(operation));
  }

  /** Jobs that share a name with others. */
  final Future<List<SavedJob>> saveNamed(
      JobScope scope, String queueName, List<NewJob> jobs, Instant now) {
    return scope.transactions().run("saveJobs", tx -> {
      JobSaves saves = new JobSaves(tx);
      return saves
          .lockNames(Map.of(queueName, jobs), true)
          .compose(locked -> saves.save(queueName, jobs, millis(now), true));
    });
  }

  static void checkSave(String queueName, List<NewJob> jobs, Instant now) {
    JobChecks.check(queueName, jobs);
    JobChecks.requireInstant("now", now);
  }

  @Override
  public Future<Optional<JobData>> getJob(String queueName, String jobId) {
    return one("getJob", () -> JobChecks.requireJob(queueName, jobId), scope -> scope
        .reads()
        .get(queueName, jobId));
  }

  @Override
  public Future<Void> updateJob(String queueName, String jobId, JobUpdate updates) {
    return update(queueName, jobId, updates, null);
  }

  @Override
  public Future<Void> updateJob(
      String queueName, String jobId, JobUpdate updates, List<JobState> expectedStates) {
    return update(queueName, jobId, updates, expectedStates);
  }

  private Future<Void> update(
      String queueName, String jobId, JobUpdate updates, @Nullable List<JobState> expected) {
    Runnable checks = () -> {
      JobChecks.requireJob(queueName, jobId);
      JobChecks.check(updates);
    };
    return expected == null && isProgressOnly(updates)
        ? progress(checks, queueName, jobId, null, updates).mapEmpty()
        : call("updateJob", checks, scope -> scope
            .changes()
            .update(queueName, jobId, updates, expected));
  }

  @Override
  public Future<Boolean> updateJob(JobLock lock, JobUpdate updates) {
    Runnable checks = () -> {
      JobChecks.requireLock(lock);
      JobChecks.check(updates);
    };
    return isProgressOnly(updates)
        ? progress(checks, lock.queueName(), lock.jobId(), lock.token(), updates)
        : call("updateJob", checks, scope -> scope.changes().update(lock, updates));
  }

  private static boolean isProgressOnly(JobUpdate updates) {
    return updates.fields().equals(PROGRESS);
  }

  private Future<Boolean> progress(
      Runnable checks, String queueName, String jobId, @Nullable String token, JobUpdate updates) {
    return one("updateJob", checks, scope -> scope
        .session()
        .execute(
            UPDATE_PROGRESS,
            new Progress(
                new JobRef(queueName, jobId), updates.get(JobUpdate.Field.PROGRESS), token))
        .map(result -> result.rowCount() > 0));
  }

  @Override
  public Future<List<JobChange>> removeJob(String queueName, String jobId, Instant now) {
    return call("removeJob", () -> checkJob(queueName, jobId, now), scope -> scope
        .changes()
        .remove(queueName, jobId, millis(now)));
  }

  private static void checkJob(String queueName, String jobId, Instant now) {
    JobChecks.requireJob(queueName, jobId);
    JobChecks.requireInstant("now", now);
  }

  private static void checkQueue(String queueName, Instant now) {
    JobChecks.requireQueue(queueName);
    JobChecks.requireInstant("now", now);
  }

  @Override
  public Future<Optional<JobData>> findByDeduplicationKey(
      String queueName, String key, Instant now) {
    return one(
        "findByDeduplicationKey",
        () -> {
          checkQueue(queueName, now);
          JobChecks.requireKey(key);
        },
        scope -> scope.reads().byKey(queueName, key, millis(now)));
  }

  @Override
  public Future<Optional<FinishedJob>> failJob(
      String queueName, String jobId, String reason, Instant now) {
    return call(
        "failJob",
        () -> {
          checkJob(queueName, jobId, now);
          StorableText.require("reason", reason);
        },
        scope -> scope.changes().fail(queueName, jobId, reason, millis(now)));
  }

  @Override
  public Future<List<String>> getLogs(String queueName, String jobId, int start, int end) {
    return one(
        "getLogs",
        () -> {
          JobChecks.requireJob(queueName, jobId);
          JobChecks.requireRange(start, end);
        },
        scope -> scope.reads().lines(queueName, jobId, start, end));
  }

  @Override
  public Future<Void> clearLogs(String queueName, String jobId) {
    return call("clearLogs", () -> JobChecks.requireJob(queueName, jobId), scope -> scope
        .changes()
        .clearLogs(queueName, jobId));
  }

  @Override
  public Future<List<AttemptRecord>> listAttempts(String queueName, String jobId) {
    return getJob(queueName, jobId).map(job -> job.map(JobData::attemptLogs).orElse(List.of()));
  }

  @Override
  public Future<Long> getActiveCount(String queueName) {
    return countJobs(queueName, JobState.ACTIVE);
  }

  @Override
  public Future<List<JobData>> listJobs(String queueName, JobState state, int start, int end) {
    return one(
        "listJobs",
        () -> {
          JobChecks.requireQueue(queueName);
          JobChecks.requireRange(start, end);
        },
        scope -> scope.reads().list(queueName, state, start, end));
  }

  @Override
  public Future<Long> countJobs(String queueName, JobState state) {
    return one("countJobs", () -> JobChecks.requireQueue(queueName), scope -> scope
        .reads()
        .count(queueName, state));
  }

  @Override
  public Future<Map<JobState, Long>> getJobCounts(String queueName) {
    return one("getJobCounts", () -> JobChecks.requireQueue(queueName), scope -> scope
        .reads()
        .counts(queueName));
  }

  @Override
  public Future<List<QueueInfo>> listQueues() {
    return one("listQueues", () -> {}, scope -> scope.reads().queues());
  }

  @Override
  public Future<Optional<JobData>> findJobById(String jobId) {
    return one("findJobById", () -> JobChecks.requireJob("any", jobId), scope -> scope
        .reads()
        .find(jobId));
  }

  @Override
  public Future<List<JobData>> searchByName(String query, Optional<String> queueName, int limit) {
    return one(
        "searchByName",
        () -> {
          StorableText.require("query", query);
          queueName.ifPresent(JobChecks::requireQueue);
          JobChecks.requireLimit(limit);
        },
        scope -> scope.reads().searchByName(query, queueName, limit));
  }

  @Override
  public Future<List<JobData>> searchByPayload(String queueName, String query, int limit) {
    return one(
        "searchByPayload",
        () -> {
          JobChecks.requireQueue(queueName);
          StorableText.require("query", query);
          JobChecks.requireLimit(limit);
        },
        scope -> scope.reads().searchByPayload(queueName, query, limit));
  }

  @Override
  public Future<JobPage> searchJobs(SearchJobsFilter filter, int start, int end) {
    return one(
        "searchJobs",
        () -> {
          JobChecks.check(filter);
          JobChecks.requireRange(start, end);
        },
        scope -> scope.reads().search(filter, start, end));
  }

  @Override
  public Future<JobPage> searchSummaries(SearchJobsFilter filter, int start, int end) {
    return one(
        "searchSummaries",
        () -> {
          JobChecks.check(filter);
          JobChecks.requireRange(start, end);
        },
        scope -> scope.reads().searchSummaries(filter, start, end));
  }

  @Override
  public Future<List<JobData>> listFlowParents(Optional<JobState> state, int limit) {
    return one("listFlowParents", () -> JobChecks.requireLimit(limit), scope -> scope
        .reads()
        .parents(state, limit));
  }

  @Override
  public Future<Optional<Instant>> getNextDelayedTimestamp(String queueName) {
    return one("getNextDelayedTimestamp", () -> JobChecks.requireQueue(queueName), scope -> scope
        .reads()
        .nextDelayed(queueName));
  }

  @Override
  public Future<Integer> promoteDelayedJobs(String queueName, Instant timestamp) {
    return AdapterCall.of("promoteDelayedJobs", () -> {
          checkQueue(queueName, timestamp);
          return BulkChanges.byParts(
              JobChecks.MOST_ENTRIES,
              size -> statement(
                  "promoteDelayedJobs",
                  scope -> scope.changes().promote(queueName, millis(timestamp), size)));
        })
        .recover(PgFailures.during("promoteDelayedJobs"));
  }

  @Override
  public Future<Integer> promoteJobs(String queueName) {
    return call(
        "promoteJobs",
        () -> JobChecks.requireQueue(queueName),
        scope -> scope.changes().bulk().promoteAll(queueName));
  }

  @Override
  public Future<Void> pauseJobName(String queueName, String jobName) {
    return pause("pause", PAUSE, queueName, jobName);
  }

  @Override
  public Future<Void> resumeJobName(String queueName, String jobName) {
    return pause("resume", RESUME, queueName, jobName);
  }

  private Future<Void> pause(
      String operation, SqlStatement<Named> statement, String queueName, String jobName) {
    return one(
        operation,
        () -> {
          JobChecks.requireQueue(queueName);
          JobChecks.requireName(jobName);
        },
        scope ->
            scope.session().execute(statement, new Named(queueName, jobName)).mapEmpty());
  }

  @Override
  public Future<List<String>> getPausedJobNames(String queueName) {
    return one("getPausedJobNames", () -> JobChecks.requireQueue(queueName), scope -> scope
        .reads()
        .pauses(queueName));
  }

  @Override
  public Future<List<JobData>> getStalledJobs(String queueName, Instant now, int limit) {
    return one(
        "getStalledJobs",
        () -> {
          checkQueue(queueName, now);
          JobChecks.requireLimit(limit);
        },
        scope -> scope.reads().stalled(queueName, millis(now), limit));
  }

  @Override
  public Future<Integer> clean(String queueName, JobState state, Duration grace, Instant now) {
    return call(
        "clean",
        () -> {
          checkQueue(queueName, now);
          JobChecks.requireTerminal(state);
          JobChecks.requireGrace(grace, now);
        },
        scope -> scope.changes().bulk().clean(queueName, state, grace, millis(now)));
  }

  @Override
  public Future<List<JobChange>> drain(String queueName, Instant now) {
    return call("drain", () -> checkQueue(queueName, now), scope -> scope
        .changes()
        .drain(queueName, millis(now)));
  }

  @Override
  public Future<List<JobChange>> obliterate(String queueName, Obliterate how, Instant now) {
    return call("obliterate", () -> checkQueue(queueName, now), scope -> scope
        .changes()
        .obliterate(queueName, how, millis(now)));
  }

  @Override
  public Future<Integer> retryJobs(String queueName, JobState state) {
    return call(
        "retryJobs",
        () -> JobChecks.requireQueue(queueName),
        scope -> state.isTerminal()
            ? scope.changes().bulk().retry(queueName, state)
            : Future.succeededFuture(0));
  }

  @Override
  public Future<Integer> retryJobs(String queueName, FailedJobsFilter filter) {
    return call(
        "retryJobs",
        () -> checkFailed(queueName, filter),
        scope -> scope.changes().bulk().retry(queueName, filter));
  }

  @Override
  public Future<Long> countJobs(String queueName, FailedJobsFilter filter) {
    return call(
        "countJobs",
        () -> checkFailed(queueName, filter),
        scope -> scope.changes().bulk().count(queueName, filter));
  }

  private static void checkFailed(String queueName, FailedJobsFilter filter) {
    JobChecks.requireQueue(queueName);
    JobChecks.check(filter);
  }

  @Override
  public Future<Integer> removeExpiredJobs(String queueName, Instant now, int limit) {
    return call(
        "removeExpiredJobs",
        () -> {
          checkQueue(queueName, now);
          JobChecks.requireLimit(limit);
        },
        scope -> scope.changes().bulk().removeExpired(queueName, millis(now), limit));
  }

  @Override
  public Future<List<JobRef>> redriveDeadLetters(String queueName, int limit, Instant now) {
    return call(
        "redriveDeadLetters",
        () -> {
          checkQueue(queueName, now);
          JobChecks.requireLimit(limit);
        },
        scope -> scope.changes().redrive(queueName, limit, millis(now)));
  }

  @Override
  public Future<List<String>> saveFlow(List<FlowNode> jobs, Instant now) {
    return call(
        "saveFlow",
        () -> {
          JobChecks.checkFlow(jobs);
          JobChecks.requireInstant("now", now);
        },
        scope -> jobs.isEmpty()
            ? Future.succeededFuture(List.of())
            : scope.transactions().run("saveFlow", tx -> new JobSaves(tx).saveFlow(jobs)));
  }

  @Override
  public Future<JobState> notifyChildCompleted(
      String parentQueueName, String parentId, Instant now) {
    return call(
        "notifyChildCompleted",
        () -> checkJob(parentQueueName, parentId, now),
        scope -> scope.changes().childCompleted(parentQueueName, parentId, millis(now)));
  }

  @Override
  public Future<Boolean> failParentOnChildFailure(
      String parentQueueName, String parentId, String reason, Instant now) {
    return call(
        "failParentOnChildFailure",
        () -> {
          checkJob(parentQueueName, parentId, now);
          StorableText.require("reason", reason);
        },
        scope -> scope.changes().failParent(parentQueueName, parentId, reason, millis(now)));
  }

  @Override
  public Future<List<JobData>> getChildrenJobs(String parentQueueName, String parentId) {
    return one(
        "getChildrenJobs",
        () -> JobChecks.requireJob(parentQueueName, parentId),
        scope -> scope.reads().children(parentQueueName, parentId));
  }

  @Override
  public Future<List<JobData>> getChildrenSummaries(
      String parentQueueName, String parentId, int limit) {
    return one(
        "getChildrenSummaries",
        () -> {
          JobChecks.requireJob(parentQueueName, parentId);
          JobChecks.requireLimit(limit);
        },
        scope -> scope.reads().childrenSummaries(parentQueueName, parentId, limit));
  }

  @Override
  public Future<Long> getGroupActiveCount(String queueName, String groupId) {
    return inGroup(JobReads.COUNT_GROUP_ACTIVE, queueName, groupId);
  }

  @Override
  public Future<Long> getWaitingGroupCount(String queueName, String groupId) {
    return inGroup(JobReads.COUNT_GROUP_WAITING, queueName, groupId);
  }

  private Future<Long> inGroup(
      SqlStatement<JobReads.OfGroup> statement, String queueName, String groupId) {
    return one(
        "counting a group",
        () -> {
          JobChecks.requireQueue(queueName);
          JobChecks.requireGroup(groupId);
        },
        scope -> scope.reads().inGroup(statement, queueName, groupId));
  }

  @Override
  public Future<JobSchedule> upsertSchedule(UpsertSchedule command) {
    return one("upsertSchedule", () -> JobChecks.check(command), scope -> scope
        .schedules()
        .upsert(command));
  }

  @Override
  public Future<Optional<JobSchedule>> getSchedule(String queueName, String key) {
    return one("getSchedule", () -> JobChecks.requireSchedule(queueName, key), scope -> scope
        .schedules()
        .get(queueName, key));
  }

  @Override
  public Future<List<JobSchedule>> listSchedules(String queueName) {
    return one("listSchedules", () -> JobChecks.requireQueue(queueName), scope -> scope
        .schedules()
        .list(queueName));
  }

  @Override
  public Future<List<JobSchedule>> listScheduleSummaries(String queueName) {
    return one("listScheduleSummaries", () -> JobChecks.requireQueue(queueName), scope -> scope
        .schedules()
        .listSummaries(queueName));
  }

  @Override
  public Future<Boolean> removeSchedule(String queueName, String key) {
    return one("removeSchedule", () -> JobChecks.requireSchedule(queueName, key), scope -> scope
        .schedules()
        .remove(queueName, key));
  }

  @Override
  public Future<List<JobSchedule>> listDueSchedules(String queueName, Instant now, int limit) {
    return one(
        "listDueSchedules",
        () -> {
          checkQueue(queueName, now);
          JobChecks.requireLimit(limit);
        },
        scope -> scope.schedules().due(queueName, millis(now), limit));
  }

  @Override
  public Future<Optional<Instant>> getNextScheduleTimestamp(String queueName) {
    return one("getNextScheduleTimestamp", () -> JobChecks.requireQueue(queueName), scope -> scope
        .schedules()
        .next(queueName));
  }

  @Override
  public Future<Optional<SavedJob>> fireSchedule(FireSchedule command) {
    return call("fireSchedule", () -> JobChecks.check(command), scope -> scope
        .schedules()
        .fire(command));
  }

  private record Progress(
      JobRef job, @Nullable Object progress, @Nullable String token) {}

  private record Named(String queue, String name) {}
}
