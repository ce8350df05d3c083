package dev.runlane.drills.jobs;

import dev.runlane.drills.fleet.DrillTarget;
import dev.runlane.drills.process.Await;
import dev.runlane.jobs.postgres.PgJobStore;
import dev.runlane.jobs.postgres.PgJobStoreOptions;
import dev.runlane.jobs.queue.Jobs;
import dev.runlane.jobs.queue.job.Job;
import dev.runlane.jobs.queue.job.JobProcessor;
import dev.runlane.jobs.queue.job.JobResult;
import dev.runlane.jobs.queue.job.JobSignal;
import dev.runlane.jobs.queue.options.JobWorkerOptions;
import dev.runlane.timing.Clock;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.pgclient.PgBuilder;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.PoolOptions;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** The jobs of a drill's database, in a forked program or in the test itself. */
final class JobRuntime {
  static final String SCHEMA = PgJobStoreOptions.DEFAULT_SCHEMA;

  /** Of twenty slots a process has, so many are for the queue with a rate limit. */
  private static final int LIMITED_SLOTS = 5;

  private static final int FREE_SLOTS = 15;
  private static final Duration STALLED_INTERVAL = Duration.ofMillis(500);

  private final Vertx vertx;
  private final DrillTarget target;
  private final String name;
  private final PgJobStore store;
  private final Pool pool;
  private final Jobs jobs;

  private JobRuntime(Vertx vertx, DrillTarget target, String name) {
    this.vertx = vertx;
    this.target = target;
    this.name = name;
    PgConnectOptions database = PgConnectOptions.fromUri(target.uri());
    store = PgJobStore.create(
        vertx,
        new PgJobStoreOptions()
            .setSchema(SCHEMA)
            .setConnectOptions(database)
            .setPoolOptions(new PoolOptions().setMaxSize(5)));
    pool = PgBuilder.pool()
        .connectingTo(database)
        .with(new PoolOptions().setMaxSize(2))
        .using(vertx)
        .build();
    jobs = Jobs.builder(vertx, store)
        .clock(() -> Clock.system().now().plus(target.clockOffset()))
        .build();
  }

  /** Jobs on a connected store. */
  static JobRuntime open(Vertx vertx, DrillTarget target, String name) {
    JobRuntime runtime = new JobRuntime(vertx, target, name);
    Await.result(runtime.store.connect());
    return runtime;
  }

  PgJobStore store() {
    return store;
  }

  Jobs jobs() {
    return jobs;
  }

  /** Works on both queues, with twenty slots together. */
  void work() {
    jobs.worker(JobWorkload.FREE, JobProcessor.of(this::handle), options(FREE_SLOTS));
    jobs.worker(
        JobWorkload.LIMITED,
        JobProcessor.of(this::handle),
        options(LIMITED_SLOTS).setLimiter(JobWorkload.RATE));
  }

  private JobWorkerOptions options(int slots) {
    return new JobWorkerOptions()
        .setConcurrency(slots)
        .setGroupConcurrency(1)
        .setLockDuration(target.lease())
        .setStalledInterval(STALLED_INTERVAL)
        .setWorkerId(name);
  }

  private Future<JobResult> handle(Job job, JobSignal signal) {
    JobItem item = job.dataAs(JobItem.class);
    return note(job, false)
        .compose(begun -> item.millis() == 0
            ? Future.succeededFuture()
            : vertx.timer(item.millis(), TimeUnit.MILLISECONDS))
        .compose(worked -> note(job, true))
        .map(noted -> result(job, item));
  }

  private Future<?> note(Job job, boolean ended) {
    return pool.preparedQuery(JobTables.insertCall(SCHEMA))
        .execute(Tuple.of(job.queueName(), job.id(), job.startedAttempts(), name, ended));
  }

  private static JobResult result(Job job, JobItem item) {
    if (item.snoozes() && job.startedAttempts() == 1) {
      return JobResult.snooze(Duration.ZERO);
    }
    return job.attemptsMade() < item.failures()
        ? JobResult.failed(new IllegalStateException("this is what the drill wants"))
        : JobResult.done(job.startedAttempts());
  }

  Future<Void> close() {
    return jobs.close().eventually(store::disconnect).eventually(pool::close);
  }
}
