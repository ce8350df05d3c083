package dev.runlane.drills.database;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.drills.fleet.Drill;
import dev.runlane.drills.fleet.DrillTasks;
import dev.runlane.drills.fleet.TriggerProgram;
import dev.runlane.drills.fleet.WorkItem;
import dev.runlane.drills.fleet.WorkItem.Behaviour;
import dev.runlane.drills.process.Await;
import dev.runlane.drills.process.JavaProcess;
import dev.runlane.runtime.task.TriggerOptions;
import dev.runlane.simulation.history.StoredState;
import dev.runlane.testinfra.process.FrozenProcess;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
class PostgresRestartDrillTest {
  private static final Duration LEASE = Duration.ofSeconds(5);
  private static final Duration BOUND = Duration.ofMinutes(2);
  private static final int ITEMS = 1_200;
  private static final int WORKERS = 3;
  private static final String LEASED =
      "SELECT count(*) FROM runlane.active_runs WHERE lease_worker = ?";

  @Test
  @Tag("full") // FailoverDrillTest and KafkaFaultDrillTest kill Postgres too
  void runs_end_once_each_though_postgres_is_killed_twice() throws Exception {
    long seed = Long.getLong("drills.seed", System.nanoTime());
    System.out.println("postgres restart drill: -Ddrills.seed=" + seed);

    Drill.run("postgres-restart", LEASE, Drill.server(), drill -> {
      List<JavaProcess> workers = startWorkers(drill);
      JavaProcess caller =
          drill.fork("caller", TriggerProgram.class, Drill.with(drill.target(), seed, 0, ITEMS));
      for (int crash = 1; crash <= 2; crash++) {
        long enough = (long) ITEMS * crash / 4;
        Await.until(enough + " runs have ended", BOUND, () -> drill.endedRuns() >= enough);
        Duration away = drill.crashPostgres();
        long before = drill.endedRuns();
        Instant back = Instant.now();
        Await.until("runs end again", BOUND, () -> drill.endedRuns() > before);
        drill.report("Postgres was away for " + away.toMillis() + " ms, runs ended again after "
            + Duration.between(back, Instant.now()).toMillis() + " ms");
      }
      assertThat(caller.awaitExit(BOUND)).isZero();
      drill.awaitDone(BOUND);

      StoredState state = drill.check();
      assertThat(workers).allMatch(JavaProcess::isAlive);
      assertThat(state.histories()).hasSizeGreaterThan(ITEMS * 9 / 10);
      drill.report(state.histories().size() + " runs, " + state.effects().size() + " attempts");
    });
  }

  @Test
  void a_worker_that_was_stopped_past_its_lease_writes_nothing_wrong() throws Exception {
    Drill.run("paused-worker", LEASE, drill -> {
      JavaProcess victim = drill.forkWorker("victim");
      drill.awaitReady(victim);
      triggerSlowRuns(drill);
      Await.until("the worker is busy", BOUND, () -> leases(drill, victim) >= 4);
      drill.deployWorker("other");
      FrozenProcess paused = victim.pause();
      long held = leases(drill, victim);
      Duration takenOver =
          Await.until("its leases are taken over", BOUND, () -> leases(drill, victim) == 0);
      paused.close();
      drill.awaitDone(BOUND);

      StoredState state = drill.check();
      assertThat(victim.isAlive()).isTrue();
      assertThat(state.histories())
          .filteredOn(history -> history.stored().counters().lostAttempts(1) > 0)
          .hasSizeGreaterThanOrEqualTo((int) held / 2);
      drill.report(
          held + " leases of the stopped worker taken over within " + takenOver.toMillis() + " ms");
    });
  }

  private static List<JavaProcess> startWorkers(Drill drill) {
    List<JavaProcess> workers = new ArrayList<>();
    for (int index = 0; index < WORKERS; index++) {
      workers.add(drill.forkWorker("worker-" + index));
    }
    workers.forEach(drill::awaitReady);
    return workers;
  }

  /** They end one after the other: of those that begin together few are about to tell it at any one moment. */
  private static void triggerSlowRuns(Drill drill) {
    List<Future<?>> all = new ArrayList<>();
    for (int number = 0; number < 60; number++) {
      TriggerOptions options = new TriggerOptions()
          .setQueue(number % 2 == 0 ? DrillTasks.FREE : DrillTasks.PAIR)
          .setConcurrencyKey("p" + number % 10);
      all.add(drill
          .runtime()
          .runlane()
          .trigger(
              drill.runtime().tasks().work(),
              new WorkItem(number, Behaviour.SUCCEED, 2_500 + 125 * (number % 12)),
              options));
    }
    Await.result(Future.all(all));
  }

  private static long leases(Drill drill, JavaProcess worker) {
    return drill.database().number(LEASED, worker.name());
  }
}
