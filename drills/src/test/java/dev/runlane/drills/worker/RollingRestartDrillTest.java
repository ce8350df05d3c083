package dev.runlane.drills.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.drills.fleet.Drill;
import dev.runlane.drills.fleet.DrillTasks;
import dev.runlane.drills.fleet.PacedLoad;
import dev.runlane.drills.fleet.WorkItem;
import dev.runlane.drills.fleet.WorkItem.Behaviour;
import dev.runlane.drills.history.TopicState;
import dev.runlane.drills.process.Await;
import dev.runlane.drills.process.JavaProcess;
import dev.runlane.run.RunEvent;
import dev.runlane.runtime.task.TriggerOptions;
import dev.runlane.runtime.worker.WorkerOptions;
import dev.runlane.simulation.history.LostAttempts;
import dev.runlane.simulation.history.StoredState;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("full")
@DisplayNameGeneration(ReplaceUnderscores.class)
class RollingRestartDrillTest {
  private static final boolean FULL = Boolean.getBoolean("drills.full");
  private static final int ITEMS = FULL ? 10_000 : 1_200;
  private static final int ROUNDS = FULL ? 3 : 1;
  private static final int WORKERS = 3;
  private static final int PATIENT = 24;

  /** So long that nothing here ends because a lease expires. */
  private static final Duration LEASE = Duration.ofMinutes(10);

  private static final Duration BOUND = Duration.ofMinutes(2);
  private static final Duration DRAIN = WorkerOptions.DEFAULT_DRAIN_TIMEOUT;
  private static final String LEASED =
      "SELECT count(*) FROM runlane.active_runs WHERE lease_worker = ?";

  private final long seed = Long.getLong("drills.seed", System.nanoTime());
  private final List<JavaProcess> workers = new ArrayList<>();
  private final List<Long> stops = new ArrayList<>();
  private int started;
  private int patient;

  @Test
  void a_rolling_restart_of_all_workers_under_load_loses_no_attempt() throws Exception {
    System.out.println("rolling restart drill: " + ITEMS + " items, -Ddrills.seed=" + seed);

    Drill.runOnKafka("rolling-restart", LEASE, drill -> {
      while (workers.size() < WORKERS) {
        start(drill);
      }
      workers.forEach(drill::awaitReady);
      PacedLoad load = PacedLoad.start(drill, seed, ITEMS, BOUND);
      int part = PacedLoad.part(ITEMS, ROUNDS * WORKERS + 1);
      for (int restart = 1; restart <= ROUNDS * WORKERS; restart++) {
        restartOldest(drill, load, part);
      }
      load.addRest();
      drill.awaitDone(BOUND);
      TopicState topics = drill.checkTopics(workers, 0, BOUND);
      StoredState state = drill.check();

      assertThat(LostAttempts.in(state.histories())).isEmpty();
      long handedBack = countHandedBack(state);
      assertThat(handedBack).isPositive();
      drill.report(state.histories().size() + " runs, " + topics.records() + " wakeups, lag "
          + topics.lag());
      drill.report(stops.size() + " workers stopped within " + stops + " ms, " + handedBack
          + " runs handed back, no attempt lost");
    });
  }

  private void start(Drill drill) {
    workers.add(drill.forkWorker("worker-" + started++));
  }

  /** First the new one, as a deployment does that must not lose capacity. */
  private void restartOldest(Drill drill, PacedLoad load, int part) {
    JavaProcess oldest = workers.remove(0);
    start(drill);
    drill.awaitReady(workers.get(workers.size() - 1));
    load.add(part, part / 4);
    triggerPatient(drill);
    Await.until("the worker is busy", BOUND, () -> leases(drill, oldest) > 0);
    Instant told = Instant.now();
    oldest.terminate();
    oldest.awaitLine("stopped", DRAIN.plusSeconds(20));
    Duration took = Duration.between(told, Instant.now());
    oldest.awaitExit(BOUND);
    stops.add(took.toMillis());
    assertThat(took).as("stop of " + oldest.name()).isLessThan(DRAIN);
    assertThat(leases(drill, oldest)).as("leases of " + oldest.name()).isZero();
  }

  /** Runs that continue for a while and give up when they are asked. */
  private void triggerPatient(Drill drill) {
    List<Future<?>> all = new ArrayList<>();
    for (int index = 0; index < PATIENT; index++) {
      int number = ITEMS + patient++;
      TriggerOptions options = new TriggerOptions()
          .setQueue(number % 2 == 0 ? DrillTasks.FREE : DrillTasks.WIDE)
          .setConcurrencyKey("w" + number % 6);
      WorkItem item = new WorkItem(number, Behaviour.GIVE_UP_WHEN_ASKED, 2_500);
      all.add(drill.runtime().runlane().trigger(drill.runtime().tasks().work(), item, options));
    }
    Await.result(Future.all(all));
  }

  private static long leases(Drill drill, JavaProcess worker) {
    return drill.database().number(LEASED, worker.name());
  }

  private static long countHandedBack(StoredState state) {
    return state.histories().stream()
        .flatMap(history -> history.events().stream())
        .filter(row -> row.event() instanceof RunEvent.Released released
            && "worker_stopping".equals(released.reason()))
        .count();
  }
}
