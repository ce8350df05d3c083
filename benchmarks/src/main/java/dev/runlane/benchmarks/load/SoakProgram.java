package dev.runlane.benchmarks.load;

import dev.runlane.benchmarks.measure.Latencies;
import dev.runlane.benchmarks.measure.ScratchServer;
import dev.runlane.benchmarks.measure.Sql;
import dev.runlane.benchmarks.measure.Stopwatch;
import dev.runlane.benchmarks.subject.ProcessSettings;
import dev.runlane.benchmarks.subject.Role;
import dev.runlane.benchmarks.subject.RunlaneHost;
import dev.runlane.benchmarks.subject.Workload;
import dev.runlane.runtime.RunlaneDeployment;
import dev.runlane.runtime.maintenance.RetentionOptions;
import dev.runlane.runtime.task.TaskResult;
import dev.runlane.runtime.worker.WorkerOptions;
import dev.runlane.testinfra.postgres.PostgresAddress;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;

/**
 * One process with all roles at half of its drain rate, with a retention that removes what ended long ago, and a
 * transaction held open in the middle third: how large the tables are and how soon runs start before it, with it and
 * after it. Every run is waited for in the end.
 */
public final class SoakProgram {
  private static final int DRAINED = 20_000;
  private static final int SLOTS = 128;

  /** Two before the transaction, two with it, two after it. */
  private static final List<String> PARTS =
      List.of("fill", "before", "held", "held longer", "after", "end");

  private final ScratchServer server;
  private final PostgresAddress database;
  private final RunlaneHost host;
  private final StartTimes starts = new StartTimes();
  private final Duration part;

  private SoakProgram(ScratchServer server, Duration all) {
    this.server = server;
    part = all.dividedBy(PARTS.size());
    database = server.createDatabase();
    Workload workload = Workload.of("soak", Role.DRAIN, DRAINED, SLOTS);
    host =
        RunlaneHost.start(new ProcessSettings(database.toUri(), workload), (payload, context) -> {
          starts.add(System.nanoTime() - payload.sentNanos());
          return Future.succeededFuture(TaskResult.done());
        });
  }

  /** {@code MINUTES}: how long runs are triggered. */
  public static void main(String[] args) {
    if (args.length != 1) {
      throw new IllegalArgumentException("soak needs the number of MINUTES");
    }
    System.out.println(
        Targets.table(List.of(measure(Duration.ofMinutes(Integer.parseInt(args[0]))))));
  }

  /** A soak of so long; each part is told when it is over. */
  static Measurement measure(Duration all) {
    try (ScratchServer server = ScratchServer.start(Map.of())) {
      System.out.println("On " + server.description());
      SoakProgram program = new SoakProgram(server, all);
      try (Sql sql = server.open(program.database)) {
        return program.soak(sql);
      } finally {
        program.host.close();
      }
    }
  }

  private Measurement soak(Sql sql) {
    host.lookForWork();
    drained(0); // warm-up
    int perSecond = (int) (drained(DRAINED) / 2);
    host.deploy(new RunlaneDeployment()
        .setWorker(new WorkerOptions().setConcurrency(SLOTS))
        .setRetention(new RetentionOptions()
            .setOlderThan(part.dividedBy(2))
            .setIdleDelay(part.dividedBy(20))));
    Trigger trigger = new Trigger(host, 2 * DRAINED, perSecond);
    host.context().runOnContext(turn -> trigger.tick());
    starts.take();
    List<JsonObject> parts = new ArrayList<>();
    try (Sql holder = server.open(database)) {
      for (String name : PARTS) {
        if (name.equals("held")) {
          holder.execute("BEGIN ISOLATION LEVEL REPEATABLE READ");
          holder.number("SELECT count(*) FROM runlane.environments"); // which takes its snapshot
        } else if (name.equals("after")) {
          holder.execute("COMMIT");
        }
        parts.add(part(name, perSecond, sql));
      }
    }
    host.await(trigger.stop());
    host.awaitEnded(sql);
    return result(parts);
  }

  /** The second time of what the runs before were the warm-up of, in runs a second. */
  private double drained(int from) {
    host.createMany(2, from, from + DRAINED);
    Stopwatch watch = Stopwatch.start();
    host.drain(SLOTS);
    return DRAINED / (watch.results().getLong("elapsedNanos") / 1e9);
  }

  private JsonObject part(String name, int perSecond, Sql sql) {
    host.await(host.vertx().timer(part.toMillis(), TimeUnit.MILLISECONDS));
    JsonObject told = Latencies.of(starts.take())
        .put("workload", "soak")
        .put("part", name)
        .put("runsPerSecond", perSecond)
        .put("bytes", bytes(sql, "%"))
        .put("activeRunsBytes", bytes(sql, "active_runs"))
        .put("terminalRunsBytes", bytes(sql, "terminal_runs"))
        .put("runEventsBytes", bytes(sql, "run_events"))
        .put("waiting", sql.number("SELECT count(*) FROM runlane.active_runs"));
    System.out.println(told.encode());
    return told;
  }

  /** Of tables with their indexes. */
  private static long bytes(Sql sql, String tables) {
    return sql.number("SELECT sum(pg_total_relation_size(oid))::bigint FROM pg_class"
        + " WHERE relnamespace = 'runlane'::regnamespace AND relkind = 'r' AND relname LIKE '"
        + tables + "'");
  }

  private static Measurement result(List<JsonObject> parts) {
    JsonObject before = parts.get(PARTS.indexOf("before"));
    JsonObject after = parts.get(PARTS.indexOf("after"));
    JsonObject end = parts.get(PARTS.indexOf("end"));
    return new Measurement(
        "soak",
        "runlane",
        Map.of(
            "p99EndByBefore", end.getDouble("p99Millis") / before.getDouble("p99Millis"),
            "bytesEndByAfter", end.getDouble("bytes") / after.getDouble("bytes")));
  }

  /** Triggers runs at a fixed rate until it is stopped. Lives on the host's context, but for stopping. */
  private static final class Trigger {
    private static final long TICK_MILLIS = 5;

    private final RunlaneHost host;
    private final int first;
    private final int perSecond;
    private final long startedAt = System.nanoTime();
    private final Promise<Void> stopped = Promise.promise();
    private int triggered;
    private boolean ends;

    Trigger(RunlaneHost host, int first, int perSecond) {
      this.host = host;
      this.first = first;
      this.perSecond = perSecond;
    }

    /** What is due by now, with one call. */
    void tick() {
      int due = (int) ((System.nanoTime() - startedAt) / 1_000 * perSecond / 1_000_000);
      Future<?> call = due == triggered
          ? Future.succeededFuture()
          : host.triggerAll(first + triggered, first + due);
      triggered = due;
      call.onFailure(stopped::tryFail);
      if (ends) {
        call.onSuccess(done -> stopped.tryComplete());
      } else {
        host.vertx().setTimer(TICK_MILLIS, fired -> tick());
      }
    }

    /** Completes when all are triggered; fails when a call has failed. */
    Future<Void> stop() {
      host.context().runOnContext(turn -> ends = true);
      return stopped.future();
    }
  }

  /** Times from trigger to handler since they were last taken. Safe for use by any thread. */
  private static final class StartTimes {
    private LongStream.Builder nanos = LongStream.builder();

    synchronized void add(long took) {
      nanos.add(took);
    }

    synchronized long[] take() {
      long[] taken = nanos.build().toArray();
      nanos = LongStream.builder();
      return taken;
    }
  }
}
