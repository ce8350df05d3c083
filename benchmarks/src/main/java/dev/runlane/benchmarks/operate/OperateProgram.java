package dev.runlane.benchmarks.operate;

import dev.runlane.benchmarks.measure.Cpu;
import dev.runlane.benchmarks.measure.ScratchServer;
import dev.runlane.benchmarks.measure.Sql;
import dev.runlane.benchmarks.measure.Stopwatch;
import dev.runlane.benchmarks.measure.TimedCalls;
import dev.runlane.benchmarks.subject.Payload;
import dev.runlane.benchmarks.subject.RunlaneHost;
import dev.runlane.console.ConsoleOptions;
import dev.runlane.console.OperatorConsole;
import dev.runlane.lane.Lanes;
import dev.runlane.operator.OperatorStore;
import dev.runlane.operator.depth.TakeSample;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.Runlane;
import dev.runlane.runtime.RunlaneDeployment;
import dev.runlane.runtime.task.RetryPolicy;
import dev.runlane.runtime.task.Schedule;
import dev.runlane.runtime.task.Task;
import dev.runlane.runtime.task.TaskQueue;
import dev.runlane.runtime.task.TaskResult;
import dev.runlane.runtime.task.TriggerOptions;
import dev.runlane.storage.pg.PgStorageAdapter;
import dev.runlane.storage.pg.PgStorageOptions;
import dev.runlane.testinfra.postgres.PostgresAddress;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Scanner;
import java.util.concurrent.TimeUnit;

/**
 * How long the operator API takes to answer on a database with very many runs while a process works on those that wait,
 * and what it costs to count what waits. A list or overview that the API's document has and that is not asked ends the
 * program with an error.
 */
public final class OperateProgram {
  private static final String AT = "at=";
  private static final int SAMPLES = 10;
  private static final String WAITING = "SELECT count(*) FROM runlane.active_runs";
  private static final Duration EVERY = Duration.ofMinutes(1); // how often a system counts

  private final Vertx vertx = Vertx.vertx();
  private final Vertx working = Vertx.vertx();
  private final ScratchServer server;
  private final PostgresAddress database;
  private final boolean waits;

  private OperateProgram(ScratchServer server, boolean waits) {
    this.server = server;
    this.waits = waits;
    database = server.madeBefore().orElseGet(server::createDatabase);
  }

  /**
   * {@code [ENDED [WAITING [CALLS]]]}: runs of each kind, and calls of each route. With {@code wait} behind them it
   * measures once a line has come on standard input, so that the machine may be made quiet first. With
   * {@code at=FOLDER} the filled database stays in that folder, and is measured again as it was left, instead of being
   * filled, where the folder has one.
   */
  public static void main(String[] args) {
    long[] numbers = {1_000_000, 100_000, 40};
    List<String> given = new ArrayList<>(List.of(args));
    boolean waits = given.remove("wait");
    Optional<Path> kept = given.stream()
        .filter(each -> each.startsWith(AT))
        .map(each -> Path.of(each.substring(AT.length())))
        .findFirst();
    given.removeIf(each -> each.startsWith(AT));
    for (int place = 0; place < given.size(); place++) {
      numbers[place] = Long.parseLong(given.get(place));
    }
    try (ScratchServer server =
        kept.map(ScratchServer::keptIn).orElseGet(() -> ScratchServer.start(Map.of()))) {
      System.out.println("On " + server.description());
      boolean isFast = new OperateProgram(server, waits)
          .run(numbers[0], numbers[1], Math.toIntExact(numbers[2]));
      System.out.println(isFast ? "every route is fast enough" : "some routes are too slow");
    }
  }

  private boolean run(long ended, long waiting, int calls) {
    try {
      PgStorageAdapter storage = storage(vertx);
      Runlane runlane = runlane(vertx, storage);
      TimedCalls.await(runlane.start());
      OperatedRuns.Templates templates;
      String bounded;
      try (Sql sql = server.open(database)) {
        templates = filled(sql, runlane, ended, waiting);
        bounded = sql.text(OperatedRuns.LAST_BOUNDED);
      }
      if (waits) {
        System.out.println("filled");
        new Scanner(System.in, StandardCharsets.UTF_8).nextLine();
      }
      count(storage.operator().orElseThrow(), runlane, waiting);
      OperatorConsole console =
          OperatorConsole.create(vertx, runlane, new ConsoleOptions().setPort(0));
      int port = TimedCalls.await(console.start());
      Runlane worker = runlane(working, storage(working));
      long before;
      try (Sql sql = server.open(database)) {
        before = sql.number(WAITING);
      }
      TimedCalls.await(worker.deploy(working, new RunlaneDeployment()));
      boolean isFast = new OperatedRoutes(vertx, port, templates, bounded).measure(calls);
      try (Sql sql = server.open(database)) {
        System.out.println(new JsonObject()
            .put("workload", "drained meanwhile")
            .put("runs", before - sql.number(WAITING))
            .encode());
      }
      TimedCalls.await(worker.close());
      TimedCalls.await(console.close());
      TimedCalls.await(runlane.close());
      return isFast;
    } finally {
      TimedCalls.await(working.close());
      TimedCalls.await(vertx.close());
    }
  }

  private static OperatedRuns.Templates filled(Sql sql, Runlane runlane, long ended, long waiting) {
    OperatedRuns.Templates before = OperatedRuns.storedBefore(sql);
    if (before != null) {
      new OperatedRuns(sql, before).foldIfUnfolded();
      return before;
    }
    OperatedRuns.Templates templates = templates(runlane);
    Stopwatch filling = Stopwatch.start();
    new OperatedRuns(sql, templates).store(ended, waiting);
    System.out.println(filling.results().put("workload", "fill").encode());
    return templates;
  }

  /** What the process that counts for all of a system uses of one core of the server. */
  private void count(OperatorStore store, Runlane runlane, long waiting) {
    long[] micros = new long[SAMPLES];
    for (int sample = 0; sample < SAMPLES; sample++) {
      Instant later = Instant.now().plusSeconds(60L * sample);
      long before = Cpu.ofServer(server.pid());
      boolean taken = TimedCalls.await(
          store.takeSample(new TakeSample(runlane.environment(), later, Duration.ofMillis(1))));
      if (!taken) {
        throw new IllegalStateException("nothing was counted");
      }
      micros[sample] = Cpu.ofServer(server.pid()) - before;
    }
    Arrays.sort(micros);
    System.out.println(new JsonObject()
        .put("workload", "depths")
        .put("waiting", waiting)
        .put("serverCpuMillisPerCount", micros[SAMPLES / 2] / 1e3)
        .put("percentOfACore", 100.0 * micros[SAMPLES / 2] / (EVERY.toNanos() / 1e3))
        .encode());
  }

  private PgStorageAdapter storage(Vertx of) {
    return PgStorageAdapter.create(
        of, new PgStorageOptions().setConnectOptions(RunlaneHost.connection(database)));
  }

  /** Handlers that wait for somebody else, as most do. */
  private static Runlane runlane(Vertx of, PgStorageAdapter storage) {
    TaskQueue load = TaskQueue.of("load").asDefault();
    TaskQueue bounded = TaskQueue.of("bounded").concurrencyLimit(1);
    return Runlane.builder(of, Lanes.create(storage, storage.notifyTransport()))
        .queues(List.of(load, bounded))
        .tasks(List.of(
            Task.define("noop", Payload.class)
                .schedule(Schedule.every("hourly", Duration.ofHours(1)).payload(Payload.of(0)))
                .handler((payload, context) -> answered(of)),
            Task.define("bounded", Payload.class)
                .queue(bounded)
                .concurrencyKey(payload -> "customer")
                .handler((payload, context) -> answered(of)),
            Task.define("broken", Payload.class)
                .retry(RetryPolicy.NONE)
                .handler((payload, context) -> Future.failedFuture(RunlaneException.of(
                    ErrorCode.TASK_FAILED, "the warehouse answered 503: closed")))))
        .build();
  }

  private static Future<TaskResult> answered(Vertx of) {
    return of.timer(5, TimeUnit.MILLISECONDS).map(waited -> TaskResult.done());
  }

  private static OperatedRuns.Templates templates(Runlane runlane) {
    RunRecord succeeded = ended(runlane, "noop");
    RunRecord failed = ended(runlane, "broken");
    return new OperatedRuns.Templates(
        succeeded.id(), failed.id(), trigger(runlane, "noop").id());
  }

  private static RunRecord ended(Runlane runlane, String task) {
    RunRecord run = trigger(runlane, task);
    TimedCalls.await(runlane.executeNext());
    return TimedCalls.await(runlane.runs().get(run.id())).orElseThrow();
  }

  private static RunRecord trigger(Runlane runlane, String task) {
    return TimedCalls.await(runlane.triggerJson(
            task, JsonObject.mapFrom(Payload.of(1)).encode(), new TriggerOptions()))
        .run();
  }
}
