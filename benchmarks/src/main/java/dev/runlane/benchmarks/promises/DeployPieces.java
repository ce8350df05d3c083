package dev.runlane.benchmarks.promises;

import static dev.runlane.benchmarks.promises.Instance.QUEUE;
import static dev.runlane.benchmarks.promises.Instance.await;

import dev.runlane.benchmarks.measure.Sql;
import dev.runlane.postgres.schema.Migrator;
import dev.runlane.postgres.statement.SchemaName;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunStatus;
import dev.runlane.runtime.Runlane;
import dev.runlane.runtime.host.RunlaneOptions;
import dev.runlane.runtime.task.Task;
import dev.runlane.runtime.task.TaskContext;
import dev.runlane.runtime.task.TaskResult;
import dev.runlane.runtime.task.TriggerOptions;
import dev.runlane.runtime.worker.WorkerOptions;
import dev.runlane.steps.sql.SqlStepOptions;
import dev.runlane.steps.sql.SqlStepTransport;
import dev.runlane.steps.sql.worker.SqlStepWorker;
import dev.runlane.steps.sql.worker.SqlStepWorkerOptions;
import dev.runlane.testinfra.postgres.PostgresAddress;
import dev.runlane.testinfra.process.Poll;
import dev.runlane.testinfra.process.TcpLine;
import dev.runlane.timing.Timers;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Upgrades under load, and deployments that kill what runs. */
final class DeployPieces {
  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final Duration READING = Duration.ofSeconds(15);
  private static final long BETWEEN_TRIGGERS = 50;
  private static final int MANY_STEPS = 12;
  private static final int RUNS = 17;
  private static final int KILLS = 8;
  private static final int REMOTE_RUNS = 64;
  private static final int REMOTE_STEPS = 6;
  private static final int REMOTE_KILLS = 4;
  private static final Duration REMOTE_WORK = Duration.ofMillis(30);
  private static final String STEP = "echo";
  private static final RunlaneOptions SHORT_LEASES =
      new RunlaneOptions().setLeaseDuration(Duration.ofSeconds(3));
  private static final WorkerOptions WORKER =
      new WorkerOptions().setConcurrency(REMOTE_RUNS).setPollInterval(Duration.ofMillis(200));

  private DeployPieces() {}

  /** Triggers while a migration waits behind somebody who reads for long. */
  static List<Figure> migration(Site site) {
    PostgresAddress database = site.createDatabase();
    Task<Integer> task = Task.define("task", Integer.class)
        .handler((number, context) -> Future.succeededFuture(TaskResult.done()));
    Migrator migrator = new Migrator(
        "promises",
        DeployPieces.class::getResourceAsStream,
        new SchemaName("runlane"),
        List.of("V001__columns_of_runs.sql"));
    try (Instance instance = Instance.onPostgres(
            Site.direct(database), (builder, vertx) -> builder.queue(QUEUE).task(task));
        Sql reader = Site.open(database)) {
      instance.work(new WorkerOptions());
      await(instance.runlane().trigger(task, 0));
      reader.execute("BEGIN");
      reader.number("SELECT count(*) FROM runlane.active_runs, runlane.run_events");
      Future<Void> migrated = migrator.migrate(instance.vertx(), Site.direct(database));
      Elapsed reading = Elapsed.fromNow();
      List<Future<?>> triggers = new ArrayList<>();
      double slowest = 0;
      while (reading.seconds() < READING.toSeconds()) {
        Elapsed one = Elapsed.fromNow();
        Future<?> trigger = instance.runlane().trigger(task, triggers.size());
        triggers.add(trigger);
        await(trigger.otherwiseEmpty());
        slowest = Math.max(slowest, one.millis());
        Poll.pause(BETWEEN_TRIGGERS);
      }
      if (migrated.isComplete()) {
        throw new IllegalStateException("the migration did not wait for the reader");
      }
      reader.execute("COMMIT");
      await(migrated);
      return List.of(
          Figure.atMost(
              0,
              "triggers that fail while a migration waits 15 s behind a reader, of "
                  + triggers.size(),
              "all in 14 to 17 s",
              (int) triggers.stream().filter(Future::failed).count()),
          Figure.atMost(1_000, "the slowest trigger meanwhile, ms", "failed", slowest));
    }
  }

  /** Runs of many steps whose process is killed again and again, each time a step later. */
  static List<Figure> kills(Site site) {
    PostgresAddress database = site.createDatabase();
    try (Fleet fleet = new Fleet(database)) {
      List<String> runs = List.of();
      for (int kill = 0; kill < KILLS; kill++) {
        AtomicInteger hanging = new AtomicInteger();
        int last = kill;
        Task<Integer> task = task((number, context) -> steps(context, 0, last, hanging));
        Instance instance = fleet.deploy(task);
        if (runs.isEmpty()) {
          runs = trigger(instance.runlane(), task, RUNS);
        }
        if (!Poll.until(PATIENCE, () -> hanging.get() == RUNS)) {
          break; // runs that have ended come no further
        }
        fleet.kill();
      }
      Task<Integer> task =
          task((number, context) -> steps(context, 0, MANY_STEPS, new AtomicInteger()));
      Runlane last = fleet.deploy(task).runlane();
      return List.of(Figure.atMost(
          0,
          "runs of many steps that are not done after " + KILLS + " deployments that kill them, of "
              + RUNS,
          "10",
          unsuccessful(last, runs).size()));
    }
  }

  /** Steps up to {@code last} end, and the one after it hangs. */
  private static Future<TaskResult> steps(
      TaskContext context, int from, int last, AtomicInteger hanging) {
    if (from == MANY_STEPS) {
      return Future.succeededFuture(TaskResult.done());
    }
    return context
        .step("step-" + from, () -> {
          if (from <= last) {
            return Future.succeededFuture();
          }
          hanging.incrementAndGet();
          return Promise.<Void>promise().future();
        })
        .compose(done -> steps(context, from + 1, last, hanging));
  }

  /** Calls of remote steps whose result stood in the tables, or was on its way there, when an engine was killed. */
  static List<Figure> remote(Site site) {
    PostgresAddress database = site.createDatabase();
    Map<Integer, AtomicInteger> calls = new ConcurrentHashMap<>();
    Vertx vertx = Vertx.vertx();
    SqlStepTransport workers =
        SqlStepTransport.postgres(vertx, Site.direct(database), new SqlStepOptions());
    SqlStepWorker worker = SqlStepWorker.create(vertx, workers, new SqlStepWorkerOptions())
        .handle(STEP, call -> {
          int place = Integer.parseInt(call.input().orElseThrow().text());
          calls.computeIfAbsent(place, first -> new AtomicInteger()).incrementAndGet();
          return Timers.of(vertx).after(REMOTE_WORK).map(done -> call.done());
        });
    Task<Integer> task = task((number, context) -> remote(context, number, 0));
    try (Fleet fleet = new Fleet(database)) {
      List<String> runs = List.of();
      for (int kill = 0; kill <= REMOTE_KILLS; kill++) {
        Instance instance = fleet.deployWithSteps(task);
        if (runs.isEmpty()) {
          runs = trigger(instance.runlane(), task, REMOTE_RUNS);
          await(worker.start());
        }
        if (kill < REMOTE_KILLS) {
          int known = calls.size() + REMOTE_RUNS / 2;
          Poll.until(PATIENCE, () -> calls.size() >= known);
          fleet.kill();
        }
      }
      Map<String, String> failures = unsuccessful(fleet.last(), runs);
      if (!failures.isEmpty()) {
        throw new IllegalStateException("runs of remote steps did not succeed: " + failures);
      }
    } finally {
      await(worker.stop());
      await(workers.close());
      await(vertx.close());
    }
    int made = calls.values().stream().mapToInt(AtomicInteger::get).sum();
    return List.of(Figure.atMost(
        0,
        "needless remote calls after " + REMOTE_KILLS + " take-overs, of " + made,
        "43 of 383",
        made - calls.size()));
  }

  private static Future<TaskResult> remote(TaskContext context, int number, int step) {
    return step == REMOTE_STEPS
        ? Future.succeededFuture(TaskResult.done())
        : context
            .remote(STEP, number * REMOTE_STEPS + step)
            .compose(done -> remote(context, number, step + 1));
  }

  private static List<String> trigger(Runlane runlane, Task<Integer> task, int count) {
    return await(runlane.triggerAll(
            task, IntStream.range(0, count).boxed().toList(), new TriggerOptions()))
        .stream()
        .map(result -> result.run().id())
        .toList();
  }

  /** What became of the runs that did not succeed, by id. */
  private static Map<String, String> unsuccessful(Runlane runlane, List<String> runs) {
    return runs.stream()
        .map(run -> await(runlane.awaitRun(run, PATIENCE)))
        .filter(run -> run.status() != RunStatus.SUCCEEDED)
        .collect(Collectors.toMap(RunRecord::id, run -> run.status() + " " + run.failure()));
  }

  private interface Work {
    Future<TaskResult> of(int number, TaskContext context);
  }

  private static Task<Integer> task(Work work) {
    return Task.define("task", Integer.class).handler(work::of);
  }

  /** Instances one after the other; a killed one is cut off from everything, as its own handlers hang. */
  private static final class Fleet implements AutoCloseable {
    private final PostgresAddress database;
    private final List<Instance> deployed = new ArrayList<>();
    private TcpLine line;

    Fleet(PostgresAddress database) {
      this.database = database;
      line = Site.line(database);
    }

    /** One without remote steps. */
    Instance deploy(Task<Integer> task) {
      return deployed(
          (builder, vertx) -> builder.options(SHORT_LEASES).queue(QUEUE).task(task));
    }

    Instance deployWithSteps(Task<Integer> task) {
      return deployed((builder, vertx) -> builder
          .options(SHORT_LEASES)
          .queue(QUEUE)
          .task(task)
          .stepTransport(
              SqlStepTransport.postgres(vertx, Site.over(line, database), new SqlStepOptions())));
    }

    private Instance deployed(Instance.Settings settings) {
      Instance instance = Instance.onPostgres(Site.over(line, database), settings);
      deployed.add(instance);
      return instance.work(WORKER);
    }

    void kill() {
      line.close();
      line = Site.line(database);
    }

    Runlane last() {
      return deployed.get(deployed.size() - 1).runlane();
    }

    @Override
    public void close() {
      await(Future.join(deployed.stream().map(each -> each.vertx().close()).toList()));
      line.close();
    }
  }
}
