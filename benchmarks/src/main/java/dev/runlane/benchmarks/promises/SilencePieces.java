package dev.runlane.benchmarks.promises;

import static dev.runlane.benchmarks.promises.Instance.QUEUE;
import static dev.runlane.benchmarks.promises.Instance.await;

import dev.runlane.benchmarks.measure.Sql;
import dev.runlane.run.Lease;
import dev.runlane.run.RunRecord;
import dev.runlane.runtime.host.RunlaneOptions;
import dev.runlane.runtime.task.SignalReason;
import dev.runlane.runtime.task.Task;
import dev.runlane.runtime.task.TaskResult;
import dev.runlane.runtime.worker.WorkerOptions;
import dev.runlane.testinfra.postgres.PostgresAddress;
import dev.runlane.testinfra.process.Poll;
import dev.runlane.testinfra.process.TcpLine;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;

/** A way to Postgres that keeps its sockets open and says nothing. */
final class SilencePieces {
  private static final Duration LEASE = Duration.ofSeconds(10);
  private static final int STUCK = 40; // in several statements, each of which is under way

  /** A third of the lease and a quarter of that, 10 s to connect, and 10 s to look whether the run is there. */
  private static final double LEASED_SECONDS = 35;

  /** The same with a deadline of the server's statement_timeout and 5 s. */
  private static final double UNLEASED_SECONDS = 65;

  private static final double LISTEN_SECONDS = 10;
  private static final long BETWEEN_STARTS = 250;

  private SilencePieces() {}

  /** A trigger that comes while gathered statements are stuck, of a process that works and of one that does not. */
  static List<Figure> trigger(Site site) {
    return List.of(
        trigger(site, true, "with leases of 30 s", LEASED_SECONDS),
        trigger(site, false, "of a process without leases", UNLEASED_SECONDS));
  }

  private static Figure trigger(Site site, boolean working, String which, double bound) {
    PostgresAddress database = site.createDatabase();
    Task<Integer> task = task(number -> Future.succeededFuture(TaskResult.done()));
    try (TcpLine line = Site.line(database);
        Instance instance = Instance.onPostgres(
            Site.over(line, database), (builder, vertx) -> builder.queue(QUEUE).task(task))) {
      if (working) {
        instance.work(new WorkerOptions());
      } else {
        instance.start();
      }
      await(instance.runlane().trigger(task, 0));
      line.silence();
      for (int i = 0; i < STUCK; i++) {
        instance.runlane().trigger(task, i);
        Poll.pause(20); // each gets into a statement of its own, as long as there are slots
      }
      Elapsed elapsed = Elapsed.fromNow();
      Future<?> asked = instance.runlane().trigger(task, STUCK);
      await(asked.otherwiseEmpty());
      double answered = elapsed.seconds();
      if (asked.succeeded()) {
        throw new IllegalStateException("a trigger succeeded in the silence");
      }
      line.speak();
      await(instance.runlane().trigger(task, STUCK + 1));
      return Figure.atMost(
          bound,
          "answer of `trigger` while gathered statements are stuck, " + which + ", s",
          "none in 212",
          answered);
    }
  }

  /** Starts while the LISTEN connection alone is silent. */
  static List<Figure> listen(Site site) {
    PostgresAddress database = site.createDatabase();
    Map<Integer, Promise<Long>> started = new ConcurrentHashMap<>();
    Task<Integer> task = task(number -> {
      Objects.requireNonNull(started.get(number)).complete(System.nanoTime());
      return Future.succeededFuture(TaskResult.done());
    });
    try (Sql sql = Site.open(database);
        TcpLine line = Site.line(database);
        Instance worker = Instance.onPostgres(
            Site.over(line, database), (builder, vertx) -> builder.queue(QUEUE).task(task));
        Instance caller = Instance.onPostgres(
            Site.direct(database), (builder, vertx) -> builder.queue(QUEUE).task(task))) {
      worker.work(new WorkerOptions());
      caller.start();
      for (int i = 0; i < 10; i++) {
        start(caller, task, started, i);
      }
      line.silence(farPort -> sql.number(LISTENING + farPort) > 0);
      Elapsed silent = Elapsed.fromNow();
      double worst = 0;
      double replaced = 0;
      for (int i = 10; silent.seconds() < 2 * LISTEN_SECONDS; i++) {
        double latency = start(caller, task, started, i);
        worst = Math.max(worst, latency);
        if (latency > BETWEEN_STARTS) {
          replaced = silent.seconds();
        }
        Poll.pause(BETWEEN_STARTS);
      }
      if (replaced == 0) {
        throw new IllegalStateException("the LISTEN connection was not silenced");
      }
      double after = start(caller, task, started, -1);
      return List.of(
          Figure.atMost(
              LISTEN_SECONDS,
              "until the silent LISTEN connection is replaced and starts are quick again, s",
              "never",
              replaced),
          Figure.atMost(
              LISTEN_SECONDS * 1000, "the slowest start meanwhile, ms", "30,000, for good", worst),
          Figure.atMost(BETWEEN_STARTS, "a start afterwards, ms", "30,000", after));
    }
  }

  private static final String LISTENING =
      "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
          + " AND (query LIKE 'LISTEN%' OR query = 'SELECT 1') AND client_port = ";

  private static double start(
      Instance caller, Task<Integer> task, Map<Integer, Promise<Long>> started, int number) {
    Promise<Long> begun = Promise.promise();
    started.put(number, begun);
    long asked = System.nanoTime();
    await(caller.runlane().trigger(task, number));
    return (await(begun.future()) - asked) / 1e6;
  }

  /** The signal of a handler whose heartbeats are not answered, and who works on its run next. */
  static List<Figure> leaseEnd(Site site) {
    PostgresAddress database = site.createDatabase();
    Promise<Void> begun = Promise.promise();
    Promise<Instant> signalled = Promise.promise();
    Promise<Instant> next = Promise.promise();
    Task<Integer> holding = Task.define("task", Integer.class).handler((number, context) -> {
      begun.complete();
      return context.signal().compose(reason -> {
        if (reason == SignalReason.LEASE_LOST) {
          signalled.tryComplete(Instant.now());
        }
        return Promise.<TaskResult>promise().future();
      });
    });
    Task<Integer> taking = task(number -> {
      next.tryComplete(Instant.now());
      return Future.succeededFuture(TaskResult.done());
    });
    RunlaneOptions options =
        new RunlaneOptions().setLeaseDuration(LEASE).setCloseTimeout(Duration.ofSeconds(2));
    try (TcpLine line = Site.line(database);
        Instance first = Instance.onPostgres(
            Site.over(line, database),
            (builder, vertx) -> builder.options(options).queue(QUEUE).task(holding));
        Instance second = Instance.onPostgres(
            Site.direct(database),
            (builder, vertx) -> builder.options(options).queue(QUEUE).task(taking))) {
      first.work(new WorkerOptions());
      second.start();
      String runId = await(second.runlane().trigger(taking, 1)).run().id();
      await(begun.future());
      second.work(new WorkerOptions());
      Poll.pause(LEASE.toMillis() / 2); // a heartbeat or two were answered
      line.silence();
      Poll.pause(200); // what was under way is stored
      Instant end = await(second.runlane().runs().get(runId))
          .map(RunRecord::lease)
          .map(Lease::expiresAt)
          .orElseThrow();
      Instant told = await(signalled.future());
      Instant taken = await(next.future());
      line.speak();
      return List.of(
          Figure.atMost(
              50,
              "`LEASE_LOST` after the end of the own lease, ms",
              "15,000 to 30,000",
              Duration.between(end, told).toNanos() / 1e6),
          Figure.atLeast(
              0,
              "the next worker's start after `LEASE_LOST`, ms",
              "-15,000 to -30,000",
              Duration.between(told, taken).toNanos() / 1e6));
    }
  }

  private interface Work {
    Future<TaskResult> on(int number);
  }

  private static Task<Integer> task(Work work) {
    return Task.define("task", Integer.class).handler((number, context) -> work.on(number));
  }
}
