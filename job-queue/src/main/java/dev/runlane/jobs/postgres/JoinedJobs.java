package dev.runlane.jobs.postgres;

import dev.runlane.adapter.AdapterCall;
import dev.runlane.jobs.FlowNode;
import dev.runlane.jobs.JobData;
import dev.runlane.jobs.JobLock;
import dev.runlane.jobs.MetricsBucket;
import dev.runlane.jobs.NewJob;
import dev.runlane.jobs.StoreEvent;
import dev.runlane.jobs.postgres.life.JobSaves;
import dev.runlane.jobs.store.CancelResult;
import dev.runlane.jobs.store.FetchJobs;
import dev.runlane.jobs.store.FinishAndFetch;
import dev.runlane.jobs.store.FinishJob;
import dev.runlane.jobs.store.FinishResult;
import dev.runlane.jobs.store.FinishedAndFetched;
import dev.runlane.jobs.store.LockStatus;
import dev.runlane.jobs.store.MetricsQuery;
import dev.runlane.jobs.store.SavedJob;
import dev.runlane.postgres.PgFailures;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import io.vertx.core.Future;
import io.vertx.sqlclient.SqlConnection;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

/** The store in a caller's transaction. */
final class JoinedJobs extends JobCommands {
  private final Supplier<Future<PgJobParts>> parts;
  private final SqlConnection connection;

  JoinedJobs(Supplier<Future<PgJobParts>> parts, SqlConnection connection) {
    this.parts = parts;
    this.connection = connection;
  }

  @Override
  Future<JobScope> scope() {
    return parts.get().map(open -> open.scopeOn(connection));
  }

  @Override
  <T> Future<T> statement(String operation, Function<JobScope, Future<T>> work) {
    return scope().compose(scope -> scope.transactions().run(operation, tx -> work.apply(scope)));
  }

  @Override
  public Future<List<SavedJob>> saveJobs(String queueName, List<NewJob> jobs, Instant now) {
    return AdapterCall.of("saveJobs", () -> {
          checkSave(queueName, jobs, now);
          return scope().compose(scope -> save(scope, queueName, jobs, now));
        })
        .recover(PgFailures.during("saveJobs"));
  }

  private Future<List<SavedJob>> save(
      JobScope scope, String queueName, List<NewJob> jobs, Instant now) {
    if (jobs.isEmpty()) {
      return Future.succeededFuture(List.of());
    }
    if (!jobs.stream().allMatch(JobSaves::isPlain)) {
      return saveNamed(scope, queueName, jobs, now);
    }
    List<FlowNode> nodes =
        jobs.stream().map(job -> new FlowNode(queueName, job)).toList();
    boolean named = jobs.stream().anyMatch(job -> job.id() != null);
    return scope.transactions().run("saveJobs", tx -> new JobSaves(tx).addPlain(nodes, named));
  }

  @Override
  public Future<Void> connect() {
    return refused("connect");
  }

  @Override
  public Future<Void> disconnect() {
    return refused("disconnect");
  }

  @Override
  public Future<List<JobData>> fetchNextJobs(FetchJobs command) {
    return refused("fetchNextJobs");
  }

  @Override
  public Future<Boolean> extendLock(
      String queueName, String jobId, Duration duration, Instant now) {
    return refused("extendLock");
  }

  @Override
  public Future<List<LockStatus>> extendLocks(List<JobLock> locks, Duration duration, Instant now) {
    return refused("extendLocks");
  }

  @Override
  public Future<Void> releaseLock(String queueName, String jobId) {
    return refused("releaseLock");
  }

  @Override
  public Future<Boolean> releaseLock(JobLock lock) {
    return refused("releaseLock");
  }

  @Override
  public Future<List<FinishResult>> finishJobs(List<FinishJob> commands) {
    return refused("finishJobs");
  }

  @Override
  public Future<FinishedAndFetched> finishAndFetch(FinishAndFetch command) {
    return refused("finishAndFetch");
  }

  @Override
  public Future<Boolean> cancelJob(String queueName, String jobId, Instant now) {
    return refused("cancelJob");
  }

  @Override
  public Future<CancelResult> cancelOpenJob(String queueName, String jobId, Instant now) {
    return refused("cancelOpenJob");
  }

  @Override
  public Future<Boolean> appendLog(String queueName, String jobId, String line) {
    return refused("appendLog");
  }

  @Override
  public Future<Boolean> appendLog(JobLock lock, String line) {
    return refused("appendLog");
  }

  @Override
  public Future<Void> subscribe(String queueName, Consumer<StoreEvent> listener) {
    return refused("subscribe");
  }

  @Override
  public Future<Void> unsubscribe(String queueName, Consumer<StoreEvent> listener) {
    return refused("unsubscribe");
  }

  @Override
  public Future<Void> unsubscribe(String queueName) {
    return refused("unsubscribe");
  }

  @Override
  public Future<Void> publish(StoreEvent event) {
    return refused("publish");
  }

  @Override
  public Future<Void> publishAll(List<StoreEvent> events) {
    return refused("publishAll");
  }

  @Override
  public boolean sharesEvents() {
    return false;
  }

  @Override
  public Future<List<MetricsBucket>> getMetrics(MetricsQuery query) {
    return refused("getMetrics");
  }

  @Override
  public Future<Void> aggregateMetrics(Instant now) {
    return refused("aggregateMetrics");
  }

  private static <T> Future<T> refused(String operation) {
    return Future.failedFuture(RunlaneException.of(
        ErrorCode.CAPABILITY_UNSUPPORTED, "%s cannot join a transaction", operation));
  }
}
