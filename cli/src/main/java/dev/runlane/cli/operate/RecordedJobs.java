package dev.runlane.cli.operate;

import dev.runlane.cli.option.DatabaseOptions;
import dev.runlane.client.ApiJob;
import dev.runlane.client.ApiJobSchedule;
import dev.runlane.client.JobsClient;
import dev.runlane.jobs.store.FailedJobsFilter;
import dev.runlane.jobs.store.QueueInfo;
import dev.runlane.jobs.store.SearchJobsFilter;
import dev.runlane.postgres.schema.Migrator;
import dev.runlane.runtime.Runlane;
import dev.runlane.runtime.task.RunActionOptions;
import dev.runlane.timing.Clock;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Jobs in the database itself, with each change in the log of actions, under the names that the API gives them: before
 * it is done, and how it ended after. What cannot be recorded is not done.
 */
public final class RecordedJobs implements JobOperations {
  private final JobOperations jobs;
  private final Runlane runlane;
  private final RunActionOptions action;

  private RecordedJobs(JobOperations jobs, Runlane runlane, RunActionOptions action) {
    this.jobs = jobs;
    this.runlane = runlane;
    this.action = action;
  }

  /**
   * Those of a database; {@code jobs} as they are where its schema has no tables of runs, to which the log belongs.
   * Fails with {@code ConfigurationInvalid} where they are not of this release, and closes {@code jobs} then.
   *
   * @param action who acts, and why
   */
  public static Future<JobOperations> open(
      Vertx vertx,
      DatabaseOptions.Settings settings,
      Clock clock,
      JobOperations jobs,
      RunActionOptions action) {
    Migrator migrator = SchemaModule.RUNS.migrator(settings.schema());
    return migrator
        .pending(vertx, settings.connect())
        .compose(missing -> {
          if (missing.size() == migrator.size()) {
            return Future.succeededFuture(jobs);
          }
          Runlane runlane = LocalOperations.runtime(vertx, settings, clock);
          return runlane
              .start()
              .<JobOperations>map(new RecordedJobs(jobs, runlane, action))
              .recover(
                  failure -> runlane.close().transform(closed -> Future.failedFuture(failure)));
        })
        .recover(failure -> jobs.close().transform(closed -> Future.failedFuture(failure)));
  }

  @Override
  public Future<List<QueueInfo>> queues() {
    return jobs.queues();
  }

  @Override
  public Future<JobsClient.Found> search(SearchJobsFilter filter, int skip, int limit) {
    return jobs.search(filter, skip, limit);
  }

  @Override
  public Future<ApiJob> get(String queue, String jobId) {
    return jobs.get(queue, jobId);
  }

  @Override
  public Future<List<String>> lines(String queue, String jobId) {
    return jobs.lines(queue, jobId);
  }

  @Override
  public Future<Void> retry(String queue, String jobId) {
    return recorded("job.retry", queue + "/" + jobId, () -> jobs.retry(queue, jobId));
  }

  @Override
  public Future<Void> promote(String queue, String jobId) {
    return recorded("job.promote", queue + "/" + jobId, () -> jobs.promote(queue, jobId));
  }

  @Override
  public Future<Boolean> cancel(String queue, String jobId) {
    return runlane
        .operator()
        .recorded(
            "job.cancel",
            queue + "/" + jobId,
            action,
            () -> jobs.cancel(queue, jobId),
            done -> done ? "cancelled" : "unchanged");
  }

  @Override
  public Future<Void> remove(String queue, String jobId) {
    return recorded("job.remove", queue + "/" + jobId, () -> jobs.remove(queue, jobId));
  }

  @Override
  public Future<Integer> retryFailed(String queue, FailedJobsFilter filter) {
    return recorded(
        "job_queue.retry_failed", queue, () -> jobs.retryFailed(queue, filter), "retried");
  }

  @Override
  public Future<Long> countFailed(String queue, FailedJobsFilter filter) {
    return jobs.countFailed(queue, filter);
  }

  @Override
  public Future<Integer> promoteDelayed(String queue) {
    return recorded("job_queue.promote", queue, () -> jobs.promoteDelayed(queue), "promoted");
  }

  @Override
  public Future<Integer> redrive(String queue, int limit) {
    return recorded("job_queue.redrive", queue, () -> jobs.redrive(queue, limit), "redriven");
  }

  @Override
  public Future<List<ApiJobSchedule>> schedules(String queue) {
    return jobs.schedules(queue);
  }

  @Override
  public Future<Void> removeSchedule(String queue, String key) {
    return recorded(
        "job_schedule.remove", queue + "/" + key, () -> jobs.removeSchedule(queue, key));
  }

  @Override
  public Future<Void> pause(String queue, @Nullable String name) {
    return recorded("job_queue.pause", named(queue, name), () -> jobs.pause(queue, name));
  }

  @Override
  public Future<Void> resume(String queue, @Nullable String name) {
    return recorded("job_queue.resume", named(queue, name), () -> jobs.resume(queue, name));
  }

  @Override
  public Future<Void> drain(String queue) {
    return recorded("job_queue.drain", queue, () -> jobs.drain(queue));
  }

  private static String named(String queue, @Nullable String name) {
    return name == null ? queue : queue + "/" + name;
  }

  private Future<Void> recorded(String name, String target, Supplier<Future<Void>> work) {
    return runlane.operator().recorded(name, target, action, work, done -> "done");
  }

  private Future<Integer> recorded(
      String name, String target, Supplier<Future<Integer>> work, String done) {
    return runlane.operator().recorded(name, target, action, work, count -> count + " " + done);
  }

  @Override
  public Future<Void> close() {
    return jobs.close().transform(closed -> runlane.close());
  }
}
