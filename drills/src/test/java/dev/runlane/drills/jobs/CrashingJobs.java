package dev.runlane.drills.jobs;

import dev.runlane.drills.process.Await;
import dev.runlane.jobs.ChildFailurePolicy;
import dev.runlane.jobs.JobDeduplication;
import dev.runlane.jobs.JobGroup;
import dev.runlane.jobs.JobOptions;
import dev.runlane.jobs.JobRemoval;
import dev.runlane.jobs.JobRepeat;
import dev.runlane.jobs.postgres.PgJobStore;
import dev.runlane.jobs.postgres.PgJobStoreOptions;
import dev.runlane.jobs.queue.FlowJob;
import dev.runlane.jobs.queue.JobQueue;
import dev.runlane.jobs.queue.Jobs;
import dev.runlane.jobs.queue.job.Job;
import dev.runlane.jobs.queue.job.JobProcessor;
import dev.runlane.jobs.queue.job.JobResult;
import dev.runlane.jobs.queue.job.JobSignal;
import dev.runlane.jobs.queue.options.JobWorkerOptions;
import dev.runlane.jobs.store.JobStoreOptions;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.pgclient.PgBuilder;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.PoolOptions;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.util.Set;
import java.util.function.Supplier;

/**
 * A program with every kind of job in flight: flows of each policy, a series, a schedule, a dead letter, retention,
 * progress and log, retries, snoozes, deduplication, cancellation; and a {@link CrashingOperator}.
 */
final class CrashingJobs {
  static final String WORK = "work";
  static final String PARENTS = "parents";
  static final String LETTERS = "letters";
  static final String REVIVED = "letters-that-are-driven-back";
  static final String AGAIN = "again";

  /** Runs of the series, and fires of the schedule. */
  static final int RUNS = 3;

  private static final Duration LOCK = Duration.ofMillis(600);
  private static final Duration STALLED_INTERVAL = Duration.ofMillis(150);
  static final Duration INTERVAL = Duration.ofMillis(30);
  static final Duration NEVER = Duration.ofHours(1);

  private final Vertx vertx = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(1));
  private final String schema;
  private final String name;
  private final PgJobStore store;
  private final Pool pool;
  private final Jobs jobs;

  private CrashingJobs(PgConnectOptions database, String schema, String name) {
    this.schema = schema;
    this.name = name;
    store = PgJobStore.create(
        vertx,
        new PgJobStoreOptions()
            .setSchema(schema)
            .setConnectOptions(database)
            .setPoolOptions(new PoolOptions().setMaxSize(3))
            .setStoreOptions(new JobStoreOptions().setMetricsEnabled(true)));
    pool = PgBuilder.pool()
        .connectingTo(database)
        .with(new PoolOptions().setMaxSize(1))
        .using(vertx)
        .build();
    jobs = Jobs.create(vertx, store);
  }

  /** Connected, but doing nothing. */
  static CrashingJobs open(PgConnectOptions database, String schema, String name) {
    CrashingJobs made = new CrashingJobs(database, schema, name);
    Await.result(made.store.connect());
    return made;
  }

  Jobs jobs() {
    return jobs;
  }

  /** Works, and adds what is not there yet, one thing after the other. */
  Future<Void> run(Set<String> known) {
    jobs.worker(WORK, JobProcessor.of(this::handle), options(4));
    jobs.worker(PARENTS, JobProcessor.of(this::handle), options(2));
    jobs.worker(AGAIN, JobProcessor.of(this::handle), options(1));
    JobQueue work = jobs.queue(WORK);
    JobQueue parents = jobs.queue(PARENTS);
    return parents
        .upsertSchedule(
            "schedule", JobRepeat.every(INTERVAL).withLimit(RUNS - 1), "tick", 1, JobOptions.NONE)
        .compose(said -> flow(known, "done", ChildFailurePolicy.FAIL, ChildFailurePolicy.FAIL))
        .compose(added -> flow(known, "fails", ChildFailurePolicy.FAIL, ChildFailurePolicy.FAIL))
        .compose(added -> flow(known, "goes", ChildFailurePolicy.REMOVE, ChildFailurePolicy.IGNORE))
        .compose(added -> job(
            known,
            work,
            "series",
            options("series").repeat(JobRepeat.every(INTERVAL).withLimit(RUNS - 1))))
        .compose(added ->
            job(known, work, "fails-letter", options("fails-letter").deadLetterQueue(LETTERS)))
        .compose(added -> job(known, work, "twice", options("twice").attempts(2)))
        .compose(
            added -> job(known, work, "snoozes", options("snoozes").group(JobGroup.of("group"))))
        .compose(added ->
            job(known, work, "logs", options("logs").deduplication(JobDeduplication.byKey("logs"))))
        .compose(added ->
            job(known, work, "gone", options("gone").removeOnComplete(JobRemoval.atOnce())))
        .compose(added -> job(known, parents, "cancelled", options("cancelled").delay(NEVER)))
        .compose(added -> parents.cancel("cancelled"))
        .compose(cancelled -> new CrashingOperator(jobs, vertx, known).operate());
  }

  /** A grandparent, its parent, and two children, of which one ends as the name says. */
  private Future<?> flow(
      Set<String> known, String end, ChildFailurePolicy policy, ChildFailurePolicy above) {
    String top = end + "-top";
    FlowJob flow = node(top, PARENTS, options(top).failParentOnChildFailure(above))
        .after(node(
                end + "-parent", PARENTS, options(end + "-parent").failParentOnChildFailure(policy))
            .after(
                node(end.equals("done") ? "done" : "fails-" + end, WORK, options("child-" + end)),
                node("done", WORK, options("other-" + end))));
    return once(known, top, () -> jobs.flows().add(flow));
  }

  static FlowJob node(String jobName, String queue, JobOptions.Builder options) {
    return FlowJob.of(jobName, queue, 1).with(options.build());
  }

  static Future<?> job(
      Set<String> known, JobQueue queue, String jobName, JobOptions.Builder options) {
    return once(known, jobName, () -> queue.add(jobName, 1, options.build()));
  }

  static Future<?> once(Set<String> known, String jobId, Supplier<Future<?>> add) {
    return known.contains(jobId) ? Future.succeededFuture() : add.get();
  }

  static JobOptions.Builder options(String jobId) {
    return JobOptions.builder().jobId(jobId);
  }

  private JobWorkerOptions options(int slots) {
    return new JobWorkerOptions()
        .setConcurrency(slots)
        .setLockDuration(LOCK)
        .setStalledInterval(STALLED_INTERVAL)
        .setWorkerId(name);
  }

  private Future<JobResult> handle(Job job, JobSignal signal) {
    return note(job, false)
        .compose(begun -> job.name().equals("logs") ? speak(job) : Future.succeededFuture())
        .compose(done -> note(job, true))
        .map(noted -> result(job));
  }

  private static Future<?> speak(Job job) {
    return job.updateProgress(50).compose(told -> job.log("line " + job.startedAttempts()));
  }

  private Future<?> note(Job job, boolean ended) {
    return pool.preparedQuery(JobTables.insertCall(schema))
        .execute(Tuple.of(job.queueName(), job.id(), job.startedAttempts(), name, ended));
  }

  private static JobResult result(Job job) {
    boolean fails = job.name().startsWith("fails-")
        || job.id().equals("revived") // not what stands for it later
        || job.id().equals("again") && job.startedAttempts() == 1
        || job.id().equals("debounced") && !job.name().equals("third")
        || job.name().equals("twice") && job.attemptsMade() == 0;
    if (job.name().equals("snoozes") && job.startedAttempts() == 1) {
      return JobResult.snooze(Duration.ZERO);
    }
    return fails
        ? JobResult.failed(new IllegalStateException("no luck"))
        : JobResult.done(job.startedAttempts());
  }

  /** Ends in order. */
  void close() {
    Await.result(jobs.close().eventually(store::disconnect).eventually(pool::close));
    Await.result(vertx.close());
  }

  /** Ends as it is, when nobody answers any more. */
  void abandon() {
    Await.result(vertx.close());
  }
}
