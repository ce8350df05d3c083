package dev.runlane.benchmarks.steps;

import dev.runlane.benchmarks.load.Measurement;
import dev.runlane.benchmarks.load.Targets;
import dev.runlane.benchmarks.measure.Latencies;
import dev.runlane.benchmarks.measure.ScratchServer;
import dev.runlane.run.Json;
import dev.runlane.steps.delivery.StepDeliveryOptions;
import dev.runlane.steps.delivery.StepResultDelivery;
import dev.runlane.steps.delivery.StepResultReceiver;
import dev.runlane.steps.delivery.StepVerdict;
import dev.runlane.steps.result.ClaimedStepResult;
import dev.runlane.steps.sql.SqlStepTransport;
import dev.runlane.steps.sql.worker.SqlStepWorker;
import dev.runlane.steps.sql.worker.SqlStepWorkerOptions;
import dev.runlane.steps.task.ClaimStepTasks;
import dev.runlane.steps.task.ClaimedStepTask;
import dev.runlane.steps.task.DispatchSteps;
import dev.runlane.steps.task.ListMissingSteps;
import dev.runlane.steps.task.ReleaseStepTasks;
import dev.runlane.steps.task.StepTask;
import dev.runlane.testinfra.Durability;
import dev.runlane.testinfra.mariadb.EmbeddedMariadb;
import dev.runlane.testinfra.mariadb.MariadbServers;
import dev.runlane.testinfra.postgres.PostgresAddress;
import dev.runlane.timing.Clock;
import dev.runlane.timing.Timers;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import io.vertx.pgclient.PgConnectOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.stream.IntStream;

/**
 * Remote steps on a scratch Postgres and, where it is installed, a scratch MariaDB: how fast one worker works a
 * backlog off, and one of the published Node package where Node is there; how long each step of a chain takes from its
 * dispatch until the engine has its result, and in a run from its call until the handler continues; and what a claim
 * costs behind a backlog.
 */
public final class StepsProgram {
  private static final String NAME = "echo";
  private static final Json INPUT = Json.ofChecked("{\"text\":\"" + "x".repeat(200) + "\"}");
  private static final Duration LEASE = Duration.ofSeconds(30);
  private static final int BATCH = 10; // what the published worker claims at once
  private static final int CLAIMS = 200;
  private static final Duration LOOK_AGAIN = Duration.ofMillis(200);

  private final Vertx vertx;
  private final StepsDatabase database;
  private final PgConnectOptions runs;
  private final SqlStepTransport transport;
  private final List<Measurement> measured = new ArrayList<>();

  private StepsProgram(Vertx vertx, StepsDatabase database, PgConnectOptions runs) {
    this.vertx = vertx;
    this.database = database;
    this.runs = runs;
    this.transport = database.transport();
  }

  /**
   * {@code PROJECT [STEPS [WORKLOAD]]}: the project's folder; how many steps the drain, a tenth of it the chain and
   * a seventh the chain in runs have, 20 000 unless given; and the only workload to measure: {@code drain}, {@code
   * chain}, {@code run-chain}, {@code run-burst}, of 1 000 runs at once, or {@code claim}.
   */
  public static void main(String[] args) {
    Path project = Path.of(args[0]);
    int steps = args.length > 1 ? Integer.parseInt(args[1]) : 20_000;
    Predicate<String> wanted = name -> args.length < 3 || args[2].equals(name);
    Vertx vertx = Vertx.vertx();
    try (ScratchServer server = ScratchServer.start(Map.of())) {
      System.out.println("On " + server.description());
      System.out.println(Targets.table(onPostgres(vertx, server, project, steps, wanted)));
      if (MariadbServers.absence().isPresent()) {
        System.out.println("(no MariaDB: " + MariadbServers.absence().get() + ")");
        return;
      }
      try (EmbeddedMariadb mariadb = EmbeddedMariadb.builder()
          .temporary()
          .durability(Durability.POWER_LOSS)
          .start()) {
        System.out.println("On " + mariadb.origin() + ", runs on Postgres as before");
        StepsDatabase tables = StepsDatabase.mariadb(vertx, mariadb.createDatabase("load"));
        measure(vertx, tables, server.createDatabase(), project, steps, wanted);
      }
    } finally {
      done(vertx.close());
    }
  }

  /** What 1 000 runs at once come to, all on Postgres. */
  public static List<Measurement> measureBursts(Path project) {
    Vertx vertx = Vertx.vertx();
    try (ScratchServer server = ScratchServer.start(Map.of())) {
      return onPostgres(vertx, server, project, 0, "run-burst"::equals);
    } finally {
      done(vertx.close());
    }
  }

  private static List<Measurement> onPostgres(
      Vertx vertx, ScratchServer server, Path project, int steps, Predicate<String> wanted) {
    PostgresAddress runs = server.createDatabase();
    return measure(vertx, StepsDatabase.postgres(vertx, runs), runs, project, steps, wanted);
  }

  private static List<Measurement> measure(
      Vertx vertx,
      StepsDatabase database,
      PostgresAddress runs,
      Path project,
      int steps,
      Predicate<String> wanted) {
    StepsProgram program =
        new StepsProgram(vertx, database, PgConnectOptions.fromUri(runs.toUri()));
    if (wanted.test("drain")) {
      program.drain(steps, BATCH); // the JVM's and the tables' warm-up
      program.tell(program.drain(steps, BATCH));
      NodeWorker.installed(project)
          .ifPresentOrElse(
              folder -> program.tell(program.drainByNode(folder, steps / 4)),
              () ->
                  System.out.println("(no Node, or no packages for it: nothing to compare with)"));
      program.tell(program.drain(steps, 128));
    }
    if (wanted.test("chain")) {
      program.tell(program.chain(steps / 10));
    }
    if (wanted.test("run-chain")) {
      program.tell(program.chainInRuns(steps / 7));
    }
    if (wanted.test("run-burst")) {
      program.tell(program.chainsAtOnce(false));
      program.tell(program.chainsAtOnce(true));
    }
    if (wanted.test("claim")) {
      program.tell(program.claims(1_000));
      program.tell(program.claims(1_000_000));
    }
    done(program.transport.close());
    return program.measured;
  }

  private void tell(JsonObject result) {
    System.out.println(result.put("database", database.name()).encode());
    measured.add(Measurement.told(result));
  }

  /** From the worker's start until every result is recorded. */
  private JsonObject drain(int steps, int concurrency) {
    fill(steps);
    AtomicInteger handled = new AtomicInteger();
    Promise<Void> last = Promise.promise();
    SqlStepWorker worker = SqlStepWorker.create(
            vertx, transport, new SqlStepWorkerOptions().setConcurrency(concurrency))
        .handle(NAME, call -> {
          if (handled.incrementAndGet() == steps) {
            last.complete();
          }
          return Future.succeededFuture(call.done(call.input().orElse(null)));
        });
    long began = System.nanoTime();
    done(worker.start());
    done(last.future());
    done(worker.stop()); // waits until what was handled is recorded
    double seconds = (System.nanoTime() - began) / 1e9;
    if (countResults() != steps) {
      throw new IllegalStateException("not every step has a result");
    }
    return drained("runlane", concurrency, steps, seconds);
  }

  /** From the first look that sees results, when its process has started, until every result is recorded. */
  private JsonObject drainByNode(Path folder, int steps) {
    fill(steps);
    NodeWorker worker = NodeWorker.start(folder, database.uri(), NAME);
    try (worker) {
      long before = results(1);
      long began = System.nanoTime();
      results(steps);
      double seconds = (System.nanoTime() - began) / 1e9;
      return drained("node package", BATCH, steps - before, seconds);
    }
  }

  /** Looks until there are this many results, and answers how many there were. */
  private long results(long awaited) {
    long there = countResults();
    while (there < awaited) {
      done(Timers.of(vertx).after(LOOK_AGAIN));
      there = countResults();
    }
    return there;
  }

  private void fill(int steps) {
    empty();
    for (int from = 0; from < steps; from += 1_000) {
      dispatch(from, Math.min(steps, from + 1_000));
    }
    done(database.analyze());
  }

  private static JsonObject drained(String system, int concurrency, long steps, double seconds) {
    return new JsonObject()
        .put("workload", "steps-drain")
        .put("system", system)
        .put("concurrency", concurrency)
        .put("steps", steps)
        .put("stepsPerSecond", Math.round(steps / seconds));
  }

  private void dispatch(int from, int end) {
    List<StepTask> tasks = IntStream.range(from, end)
        .mapToObj(i -> StepTask.first("run_" + i, 0, NAME, INPUT))
        .toList();
    done(transport.dispatchSteps(new DispatchSteps(tasks, Clock.system().now())));
  }

  /** One step after the other, each dispatched when the engine has received the one before. */
  private JsonObject chain(int steps) {
    empty();
    Context home = vertx.getOrCreateContext();
    Latencies latencies = new Latencies(steps / 10, steps);
    Chain chain = new Chain(latencies, steps);
    SqlStepWorker worker = SqlStepWorker.create(vertx, transport, new SqlStepWorkerOptions())
        .handle(NAME, call -> Future.succeededFuture(call.done()));
    done(worker.start());
    Promise<StepResultDelivery> started = Promise.promise();
    home.runOnContext(turn -> {
      StepResultDelivery delivery = new StepResultDelivery(
          transport, chain, "engine", new StepDeliveryOptions(), Clock.system(), Timers.of(vertx));
      delivery.start();
      chain.next();
      started.complete(delivery);
    });
    done(latencies.complete());
    StepResultDelivery delivery = done(started.future());
    Promise<Void> stopped = Promise.promise();
    home.runOnContext(turn -> delivery.stop().onComplete(stopped));
    done(stopped.future());
    done(worker.stop());
    return latencies.results().put("workload", "steps-chain").put("steps", steps);
  }

  /** Runs that ask for ten steps one after the other. */
  private JsonObject chainInRuns(int steps) {
    empty();
    SqlStepTransport engines = database.transport(); // the runtime closes it
    SqlStepWorker worker = SqlStepWorker.create(vertx, transport, new SqlStepWorkerOptions())
        .handle(NAME, call -> Future.succeededFuture(call.done(call.input().orElseThrow())));
    done(worker.start());
    JsonObject measured =
        done(RunChain.oneByOne(vertx, runs, engines, NAME, Math.max(3, steps / 10), 10));
    done(worker.stop());
    return measured;
  }

  /** From the first trigger until the last of them has its ten steps. */
  private JsonObject chainsAtOnce(boolean waiting) {
    empty();
    SqlStepTransport engines = database.transport(); // the runtime closes it
    SqlStepWorker worker = SqlStepWorker.create(
            vertx, transport, new SqlStepWorkerOptions().setConcurrency(128))
        .handle(NAME, call -> Future.succeededFuture(call.done(call.input().orElseThrow())));
    done(worker.start());
    JsonObject measured = done(RunChain.atOnce(vertx, runs, engines, NAME, 1_100, 10, waiting));
    done(worker.stop());
    return measured;
  }

  /** Claims of ten behind a backlog of several groups, each handed back. */
  private JsonObject claims(int waiting) {
    empty();
    done(database.fill(waiting));
    done(database.analyze());
    Latencies latencies = new Latencies(CLAIMS / 10, CLAIMS);
    for (int i = 0; i < CLAIMS; i++) {
      long began = System.nanoTime();
      List<ClaimedStepTask> claimed = done(transport.claimStepTasks(
          new ClaimStepTasks(List.of("g1"), "bench", Clock.system().now(), LEASE, BATCH)));
      latencies.add(i, System.nanoTime() - began);
      done(transport.releaseStepTasks(
          new ReleaseStepTasks(claimed.stream().map(each -> each.claim()).toList())));
    }
    return latencies.results().put("workload", "steps-claim").put("waiting", waiting);
  }

  /** Once the tables are there. */
  private void empty() {
    done(transport.listMissingSteps(new ListMissingSteps(List.of())));
    done(database.empty());
  }

  private long countResults() {
    return done(database.execute("SELECT count(*) FROM durable_transport_results"))
        .iterator()
        .next()
        .getLong(0);
  }

  private static <T> T done(Future<T> future) {
    return future
        .toCompletionStage()
        .toCompletableFuture()
        .orTimeout(10, TimeUnit.MINUTES)
        .join();
  }

  private final class Chain implements StepResultReceiver {
    private final Latencies latencies;
    private final int steps;
    private int number;
    private long dispatchedAt;

    Chain(Latencies latencies, int steps) {
      this.latencies = latencies;
      this.steps = steps;
    }

    void next() {
      dispatchedAt = System.nanoTime();
      transport
          .dispatchStep(
              StepTask.first("run_" + number, 0, NAME, INPUT), Clock.system().now())
          .onFailure(Throwable::printStackTrace);
    }

    @Override
    public Future<Set<String>> knownRuns(Set<String> runIds) {
      return Future.succeededFuture(runIds);
    }

    @Override
    public Future<StepVerdict> receive(ClaimedStepResult result) {
      latencies.add(number++, System.nanoTime() - dispatchedAt);
      if (number < steps) {
        next();
      }
      return Future.succeededFuture(StepVerdict.settle());
    }
  }
}
