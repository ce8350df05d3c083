package dev.runlane.cli.operate;

import dev.runlane.cli.option.DatabaseOptions;
import dev.runlane.client.ApiJob;
import dev.runlane.client.ApiJobSchedule;
import dev.runlane.client.JobsClient;
import dev.runlane.jobs.JobData;
import dev.runlane.jobs.JobSchedule;
import dev.runlane.jobs.postgres.PgJobStore;
import dev.runlane.jobs.postgres.PgJobStoreOptions;
import dev.runlane.jobs.queue.JobQueue;
import dev.runlane.jobs.queue.Jobs;
import dev.runlane.jobs.queue.job.Job;
import dev.runlane.jobs.store.FailedJobsFilter;
import dev.runlane.jobs.store.JobStoreOptions;
import dev.runlane.jobs.store.QueueInfo;
import dev.runlane.jobs.store.SearchJobsFilter;
import dev.runlane.json.record.JobJson;
import dev.runlane.postgres.schema.Migrator;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.timing.Clock;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.sqlclient.PoolOptions;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Jobs in the database itself, whose tables must be of this release, without workers. */
public final class LocalJobs implements JobOperations {
  private static final int CONNECTIONS = 2;
  private static final int CONNECT_SECONDS = 10;

  private final PgJobStore store;
  private final Jobs jobs;

  private LocalJobs(PgJobStore store, Jobs jobs) {
    this.store = store;
    this.jobs = jobs;
  }

  /** Those of a database. Fails with {@code ConfigurationInvalid} where its tables are not of this release. */
  public static Future<LocalJobs> open(
      Vertx vertx, DatabaseOptions.Settings settings, Clock clock) {
    PgJobStore store = PgJobStore.create(
        vertx,
        new PgJobStoreOptions()
            .setConnectOptions(settings.connect())
            .setPoolOptions(
                new PoolOptions().setMaxSize(CONNECTIONS).setConnectionTimeout(CONNECT_SECONDS))
            .setSchema(settings.schema())
            .setStoreOptions(new JobStoreOptions().setAutoMigrate(false)));
    LocalJobs opened =
        new LocalJobs(store, Jobs.builder(vertx, store).clock(clock).build());
    return store.connect().map(opened).recover(failure -> opened
        .close()
        .transform(closed -> Future.failedFuture(failure)));
  }

  /** Those of a database whose schema has tables of jobs; empty where it has none. Fails as {@link #open} does. */
  public static Future<Optional<LocalJobs>> find(
      Vertx vertx, DatabaseOptions.Settings settings, Clock clock) {
    Migrator migrator = SchemaModule.JOBS.migrator(settings.schema());
    return migrator
        .pending(vertx, settings.connect())
        .compose(missing -> SchemaModule.JOBS.isUsed(migrator, missing)
            ? open(vertx, settings, clock).map(Optional::of)
            : Future.succeededFuture(Optional.empty()));
  }

  /** The same for what serves them; closed with these. */
  public Jobs served() {
    return jobs;
  }

  @Override
  public Future<List<QueueInfo>> queues() {
    return store.listQueues();
  }

  @Override
  public Future<JobsClient.Found> search(SearchJobsFilter filter, int skip, int limit) {
    return store
        .searchSummaries(filter, skip, (int) Math.min(Integer.MAX_VALUE, (long) skip + limit))
        .map(page -> new JobsClient.Found(
            page.jobs().stream().map(LocalJobs::shown).toList(), page.total()));
  }

  private static ApiJob shown(JobData job) {
    return new ApiJob(
        job.id(),
        job.queueName(),
        job.name(),
        job.state(),
        job.startedAttempts(),
        job.createdAt(),
        job.delayUntil(),
        job.failedReason(),
        JobJson.write(job));
  }

  @Override
  public Future<ApiJob> get(String queue, String jobId) {
    return store
        .getJob(queue, jobId)
        .map(found -> shown(found.orElseThrow(() -> missing(queue, jobId))));
  }

  @Override
  public Future<List<String>> lines(String queue, String jobId) {
    return job(queue, jobId).compose(job -> job.logs(0, JobData.MOST_LOG_LINES));
  }

  @Override
  public Future<Void> retry(String queue, String jobId) {
    return job(queue, jobId).compose(Job::retry);
  }

  @Override
  public Future<Void> promote(String queue, String jobId) {
    return job(queue, jobId).compose(Job::promote);
  }

  @Override
  public Future<Boolean> cancel(String queue, String jobId) {
    return job(queue, jobId).compose(Job::cancel);
  }

  @Override
  public Future<Void> remove(String queue, String jobId) {
    return job(queue, jobId).compose(Job::remove);
  }

  @Override
  public Future<Integer> retryFailed(String queue, FailedJobsFilter filter) {
    return jobs.queue(queue).retryJobs(filter);
  }

  @Override
  public Future<Long> countFailed(String queue, FailedJobsFilter filter) {
    return jobs.queue(queue).count(filter);
  }

  @Override
  public Future<Integer> promoteDelayed(String queue) {
    return jobs.queue(queue).promoteJobs();
  }

  @Override
  public Future<Integer> redrive(String queue, int limit) {
    return jobs.queue(queue).redrive(limit).map(List::size);
  }

  @Override
  public Future<List<ApiJobSchedule>> schedules(String queue) {
    return store
        .listSchedules(queue)
        .map(found -> found.stream().map(LocalJobs::shown).toList());
  }

  private static ApiJobSchedule shown(JobSchedule schedule) {
    return new ApiJobSchedule(
        schedule.key(),
        schedule.queueName(),
        schedule.jobName(),
        schedule.nextAt(),
        schedule.fired(),
        schedule.lastFiredAt(),
        JobJson.write(schedule));
  }

  @Override
  public Future<Void> removeSchedule(String queue, String key) {
    return jobs.queue(queue)
        .removeSchedule(key)
        .compose(wasThere -> wasThere
            ? Future.succeededFuture()
            : Future.failedFuture(RunlaneException.of(
                ErrorCode.SCHEDULE_NOT_FOUND, "job queue %s has no schedule %s", queue, key)));
  }

  @Override
  public Future<Void> pause(String queue, @Nullable String name) {
    JobQueue opened = jobs.queue(queue);
    return name == null ? opened.pause() : opened.pause(name);
  }

  @Override
  public Future<Void> resume(String queue, @Nullable String name) {
    JobQueue opened = jobs.queue(queue);
    return name == null ? opened.resume() : opened.resume(name);
  }

  @Override
  public Future<Void> drain(String queue) {
    return jobs.queue(queue).drain();
  }

  private Future<Job> job(String queue, String jobId) {
    return jobs.queue(queue)
        .getJob(jobId)
        .map(found -> found.orElseThrow(() -> missing(queue, jobId)));
  }

  private static RunlaneException missing(String queue, String jobId) {
    return RunlaneException.of(ErrorCode.JOB_NOT_FOUND, "queue %s has no job %s", queue, jobId);
  }

  @Override
  public Future<Void> close() {
    return jobs.close().transform(closed -> store.disconnect());
  }
}
