package dev.runlane.jobs.store;

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
import dev.runlane.jobs.webhook.JobWebhookStore;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Does what another job store does: the base of wrappers, which override what they change. Every method of the contract
 * goes to the delegate's own, those that are added later too. The methods for one job, such as {@link #finishJob}, go
 * through the wrapper's method for several, so that what is changed there holds for one job as well.
 *
 * <p>What a wrapper minds: {@link #finishAndFetch} comes neither through {@link #finishJobs} nor through {@link
 * #fetchNextJobs}; a wrapper that changes one of these changes it too. Jobs also end by {@link #updateJob(String,
 * String, dev.runlane.jobs.JobUpdate)}, {@link #failJob} and removals. Listeners get events of the delegate ({@link
 * #subscribe}), whoever published them. A method never throws, and a malformed command is refused before anything is
 * done ({@link JobChecks}).
 */
public abstract class ForwardingJobStore implements JobStore {
  /** What is wrapped. */
  protected final JobStore delegate;

  /** Starts nothing: the delegate is started when the wrapper is. */
  protected ForwardingJobStore(JobStore delegate) {
    this.delegate = Objects.requireNonNull(delegate);
  }

  @Override
  public Future<Void> connect() {
    return delegate.connect();
  }

  @Override
  public Future<Void> disconnect() {
    return delegate.disconnect();
  }

  @Override
  public Future<List<SavedJob>> saveJobs(String queueName, List<NewJob> jobs, Instant now) {
    return delegate.saveJobs(queueName, jobs, now);
  }

  @Override
  public Future<Optional<JobData>> getJob(String queueName, String jobId) {
    return delegate.getJob(queueName, jobId);
  }

  @Override
  public Future<Void> updateJob(String queueName, String jobId, JobUpdate updates) {
    return delegate.updateJob(queueName, jobId, updates);
  }

  @Override
  public Future<Void> updateJob(
      String queueName, String jobId, JobUpdate updates, List<JobState> expectedStates) {
    return delegate.updateJob(queueName, jobId, updates, expectedStates);
  }

  @Override
  public Future<Boolean> updateJob(JobLock lock, JobUpdate updates) {
    return delegate.updateJob(lock, updates);
  }

  @Override
  public Future<List<JobChange>> removeJob(String queueName, String jobId, Instant now) {
    return delegate.removeJob(queueName, jobId, now);
  }

  @Override
  public Future<Optional<JobData>> findByDeduplicationKey(
      String queueName, String key, Instant now) {
    return delegate.findByDeduplicationKey(queueName, key, now);
  }

  @Override
  public Future<List<JobData>> fetchNextJobs(FetchJobs command) {
    return delegate.fetchNextJobs(command);
  }

  @Override
  public Future<Boolean> extendLock(
      String queueName, String jobId, Duration duration, Instant now) {
    return delegate.extendLock(queueName, jobId, duration, now);
  }

  @Override
  public Future<List<LockStatus>> extendLocks(List<JobLock> locks, Duration duration, Instant now) {
    return delegate.extendLocks(locks, duration, now);
  }

  @Override
  public Future<Void> releaseLock(String queueName, String jobId) {
    return delegate.releaseLock(queueName, jobId);
  }

  @Override
  public Future<Boolean> releaseLock(JobLock lock) {
    return delegate.releaseLock(lock);
  }

  @Override
  public Future<List<FinishResult>> finishJobs(List<FinishJob> commands) {
    return delegate.finishJobs(commands);
  }

  @Override
  public Future<FinishedAndFetched> finishAndFetch(FinishAndFetch command) {
    return delegate.finishAndFetch(command);
  }

  @Override
  public Future<Optional<FinishedJob>> failJob(
      String queueName, String jobId, String reason, Instant now) {
    return delegate.failJob(queueName, jobId, reason, now);
  }

  @Override
  public Future<Boolean> cancelJob(String queueName, String jobId, Instant now) {
    return delegate.cancelJob(queueName, jobId, now);
  }

  @Override
  public Future<CancelResult> cancelOpenJob(String queueName, String jobId, Instant now) {
    return delegate.cancelOpenJob(queueName, jobId, now);
  }

  @Override
  public Future<Boolean> appendLog(String queueName, String jobId, String line) {
    return delegate.appendLog(queueName, jobId, line);
  }

  @Override
  public Future<Boolean> appendLog(JobLock lock, String line) {
    return delegate.appendLog(lock, line);
  }

  @Override
  public Future<List<String>> getLogs(String queueName, String jobId, int start, int end) {
    return delegate.getLogs(queueName, jobId, start, end);
  }

  @Override
  public Future<Void> clearLogs(String queueName, String jobId) {
    return delegate.clearLogs(queueName, jobId);
  }

  @Override
  public Future<List<AttemptRecord>> listAttempts(String queueName, String jobId) {
    return delegate.listAttempts(queueName, jobId);
  }

  @Override
  public Future<Long> getActiveCount(String queueName) {
    return delegate.getActiveCount(queueName);
  }

  @Override
  public Future<List<JobData>> listJobs(String queueName, JobState state, int start, int end) {
    return delegate.listJobs(queueName, state, start, end);
  }

  @Override
  public Future<Long> countJobs(String queueName, JobState state) {
    return delegate.countJobs(queueName, state);
  }

  @Override
  public Future<Map<JobState, Long>> getJobCounts(String queueName) {
    return delegate.getJobCounts(queueName);
  }

  @Override
  public Future<List<QueueInfo>> listQueues() {
    return delegate.listQueues();
  }

  @Override
  public Future<Optional<JobData>> findJobById(String jobId) {
    return delegate.findJobById(jobId);
  }

  @Override
  public Future<List<JobData>> searchByName(String query, Optional<String> queueName, int limit) {
    return delegate.searchByName(query, queueName, limit);
  }

  @Override
  public Future<List<JobData>> searchByPayload(String queueName, String query, int limit) {
    return delegate.searchByPayload(queueName, query, limit);
  }

  @Override
  public Future<JobPage> searchJobs(SearchJobsFilter filter, int start, int end) {
    return delegate.searchJobs(filter, start, end);
  }

  @Override
  public Future<JobPage> searchSummaries(SearchJobsFilter filter, int start, int end) {
    return delegate.searchSummaries(filter, start, end);
  }

  @Override
  public Future<List<JobData>> listFlowParents(Optional<JobState> state, int limit) {
    return delegate.listFlowParents(state, limit);
  }

  @Override
  public Future<Optional<Instant>> getNextDelayedTimestamp(String queueName) {
    return delegate.getNextDelayedTimestamp(queueName);
  }

  @Override
  public Future<Integer> promoteDelayedJobs(String queueName, Instant timestamp) {
    return delegate.promoteDelayedJobs(queueName, timestamp);
  }

  @Override
  public Future<Integer> promoteJobs(String queueName) {
    return delegate.promoteJobs(queueName);
  }

  @Override
  public Future<Void> pauseJobName(String queueName, String jobName) {
    return delegate.pauseJobName(queueName, jobName);
  }

  @Override
  public Future<Void> resumeJobName(String queueName, String jobName) {
    return delegate.resumeJobName(queueName, jobName);
  }

  @Override
  public Future<List<String>> getPausedJobNames(String queueName) {
    return delegate.getPausedJobNames(queueName);
  }

  @Override
  public Future<List<JobData>> getStalledJobs(String queueName, Instant now, int limit) {
    return delegate.getStalledJobs(queueName, now, limit);
  }

  @Override
  public Future<Integer> clean(String queueName, JobState state, Duration grace, Instant now) {
    return delegate.clean(queueName, state, grace, now);
  }

  @Override
  public Future<List<JobChange>> drain(String queueName, Instant now) {
    return delegate.drain(queueName, now);
  }

  @Override
  public Future<List<JobChange>> obliterate(String queueName, Obliterate how, Instant now) {
    return delegate.obliterate(queueName, how, now);
  }

  @Override
  public Future<Integer> retryJobs(String queueName, JobState state) {
    return delegate.retryJobs(queueName, state);
  }

  @Override
  public Future<Integer> retryJobs(String queueName, FailedJobsFilter filter) {
    return delegate.retryJobs(queueName, filter);
  }

  @Override
  public Future<Long> countJobs(String queueName, FailedJobsFilter filter) {
    return delegate.countJobs(queueName, filter);
  }

  @Override
  public Future<Integer> removeExpiredJobs(String queueName, Instant now, int limit) {
    return delegate.removeExpiredJobs(queueName, now, limit);
  }

  @Override
  public Future<List<JobRef>> redriveDeadLetters(String queueName, int limit, Instant now) {
    return delegate.redriveDeadLetters(queueName, limit, now);
  }

  @Override
  public Future<Void> subscribe(String queueName, Consumer<StoreEvent> listener) {
    return delegate.subscribe(queueName, listener);
  }

  @Override
  public Future<Void> unsubscribe(String queueName, Consumer<StoreEvent> listener) {
    return delegate.unsubscribe(queueName, listener);
  }

  @Override
  public Future<Void> unsubscribe(String queueName) {
    return delegate.unsubscribe(queueName);
  }

  @Override
  public Future<Void> publish(StoreEvent event) {
    return delegate.publish(event);
  }

  @Override
  public Future<Void> publishAll(List<StoreEvent> events) {
    return delegate.publishAll(events);
  }

  @Override
  public boolean sharesEvents() {
    return delegate.sharesEvents();
  }

  @Override
  public Future<List<String>> saveFlow(List<FlowNode> jobs, Instant now) {
    return delegate.saveFlow(jobs, now);
  }

  @Override
  public Future<JobState> notifyChildCompleted(
      String parentQueueName, String parentId, Instant now) {
    return delegate.notifyChildCompleted(parentQueueName, parentId, now);
  }

  @Override
  public Future<Boolean> failParentOnChildFailure(
      String parentQueueName, String parentId, String reason, Instant now) {
    return delegate.failParentOnChildFailure(parentQueueName, parentId, reason, now);
  }

  @Override
  public Future<List<JobData>> getChildrenJobs(String parentQueueName, String parentId) {
    return delegate.getChildrenJobs(parentQueueName, parentId);
  }

  @Override
  public Future<List<JobData>> getChildrenSummaries(
      String parentQueueName, String parentId, int limit) {
    return delegate.getChildrenSummaries(parentQueueName, parentId, limit);
  }

  @Override
  public Future<Long> getGroupActiveCount(String queueName, String groupId) {
    return delegate.getGroupActiveCount(queueName, groupId);
  }

  @Override
  public Future<Long> getWaitingGroupCount(String queueName, String groupId) {
    return delegate.getWaitingGroupCount(queueName, groupId);
  }

  @Override
  public Future<JobSchedule> upsertSchedule(UpsertSchedule command) {
    return delegate.upsertSchedule(command);
  }

  @Override
  public Future<Optional<JobSchedule>> getSchedule(String queueName, String key) {
    return delegate.getSchedule(queueName, key);
  }

  @Override
  public Future<List<JobSchedule>> listSchedules(String queueName) {
    return delegate.listSchedules(queueName);
  }

  @Override
  public Future<List<JobSchedule>> listScheduleSummaries(String queueName) {
    return delegate.listScheduleSummaries(queueName);
  }

  @Override
  public Future<Boolean> removeSchedule(String queueName, String key) {
    return delegate.removeSchedule(queueName, key);
  }

  @Override
  public Future<List<JobSchedule>> listDueSchedules(String queueName, Instant now, int limit) {
    return delegate.listDueSchedules(queueName, now, limit);
  }

  @Override
  public Future<Optional<Instant>> getNextScheduleTimestamp(String queueName) {
    return delegate.getNextScheduleTimestamp(queueName);
  }

  @Override
  public Future<Optional<SavedJob>> fireSchedule(FireSchedule command) {
    return delegate.fireSchedule(command);
  }

  @Override
  public Future<List<MetricsBucket>> getMetrics(MetricsQuery query) {
    return delegate.getMetrics(query);
  }

  @Override
  public Future<Void> aggregateMetrics(Instant now) {
    return delegate.aggregateMetrics(now);
  }

  @Override
  public Optional<JobWebhookStore> webhooks() {
    return delegate.webhooks();
  }
}
