package dev.runlane.drills.worker;

import dev.runlane.drills.fleet.DrillRuntime;
import dev.runlane.drills.fleet.DrillTarget;
import dev.runlane.drills.process.ProgramLines;
import dev.runlane.jobs.postgres.PgJobStore;
import dev.runlane.jobs.postgres.PgJobStoreOptions;
import dev.runlane.jobs.queue.Jobs;
import dev.runlane.jobs.queue.job.JobProcessor;
import dev.runlane.jobs.queue.job.JobResult;
import dev.runlane.jobs.queue.options.JobWorkerOptions;
import dev.runlane.jobs.queue.webhook.JobWebhook;
import dev.runlane.jobs.queue.webhook.JobWebhookOptions;
import dev.runlane.jobs.queue.webhook.JobWebhookVerticle;
import dev.runlane.lane.Lanes;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.Runlane;
import dev.runlane.runtime.host.RunlaneOptions;
import dev.runlane.runtime.task.RetryPolicy;
import dev.runlane.runtime.task.Task;
import dev.runlane.runtime.task.TaskDescription;
import dev.runlane.runtime.task.TaskQueue;
import dev.runlane.runtime.task.TaskResult;
import dev.runlane.runtime.webhook.Webhook;
import dev.runlane.runtime.webhook.WebhookOptions;
import dev.runlane.runtime.webhook.WebhookVerticle;
import dev.runlane.storage.pg.PgStorageAdapter;
import dev.runlane.storage.pg.PgStorageOptions;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.sqlclient.PoolOptions;
import java.net.URI;
import java.time.Duration;
import java.util.List;

/**
 * A process with all roles, and a worker of jobs, that tells webhooks of each end. Tells {@code ready}; ends when it is
 * ended.
 *
 * <p>Arguments: the target, the worker's id, and the webhook's address.
 */
final class EndsProgram {
  static final String SECRET = "a-secret-of-more-than-16-bytes";
  static final TaskDescription<Integer> TASK =
      Task.define("ends", Integer.class).retry(RetryPolicy.NONE).description();

  static final String QUEUE = "ends";

  private EndsProgram() {}

  /** Runs until it is ended. */
  public static void main(String[] arguments) {
    ProgramLines.listen(line -> {});
    DrillTarget target = DrillTarget.fromArguments(arguments);
    Vertx vertx = Vertx.vertx();
    Runlane runlane = runtime(vertx, target);
    runlane
        .deploy(vertx, DrillRuntime.allRoles(arguments[DrillTarget.ARGUMENTS]))
        .compose(deployed -> vertx.deployVerticle(new WebhookVerticle(
            runlane,
            List.of(Webhook.to("ends", URI.create(arguments[DrillTarget.ARGUMENTS + 1]), SECRET)),
            new WebhookOptions()
                .setSweepLimit(10)
                .setIdleDelay(Duration.ofMillis(100))
                .setRequestTimeout(Duration.ofSeconds(2))
                .setClaimDuration(DrillRuntime.CLAIM))))
        .await();
    PgJobStore store = store(vertx, target);
    store
        .connect()
        .compose(connected -> vertx.deployVerticle(new JobWebhookVerticle(
            store,
            List.of(
                JobWebhook.to("jobs", URI.create(arguments[DrillTarget.ARGUMENTS + 1]), SECRET)),
            new JobWebhookOptions()
                .setSweepLimit(10)
                .setIdleDelay(Duration.ofMillis(100))
                .setRequestTimeout(Duration.ofSeconds(2))
                .setClaimDuration(DrillRuntime.CLAIM))))
        .await();
    Jobs.create(vertx, store)
        .worker(
            QUEUE,
            JobProcessor.of((job, signal) -> Future.succeededFuture(
                job.dataAs(Integer.class) % 3 == 0
                    ? JobResult.unrecoverable("refused")
                    : JobResult.done())),
            new JobWorkerOptions()
                .setConcurrency(10)
                .setLockDuration(target.lease())
                .setStalledInterval(Duration.ofMillis(500)));
    ProgramLines.tell("ready");
  }

  /** The jobs of such a process, or of the caller that adds them. */
  static PgJobStore store(Vertx vertx, DrillTarget target) {
    return PgJobStore.create(
        vertx,
        new PgJobStoreOptions()
            .setConnectOptions(PgConnectOptions.fromUri(target.uri()))
            .setPoolOptions(new PoolOptions().setMaxSize(4)));
  }

  /** The runtime of such a process, or of the caller that triggers. */
  static Runlane runtime(Vertx vertx, DrillTarget target) {
    PgStorageAdapter storage = PgStorageAdapter.create(
        vertx,
        new PgStorageOptions()
            .setConnectOptions(PgConnectOptions.fromUri(target.uri()))
            .setPoolOptions(new PoolOptions().setMaxSize(4)));
    return Runlane.builder(vertx, Lanes.create(storage, storage.notifyTransport()))
        .queue(TaskQueue.of("default").asDefault())
        .task(TASK.handler((number, context) -> number % 3 == 0
            ? Future.failedFuture(
                RunlaneException.of(ErrorCode.TASK_FAILED, "%d is refused", number))
            : Future.succeededFuture(TaskResult.done(number))))
        .options(new RunlaneOptions()
            .setEnvironment(target.environment())
            .setLeaseDuration(target.lease()))
        .build();
  }
}
