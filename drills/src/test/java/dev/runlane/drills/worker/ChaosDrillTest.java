package dev.runlane.drills.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.drills.fleet.Drill;
import dev.runlane.drills.fleet.TriggerProgram;
import dev.runlane.drills.process.Await;
import dev.runlane.drills.process.JavaProcess;
import dev.runlane.simulation.history.StoredState;
import dev.runlane.testinfra.process.FrozenProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("full")
@DisplayNameGeneration(ReplaceUnderscores.class)
class ChaosDrillTest {
  private static final Duration LEASE = Duration.ofSeconds(2);
  private static final Duration BOUND = Duration.ofMinutes(2);
  private static final int WORKERS = 4;
  private static final int ITEMS = Boolean.getBoolean("drills.full") ? 8_000 : 1_500;
  private static final int FAULTS = Boolean.getBoolean("drills.full") ? 40 : 12;

  private static final String LEASED =
      "SELECT count(*) FROM runlane.active_runs WHERE lease_worker = ?";
  private static final String CUT = """
      SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid()
      """;

  /** Longer than a statement waits for a lock, so that writes of all processes are given up and repeated. */
  private static final String HOLD_LOCK = """
      DO $$ BEGIN
        LOCK TABLE runlane.active_runs IN SHARE ROW EXCLUSIVE MODE;
        PERFORM pg_sleep(0.4);
      END $$
      """;

  private final long seed = Long.getLong("drills.seed", System.nanoTime());
  private final Random random = new Random(seed);
  private final List<JavaProcess> workers = new ArrayList<>();
  private final Map<Fault, Integer> faults = new TreeMap<>();
  private int started;

  /** What happens to a fleet. */
  private enum Fault {
    WORKER_KILLED,
    WORKER_STOPPED_FOR_A_WHILE,
    CONNECTIONS_CUT,
    POSTGRES_KILLED,
    RUNS_LOCKED
  }

  @Test
  void runs_end_once_each_whatever_happens_in_whatever_order() throws Exception {
    System.out.println("chaos drill: " + ITEMS + " items, -Ddrills.seed=" + seed);

    Drill.run("chaos", LEASE, Drill.server(), drill -> {
      while (workers.size() < WORKERS) {
        startWorker(drill);
      }
      JavaProcess caller =
          drill.fork("caller", TriggerProgram.class, Drill.with(drill.target(), seed, 0, ITEMS));
      for (int index = 1; index <= FAULTS; index++) {
        long enough = (long) ITEMS * index * 8 / (FAULTS * 10L);
        Await.until(enough + " runs have ended", BOUND, () -> drill.endedRuns() >= enough);
        Fault fault = Fault.values()[random.nextInt(Fault.values().length)];
        faults.merge(fault, 1, Integer::sum);
        inflict(drill, fault);
      }
      assertThat(caller.awaitExit(BOUND)).isZero();
      drill.awaitDone(BOUND);

      StoredState state = drill.check();
      assertThat(workers).allMatch(JavaProcess::isAlive);
      drill.report(state.histories().size() + " runs, " + state.effects().size() + " attempts");
      drill.report(faults.toString());
    });
  }

  private void inflict(Drill drill, Fault fault) {
    JavaProcess victim = workers.get(random.nextInt(workers.size()));
    switch (fault) {
      case WORKER_KILLED -> {
        victim.kill();
        workers.remove(victim);
        startWorker(drill);
      }
      case WORKER_STOPPED_FOR_A_WHILE -> {
        FrozenProcess paused = victim.pause();
        Await.until(
            "its leases are taken over",
            BOUND,
            () -> drill.database().number(LEASED, victim.name()) == 0);
        paused.close();
      }
      case CONNECTIONS_CUT -> drill.database().number(CUT);
      case POSTGRES_KILLED -> drill.crashPostgres();
      case RUNS_LOCKED -> drill.database().execute(HOLD_LOCK);
    }
  }

  private void startWorker(Drill drill) {
    workers.add(drill.forkWorker("worker-" + started++, random));
  }
}
