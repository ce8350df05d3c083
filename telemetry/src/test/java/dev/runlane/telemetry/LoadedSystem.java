package dev.runlane.telemetry;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;

import dev.runlane.lane.Lanes;
import dev.runlane.operator.depth.TakeSample;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.FailureRecord;
import dev.runlane.run.Json;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.Runlane;
import dev.runlane.runtime.RunlaneDeployment;
import dev.runlane.runtime.host.RunlaneOptions;
import dev.runlane.runtime.maintenance.CancellationFinalizerOptions;
import dev.runlane.runtime.publish.OutboxPublisherOptions;
import dev.runlane.runtime.task.RemoteStep;
import dev.runlane.runtime.task.RetryPolicy;
import dev.runlane.runtime.task.RunActionOptions;
import dev.runlane.runtime.task.Task;
import dev.runlane.runtime.task.TaskQueue;
import dev.runlane.runtime.task.TaskResult;
import dev.runlane.runtime.task.TriggerOptions;
import dev.runlane.runtime.worker.WorkerOptions;
import dev.runlane.steps.result.RecordStepResults;
import dev.runlane.steps.result.StepOutcome;
import dev.runlane.steps.task.ClaimStepTasks;
import dev.runlane.steps.task.ClaimedStepTask;
import dev.runlane.storage.ForwardingStorageAdapter;
import dev.runlane.storage.StorageAdapter;
import dev.runlane.storage.memory.MemoryStepTransport;
import dev.runlane.storage.pg.PgStorageAdapter;
import dev.runlane.storage.pg.PgStorageOptions;
import dev.runlane.storage.read.ListRunsNeedingCancellationFinalization;
import dev.runlane.storage.read.RunnableRunRef;
import dev.runlane.storage.run.AppendedRun;
import dev.runlane.storage.run.HeartbeatRunLease;
import dev.runlane.storage.step.ListPendingSteps;
import dev.runlane.telemetry.metrics.JobDepths;
import dev.runlane.telemetry.metrics.RunlaneDepths;
import dev.runlane.telemetry.metrics.RunlaneMetrics;
import dev.runlane.testinfra.postgres.PostgresAddress;
import dev.runlane.testinfra.postgres.PostgresServers;
import dev.runlane.transport.ForwardingTransportAdapter;
import dev.runlane.transport.PublishWakeups;
import dev.runlane.transport.TransportAdapter;
import dev.runlane.transport.WakeupPublishOutcome;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.pgclient.PgConnection;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One process on a real Postgres to which everything happens that is measured: runs that end in every way, a
 * transport that refuses, heartbeats that come late, a sweep that fails, a statement that is kept from its rows.
 */
public final class LoadedSystem {
  private static final PostgresAddress DATABASE =
      PostgresServers.shared().createDatabase("telemetry");
  private static final Duration SOON = Duration.ofSeconds(30);
  private static final Duration LEASE = Duration.ofSeconds(12);
  private static final String SCHEMA = "loaded";
  private static @Nullable List<String> scrapes;

  private final Vertx vertx = Vertx.vertx();
  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  private final AtomicInteger failingSweeps = new AtomicInteger(1);
  private final Promise<TaskResult> never = Promise.promise();
  private volatile long renewedFrom = System.nanoTime(); // until then heartbeats fail
  private final PgConnectOptions connect = PgConnectOptions.fromUri(DATABASE.toUri());

  private final Task<String> quick = Task.define("orders.charge", String.class)
      .handler((payload, context) -> Future.succeededFuture(TaskResult.done()));
  private final Task<String> broken = Task.define("orders.ship", String.class)
      .retry(RetryPolicy.attempts(2).fixedDelay(Duration.ofMillis(10)))
      .handler((payload, context) -> Future.failedFuture(
          RunlaneException.of(ErrorCode.TASK_FAILED, "the warehouse is closed").asRetryable()));
  private final Task<String> patient = Task.define("orders.wait", String.class)
      .handler((payload, context) -> context.attempt() == 1
          ? Future.succeededFuture(context.release(Duration.ZERO))
          : Future.succeededFuture(TaskResult.done()));
  private final Task<String> stubborn = Task.define("orders.hang", String.class)
      .handler((payload, context) -> {
        // Less than a third of the lease is left then, of which much is left for a busy machine.
        renewedFrom = System.nanoTime() + LEASE.multipliedBy(2).dividedBy(3).toNanos();
        return never.future();
      });
  private final Task<String> unheard = Task.define("orders.unheard", String.class)
      .queue(TaskQueue.of("unreachable"))
      .handler((payload, context) -> Future.succeededFuture(TaskResult.done()));

  private final MemoryStepTransport steps = new MemoryStepTransport();
  private final Task<String> asking = Task.define("orders.classify", String.class)
      .handler((payload, context) ->
          context.remote(RemoteStep.of("classify", String.class), payload).map(TaskResult::done));

  private LoadedSystem() {}

  /** All that Prometheus would read from it, one scrape after the other. */
  public static String scrape() {
    return String.join("", scrapes());
  }

  /** What Prometheus would read from it while it works and once it has stopped; loaded once for all tests. */
  public static synchronized List<String> scrapes() {
    if (scrapes == null) {
      scrapes = load();
    }
    return scrapes;
  }

  private static List<String> load() {
    LoadedSystem system = new LoadedSystem();
    try {
      return system.run();
    } finally {
      await(system.vertx.close());
    }
  }

  private List<String> run() {
    RunlaneMetrics metrics = RunlaneMetrics.create(registry);
    PgStorageAdapter storage = PgStorageAdapter.create(
        vertx, new PgStorageOptions().setSchema(SCHEMA).setConnectOptions(connect), metrics);
    Runlane runlane = Runlane.builder(
            vertx, Lanes.create(failing(storage), refusing(storage.notifyTransport())))
        .options(new RunlaneOptions()
            .setStepWaitWithoutSlot(Duration.ZERO) // one lease, whose heartbeats fail below
            .setLeaseDuration(LEASE)
            .setCloseTimeout(Duration.ofSeconds(2)))
        .queue(TaskQueue.of("default").asDefault())
        .queue(TaskQueue.of("unreachable"))
        .tasks(List.of(quick, broken, patient, stubborn, unheard, asking))
        .stepTransport(steps)
        .observer(metrics)
        .build();
    await(runlane.start());
    await(runlane.trigger(quick, "x", new TriggerOptions().setDelay(Duration.ofHours(1))));
    await(runlane.deploy(
        vertx,
        new RunlaneDeployment()
            .setWorker(new WorkerOptions()
                .setConcurrency(8)
                .setDrainTimeout(Duration.ofMillis(200))
                .setPollInterval(Duration.ofMillis(50)))
            .setCancellationFinalizer(
                new CancellationFinalizerOptions().setIdleDelay(Duration.ofMillis(50)))
            .setOutboxPublisher(new OutboxPublisherOptions().setIdleDelay(Duration.ofMillis(50)))));
    load(runlane);
    // Whatever was counted on the way, and is kept for a minute, is counted anew.
    await(storage
        .operator()
        .orElseThrow()
        .takeSample(new TakeSample(runlane.environment(), Instant.now(), Duration.ofMillis(1))));
    RunlaneDepths depths = RunlaneDepths.create(vertx, runlane, registry);
    JobDepths jobs = LoadedJobs.load(vertx, runlane, connect, registry);
    LoadedConnector.load(registry);
    until("runlane_queue_runs{", ".0");
    until("runlane_steps_waiting{", "1.0");
    until("runlane_job_queue_jobs{", "1.0");
    String whileRunning = registry.scrape();
    await(depths.close());
    await(jobs.close());
    await(runlane.close());
    String afterwards = registry.scrape();
    return List.of(whileRunning, afterwards);
  }

  private void load(Runlane runlane) {
    for (Task<String> task : List.of(quick, broken, patient, unheard)) {
      await(runlane.awaitRun(await(runlane.trigger(task, "x")).run().id(), SOON));
    }
    String later = await(
            runlane.trigger(quick, "x", new TriggerOptions().setDelay(Duration.ofHours(1))))
        .run()
        .id();
    await(runlane.runs().cancel(later, new RunActionOptions()));
    String answered = await(runlane.trigger(asking, "x")).run().id();
    answerOne();
    await(runlane.awaitRun(answered, SOON));
    String open = await(runlane.trigger(asking, "x")).run().id(); // whose step nobody answers
    ListPendingSteps ofOpen = new ListPendingSteps(runlane.environment(), open, null);
    while (await(runlane.lane().storage().steps().orElseThrow().listPendingSteps(ofOpen))
        .isEmpty()) {
      await(vertx.timer(10, MILLISECONDS));
    }
    behindAnother(() -> runlane.trigger(quick, "x"));
    await(runlane.trigger(stubborn, "x")); // until the worker stops, which gives its attempt up
    untilCounted("runlane_heartbeats_late_total{");
    untilCounted("runlane_sweeps_failed_total{");
    until("runlane_wakeups_deadlettered_total{", ".0");
  }

  /** A worker of steps, for one. */
  private void answerOne() {
    List<ClaimedStepTask> tasks = List.of();
    while (tasks.isEmpty()) {
      await(vertx.timer(10, MILLISECONDS));
      tasks = await(steps.claimStepTasks(new ClaimStepTasks(
          List.of("classify"), "worker", Instant.now(), Duration.ofMinutes(1), 1)));
    }
    await(steps.recordStepResults(new RecordStepResults(
        List.of(new RecordStepResults.Ended(
            tasks.get(0).claim(),
            new StepOutcome.Completed(Json.ofChecked("\"invoice\"")),
            Instant.now())),
        Instant.now())));
  }

  /** What is triggered meanwhile cannot be stored, until the table is free again. */
  private void behindAnother(Supplier<Future<?>> work) {
    PgConnection other = await(PgConnection.connect(vertx, connect));
    await(other.query("BEGIN").execute());
    await(other.query("LOCK TABLE " + SCHEMA + ".run_events IN EXCLUSIVE MODE").execute());
    Future<?> blocked = work.get();
    until("runlane_storage_statements_failed_total{", ".0");
    await(other.query("ROLLBACK").execute());
    await(other.close());
    await(blocked);
  }

  /** Returns once a count that begins so is no longer zero: it may be more than one by the time that it is seen. */
  private void untilCounted(String begin) {
    until(line -> line.startsWith(begin) && !line.endsWith(" 0.0"));
  }

  /** Returns once the scrape has a line that begins and ends so. */
  private void until(String begin, String end) {
    until(line -> line.startsWith(begin) && line.endsWith(end));
  }

  private void until(Predicate<String> isWanted) {
    Promise<Void> seen = Promise.promise();
    long timer = vertx.setPeriodic(20, tick -> {
      if (registry.scrape().lines().anyMatch(isWanted)) {
        seen.tryComplete();
      }
    });
    await(seen.future().eventually(() -> Future.succeededFuture(vertx.cancelTimer(timer))));
  }

  private StorageAdapter failing(StorageAdapter storage) {
    return new ForwardingStorageAdapter(storage) {
      @Override
      public Future<List<RunnableRunRef>> listRunsNeedingCancellationFinalization(
          ListRunsNeedingCancellationFinalization query) {
        return failingSweeps.getAndDecrement() > 0
            ? Future.failedFuture(away())
            : super.listRunsNeedingCancellationFinalization(query);
      }

      @Override
      public Future<AppendedRun> heartbeatRunLease(HeartbeatRunLease command) {
        return System.nanoTime() - renewedFrom < 0
            ? Future.failedFuture(away())
            : super.heartbeatRunLease(command);
      }
    };
  }

  private static RunlaneException away() {
    return RunlaneException.unavailable(ErrorCode.STORAGE_UNAVAILABLE, null, "away");
  }

  private static TransportAdapter refusing(TransportAdapter transport) {
    return new ForwardingTransportAdapter(transport) {
      @Override
      public Future<List<WakeupPublishOutcome>> publishWakeups(PublishWakeups command) {
        boolean refused = command.attempts().stream()
            .anyMatch(attempt -> attempt.message().queue().equals("unreachable"));
        return refused
            ? Future.succeededFuture(command.attempts().stream()
                .<WakeupPublishOutcome>map(attempt -> new WakeupPublishOutcome.Failed(
                    new FailureRecord(ErrorCode.TRANSPORT_PUBLISH_FAILED, "refused", false, null)))
                .toList())
            : super.publishWakeups(command);
      }
    };
  }

  private static <T> T await(Future<T> future) {
    try {
      return future.await(60, SECONDS);
    } catch (TimeoutException late) {
      throw new AssertionError(late);
    }
  }
}
