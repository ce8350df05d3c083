package dev.runlane.drills.database;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.drills.fleet.Drill;
import dev.runlane.drills.fleet.DrillRuntime;
import dev.runlane.drills.fleet.DrillTasks;
import dev.runlane.drills.fleet.TriggerProgram;
import dev.runlane.drills.fleet.WorkItem;
import dev.runlane.drills.fleet.WorkItem.Behaviour;
import dev.runlane.drills.fleet.Workload;
import dev.runlane.drills.process.Await;
import dev.runlane.run.RunEvent;
import dev.runlane.runtime.task.TriggerOptions;
import dev.runlane.simulation.history.LostAttempts;
import dev.runlane.simulation.history.RunHistory;
import dev.runlane.simulation.history.StoredState;
import dev.runlane.storage.pg.PgStorageOptions;
import dev.runlane.testinfra.process.TcpLine;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.sqlclient.PoolOptions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** The way of two of three runtimes to Postgres falls silent under load, for longer than their leases last. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class SilentPostgresDrillTest {
  private static final Duration LEASE = Duration.ofSeconds(4);
  private static final Duration BOUND = Duration.ofMinutes(2);
  private static final int ITEMS = Boolean.getBoolean("drills.full") ? 6_000 : 400;
  private static final List<String> CUT_OFF = List.of("worker-0", "worker-1");
  private static final String REACHABLE = "worker-2";
  private static final int STAYING = 4;
  private static final String STAY =
      "SELECT count(*) FROM runlane.active_runs WHERE run_id LIKE 'stay-%' AND status = 'running'";

  @Test
  void runs_end_once_each_though_the_way_to_postgres_is_silent_for_longer_than_a_lease()
      throws Exception {
    long seed = Long.getLong("drills.seed", System.nanoTime());
    System.out.println("silent postgres drill: -Ddrills.seed=" + seed);
    Workload workload = new Workload(seed);

    Drill.run("silent-postgres", LEASE, drill -> {
      List<DrillRuntime> runtimes = new ArrayList<>();
      try (TcpLine line = new TcpLine(drill.address().host(), drill.address().port())) {
        for (String worker : CUT_OFF) {
          runtimes.add(deploy(drill, worker, "127.0.0.1", line.port()));
        }
        giveWhatStays(drill);
        DrillRuntime reachable =
            deploy(drill, REACHABLE, drill.address().host(), drill.address().port());
        runtimes.add(reachable);
        trigger(reachable, workload, 0, ITEMS / 2);
        Await.until("a quarter has ended", BOUND, () -> drill.endedRuns() >= ITEMS / 4);

        line.silence();
        Future<?> meanwhile =
            TriggerProgram.trigger(runtimes.get(0), workload, ITEMS / 2, ITEMS / 2 + 100);
        drill.pass(LEASE.multipliedBy(2));
        line.speak();
        Instant back = Instant.now();
        Await.result(meanwhile);
        trigger(runtimes.get(1), workload, ITEMS / 2 + 100, ITEMS);
        triggerUntilAllWork(drill, reachable, workload, back);
        drill.awaitDone(BOUND);

        StoredState state = drill.check();
        assertThat(state.histories()).hasSizeGreaterThan(ITEMS * 9 / 10);
        assertThat(LostAttempts.in(state.histories())).isNotEmpty();
        assertThat(workersSince(back, state.histories())).containsAll(CUT_OFF);
        drill.report(state.histories().size() + " runs, " + state.effects().size() + " attempts");
      } finally {
        for (DrillRuntime runtime : runtimes) {
          Await.result(runtime.close().eventually(() -> runtime.vertx().close()));
        }
      }
    });
  }

  /** A runtime with all roles; its handlers reach the database directly, as their pool knows no deadline. */
  private static DrillRuntime deploy(Drill drill, String worker, String host, int port) {
    PgStorageOptions options = new PgStorageOptions()
        .setConnectOptions(
            PgConnectOptions.fromUri(drill.target().uri()).setHost(host).setPort(port))
        .setPoolOptions(new PoolOptions().setMaxSize(5));
    DrillRuntime runtime = DrillRuntime.create(Vertx.vertx(), drill.target(), worker, options);
    Await.result(runtime.runlane().deploy(runtime.vertx(), DrillRuntime.allRoles(worker)));
    return runtime;
  }

  /** Runs that those who are there have until they lose them. */
  private static void giveWhatStays(Drill drill) {
    for (int number = 0; number < STAYING; number++) {
      Await.result(drill
          .runtime()
          .runlane()
          .trigger(
              drill.runtime().tasks().work(),
              new WorkItem(number, Behaviour.STAY_ONCE, 120_000),
              new TriggerOptions().setQueue(DrillTasks.FREE).setRunId("stay-" + number)));
    }
    Await.until(
        "those who will be cut off have runs",
        BOUND,
        () -> drill.database().number(STAY) == STAYING);
  }

  private static void trigger(DrillRuntime caller, Workload workload, int from, int to) {
    Await.result(TriggerProgram.triggerAll(caller, workload, from, to));
  }

  /** A fast one may be through with all that waits before the others are back. */
  private static void triggerUntilAllWork(
      Drill drill, DrillRuntime caller, Workload workload, Instant since) {
    AtomicInteger next = new AtomicInteger(ITEMS);
    drill.awaitClaims(CUT_OFF, since, BOUND, () -> {
      int from = next.getAndAdd(TriggerProgram.TOGETHER);
      trigger(caller, workload, from, from + TriggerProgram.TOGETHER);
    });
  }

  private static Set<String> workersSince(Instant instant, List<RunHistory> histories) {
    return histories.stream()
        .flatMap(history -> history.events().stream())
        .map(row -> row.event())
        .filter(event -> event.header().occurredAt().isAfter(instant))
        .filter(RunEvent.LeaseClaimed.class::isInstance)
        .map(event -> ((RunEvent.LeaseClaimed) event).lease().workerId())
        .collect(Collectors.toUnmodifiableSet());
  }
}
