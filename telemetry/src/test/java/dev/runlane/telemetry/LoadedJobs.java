package dev.runlane.telemetry;

import static java.util.concurrent.TimeUnit.SECONDS;

import dev.runlane.jobs.JobOptions;
import dev.runlane.jobs.postgres.PgJobStore;
import dev.runlane.jobs.postgres.PgJobStoreOptions;
import dev.runlane.jobs.queue.JobQueue;
import dev.runlane.jobs.queue.JobWorker;
import dev.runlane.jobs.queue.Jobs;
import dev.runlane.jobs.queue.job.JobResult;
import dev.runlane.runtime.Runlane;
import dev.runlane.telemetry.metrics.JobDepths;
import dev.runlane.telemetry.metrics.JobMetrics;
import io.micrometer.core.instrument.MeterRegistry;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.pgclient.PgConnectOptions;
import java.time.Duration;
import java.util.concurrent.TimeoutException;

/** A queue of jobs on a real Postgres: one completes, one fails after a second attempt, one waits for its time. */
final class LoadedJobs {
  private LoadedJobs() {}

  /** Completes with what shows how many jobs there are, once all has happened. */
  static JobDepths load(
      Vertx vertx, Runlane runlane, PgConnectOptions connect, MeterRegistry registry) {
    PgJobStore store = PgJobStore.create(vertx, new PgJobStoreOptions().setConnectOptions(connect));
    await(store.connect());
    Jobs jobs = Jobs.create(vertx, store);
    JobMetrics metrics = JobMetrics.create(registry);
    JobQueue mails = metrics.observe(jobs.queue("mails"));
    JobWorker worker = metrics.observe(jobs.worker(
        "mails",
        (job, signal) -> Future.succeededFuture(
            job.name().equals("broken")
                ? JobResult.failed(new IllegalStateException("the server is away"))
                : JobResult.done())));
    worker.start();
    await(mails.add("welcome", "ann").compose(job -> job.waitUntilFinished()));
    await(mails
        .add("broken", "ben", JobOptions.builder().attempts(2).build())
        .compose(job -> job.waitUntilFinished())
        .otherwiseEmpty());
    await(mails.add(
        "later", "eve", JobOptions.builder().delay(Duration.ofHours(1)).build()));
    JobDepths depths = JobDepths.create(vertx, runlane, store, registry);
    await(worker.close());
    return depths;
  }

  private static <T> T await(Future<T> future) {
    try {
      return future.await(60, SECONDS);
    } catch (TimeoutException late) {
      throw new AssertionError(late);
    }
  }
}
