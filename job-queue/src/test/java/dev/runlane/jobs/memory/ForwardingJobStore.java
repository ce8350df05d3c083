package dev.runlane.jobs.memory;

import dev.runlane.jobs.AttemptRecord;
import dev.runlane.jobs.FlowNode;
import dev.runlane.jobs.JobData;
import dev.runlane.jobs.JobLock;
import dev.runlane.jobs.JobRef;
import dev.runlane.jobs.JobSchedule;
import dev.runlane.jobs.JobState;
import dev.runlane.jobs.JobUpdate;
import dev.runlane.jobs.MetricsBucket;
import dev.runlane.jobs.NewJob;
import dev.runlane.jobs.StoreEvent;
import dev.runlane.jobs.store.CancelResult;
import dev.runlane.jobs.store.FetchJobs;
import dev.runlane.jobs.store.FinishAndFetch;
import dev.runlane.jobs.store.FinishJob;
import dev.runlane.jobs.store.FinishResult;
import dev.runlane.jobs.store.FinishedAndFetched;
import dev.runlane.jobs.store.FinishedJob;
import dev.runlane.jobs.store.FireSchedule;
import dev.runlane.jobs.store.JobChange;
import dev.runlane.jobs.store.JobPage;
import dev.runlane.jobs.store.JobStore;
import dev.runlane.jobs.store.LockStatus;
import dev.runlane.jobs.store.MetricsQuery;
import dev.runlane.jobs.store.Obliterate;
import dev.runlane.jobs.store.QueueInfo;
import dev.runlane.jobs.store.SavedJob;
import dev.runlane.jobs.store.SearchJobsFilter;
import dev.runlane.jobs.store.UpsertSchedule;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/** Does what another store does; subclasses break one thing. */
class ForwardingJobStore implements JobStore {
  final JobStore real;

  ForwardingJobStore(JobStore real) {
    this.real = real;
  }

  @Override
  public Future<Void> connect() {
    return real.connect();
  }

  @Override
  public Future<Void> disconnect() {
    return real.disconnect();
  }

  @Override
  public Future<List<SavedJob>> saveJobs(String queueName, List<NewJob> jobs, Instant now) {
    return real.saveJobs(queueName, jobs, now);
  }

  @Override
  public Future<Optional<JobData>> getJob(String queueName, String jobId) {
    return real.getJob(queueName, jobId);
  }

  @Override
  public Future<Void> updateJob(String queueName, String jobId, JobUpdate updates) {
    return real.updateJob(queueName, jobId, updates);
  }

  @Override
  public Future<Void> updateJob(
      String queueName, String jobId, JobUpdate updates, List<JobState> expectedStates) {
    return real.updateJob(queueName, jobId, updates, expectedStates);
  }

  @Override
  public Future<Boolean> updateJob(JobLock lock, JobUpdate updates) {
    return real.updateJob(lock, updates);
  }

  @Override
  public Future<List<JobChange>> removeJob(String queueName, String jobId, Instant now) {
    return real.removeJob(queueName, jobId, now);
  }

  @Override
  public Future<Optional<JobData>> findByDeduplicationKey(
      String queueName, String key, Instant now) {
    return real.findByDeduplicationKey(queueName, key, now);
  }

  @Override
  public Future<List<JobData>> fetchNextJobs(FetchJobs command) {
    return real.fetchNextJobs(command);
  }

  @Override
  public Future<Boolean> extendLock(
      String queueName, String jobId, Duration duration, Instant now) {
    return real.extendLock(queueName, jobId, duration, now);
  }

  @Override
  public Future<List<LockStatus>> extendLocks(List<JobLock> locks, Duration duration, Instant now) {
    return real.extendLocks(locks, duration, now);
  }

  @Override
  public Future<Void> releaseLock(String queueName, String jobId) {
    return real.releaseLock(queueName, jobId);
  }

  @Override
  public Future<Boolean> releaseLock(JobLock lock) {
    return real.releaseLock(lock);
  }

  @Override
  public Future<List<FinishResult>> finishJobs(List<FinishJob> commands) {
    return real.finishJobs(commands);
  }

  @Override
  public Future<FinishedAndFetched> finishAndFetch(FinishAndFetch command) {
    return real.finishAndFetch(command);
  }

  @Override
  public Future<Optional<FinishedJob>> failJob(
      String queueName, String jobId, String reason, Instant now) {
    return real.failJob(queueName, jobId, reason, now);
  }

  @Override
  public Future<Boolean> cancelJob(String queueName, String jobId, Instant now) {
    return real.cancelJob(queueName, jobId, now);
  }

  @Override
  public Future<CancelResult> cancelOpenJob(String queueName, String jobId, Instant now) {
    return real.cancelOpenJob(queueName, jobId, now);
  }

  @Override
  public Future<Boolean> appendLog(String queueName, String jobId, String line) {
    return real.appendLog(queueName, jobId, line);
  }

  @Override
  public Future<Boolean> appendLog(JobLock lock, String line) {
    return real.appendLog(lock, line);
  }

  @Override
  public Future<List<String>> getLogs(String queueName, String jobId, int start, int end) {
    return real.getLogs(queueName, jobId, start, end);
  }

  @Override
  public Future<Void> clearLogs(String queueName, String jobId) {
    return real.clearLogs(queueName, jobId);
  }

  @Override
  public Future<List<AttemptRecord>> listAttempts(String queueName, String jobId) {
    return real.listAttempts(queueName, jobId);
  }

  @Override
  public Future<Long> getActiveCount(String queueName) {
    return real.getActiveCount(queueName);
  }

  @Override
  public Future<List<JobData>> listJobs(String queueName, JobState state, int start, int end) {
    return real.listJobs(queueName, state, start, end);
  }

  @Override
  public Future<Long> countJobs(String queueName, JobState state) {
    return real.countJobs(queueName, state);
  }

  @Override
  public Future<Map<JobState, Long>> getJobCounts(String queueName) {
    return real.getJobCounts(queueName);
  }

  @Override
  public Future<List<QueueInfo>> listQueues() {
    return real.listQueues();
  }

  @Override
  public Future<Optional<JobData>> findJobById(String jobId) {
    return real.findJobById(jobId);
  }

  @Override
  public Future<List<JobData>> searchByName(String query, Optional<String> queueName, int limit) {
    return real.searchByName(query, queueName, limit);
  }

  @Override
  public Future<List<JobData>> searchByPayload(String queueName, String query, int limit) {
    return real.searchByPayload(queueName, query, limit);
  }

  @Override
  public Future<JobPage> searchJobs(SearchJobsFilter filter, int start, int end) {
    return real.searchJobs(filter, start, end);
  }

  @Override
  public Future<List<JobData>> listFlowParents(Optional<JobState> state, int limit) {
    return real.listFlowParents(state, limit);
  }

  @Override
  public Future<Optional<Instant>> getNextDelayedTimestamp(String queueName) {
    return real.getNextDelayedTimestamp(queueName);
  }

  @Override
  public Future<Integer> promoteDelayedJobs(String queueName, Instant timestamp) {
    return real.promoteDelayedJobs(queueName, timestamp);
  }

  @Override
  public Future<Integer> promoteJobs(String queueName) {
    return real.promoteJobs(queueName);
  }

  @Override
  public Future<Void> pauseJobName(String queueName, String jobName) {
    return real.pauseJobName(queueName, jobName);
  }

  @Override
  public Future<Void> resumeJobName(String queueName, String jobName) {
    return real.resumeJobName(queueName, jobName);
  }

  @Override
  public Future<List<String>> getPausedJobNames(String queueName) {
    return real.getPausedJobNames(queueName);
  }

  @Override
  public Future<List<JobData>> getStalledJobs(String queueName, Instant now, int limit) {
    return real.getStalledJobs(queueName, now, limit);
  }

  @Override
  public Future<Integer> clean(String queueName, JobState state, Duration grace, Instant now) {
    return real.clean(queueName, state, grace, now);
  }

  @Override
  public Future<List<JobChange>> drain(String queueName, Instant now) {
    return real.drain(queueName, now);
  }

  @Override
  public Future<List<JobChange>> obliterate(String queueName, Obliterate how, Instant now) {
    return real.obliterate(queueName, how, now);
  }

  @Override
  public Future<Integer> retryJobs(String queueName, JobState state) {
    return real.retryJobs(queueName, state);
  }

  @Override
  public Future<Integer> removeExpiredJobs(String queueName, Instant now, int limit) {
    return real.removeExpiredJobs(queueName, now, limit);
  }

  @Override
  public Future<List<JobRef>> redriveDeadLetters(String queueName, int limit, Instant now) {
    return real.redriveDeadLetters(queueName, limit, now);
  }

  @Override
  public Future<Void> subscribe(String queueName, Consumer<StoreEvent> listener) {
    return real.subscribe(queueName, listener);
  }

  @Override
  public Future<Void> unsubscribe(String queueName, Consumer<StoreEvent> listener) {
    return real.unsubscribe(queueName, listener);
  }

  @Override
  public Future<Void> unsubscribe(String queueName) {
    return real.unsubscribe(queueName);
  }

  @Override
  public Future<Void> publish(StoreEvent event) {
    return real.publish(event);
  }

  @Override
  public Future<Void> publishAll(List<StoreEvent> events) {
    return real.publishAll(events);
  }

  @Override
  public boolean sharesEvents() {
    return real.sharesEvents();
  }

  @Override
  public Future<List<String>> saveFlow(List<FlowNode> jobs, Instant now) {
    return real.saveFlow(jobs, now);
  }

  @Override
  public Future<JobState> notifyChildCompleted(
      String parentQueueName, String parentId, Instant now) {
    return real.notifyChildCompleted(parentQueueName, parentId, now);
  }

  @Override
  public Future<Boolean> failParentOnChildFailure(
      String parentQueueName, String parentId, String reason, Instant now) {
    return real.failParentOnChildFailure(parentQueueName, parentId, reason, now);
  }

  @Override
  public Future<List<JobData>> getChildrenJobs(String parentQueueName, String parentId) {
    return real.getChildrenJobs(parentQueueName, parentId);
  }

  @Override
  public Future<Long> getGroupActiveCount(String queueName, String groupId) {
    return real.getGroupActiveCount(queueName, groupId);
  }

  @Override
  public Future<Long> getWaitingGroupCount(String queueName, String groupId) {
    return real.getWaitingGroupCount(queueName, groupId);
  }

  @Override
  public Future<JobSchedule> upsertSchedule(UpsertSchedule command) {
    return real.upsertSchedule(command);
  }

  @Override
  public Future<Optional<JobSchedule>> getSchedule(String queueName, String key) {
    return real.getSchedule(queueName, key);
  }

  @Override
  public Future<List<JobSchedule>> listSchedules(String queueName) {
    return real.listSchedules(queueName);
  }

  @Override
  public Future<Boolean> removeSchedule(String queueName, String key) {
    return real.removeSchedule(queueName, key);
  }

  @Override
  public Future<List<JobSchedule>> listDueSchedules(String queueName, Instant now, int limit) {
    return real.listDueSchedules(queueName, now, limit);
  }

  @Override
  public Future<Optional<Instant>> getNextScheduleTimestamp(String queueName) {
    return real.getNextScheduleTimestamp(queueName);
  }

  @Override
  public Future<Optional<SavedJob>> fireSchedule(FireSchedule command) {
    return real.fireSchedule(command);
  }

  @Override
  public Future<List<MetricsBucket>> getMetrics(MetricsQuery query) {
    return real.getMetrics(query);
  }

  @Override
  public Future<Void> aggregateMetrics(Instant now) {
    return real.aggregateMetrics(now);
  }
}
