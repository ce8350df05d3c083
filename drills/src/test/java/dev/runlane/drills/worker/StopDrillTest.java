package dev.runlane.drills.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.drills.fleet.Drill;
import dev.runlane.drills.fleet.DrillTasks;
import dev.runlane.drills.fleet.WorkItem;
import dev.runlane.drills.fleet.WorkItem.Behaviour;
import dev.runlane.drills.process.Await;
import dev.runlane.drills.process.JavaProcess;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunStatus;
import dev.runlane.runtime.task.TriggerOptions;
import dev.runlane.runtime.worker.WorkerOptions;
import dev.runlane.simulation.history.StoredState;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
class StopDrillTest {
  /** So long that nothing here ends because a lease expires. */
  private static final Duration LEASE = Duration.ofMinutes(10);

  private static final Duration BOUND = Duration.ofMinutes(2);
  private static final int RUNS = 120;

  /** Of the 16 slots of a worker: the others are for runs that end by themselves. */
  private static final int STAYING = 12;

  private static final String LEASED =
      "SELECT count(*) FROM runlane.active_runs WHERE lease_worker = ?";
  private static final String STAY = LEASED + " AND run_id LIKE 'stay-%' AND status = 'running'";

  @Test
  void a_worker_that_is_told_to_end_hands_its_leases_back() throws Exception {
    Drill.run("stop", LEASE, drill -> {
      JavaProcess first = drill.forkWorker("first");
      drill.awaitReady(first);
      trigger(drill);
      Await.until(
          "the first worker has all runs that stay",
          BOUND,
          () -> drill.database().number(STAY, "first") == STAYING);

      Instant told = Instant.now();
      first.terminate();
      first.awaitLine("stopped", WorkerOptions.DEFAULT_DRAIN_TIMEOUT.plusSeconds(10));
      Duration took = Duration.between(told, Instant.now());
      first.awaitExit(BOUND);

      assertThat(took).isLessThan(WorkerOptions.DEFAULT_DRAIN_TIMEOUT);
      assertThat(leases(drill, "first")).isZero();
      drill.deployWorker("second");
      drill.awaitDone(BOUND);
      StoredState state = drill.check();
      long handedBack = countHandedBack(state);
      assertThat(handedBack).isPositive();
      assertThat(state.histories())
          .allMatch(history -> history.stored().status() == RunStatus.SUCCEEDED)
          .allMatch(history -> history.stored().counters().lostAttempts(1) == 0);
      drill.report(
          "stopped within " + took.toMillis() + " ms, " + handedBack + " runs handed back");
    });
  }

  /** Runs that stay until they are asked to give up, runs that continue to their end, and quick ones. */
  private static void trigger(Drill drill) {
    List<Future<?>> all = new ArrayList<>();
    for (int number = 0; number < RUNS; number++) {
      boolean stays = number % (RUNS / STAYING) == 0;
      WorkItem item = stays
          ? new WorkItem(number, Behaviour.STAY_ONCE, 120_000)
          : new WorkItem(number, Behaviour.SUCCEED, number % 3 == 1 ? 800 : 0);
      TriggerOptions options = new TriggerOptions()
          .setRunId((stays ? "stay-" : "end-") + number)
          .setQueue(number % 2 == 0 ? DrillTasks.FREE : DrillTasks.WIDE)
          .setConcurrencyKey("w" + number % 4);
      all.add(drill.runtime().runlane().trigger(drill.runtime().tasks().work(), item, options));
    }
    Await.result(Future.all(all));
  }

  private static long leases(Drill drill, String worker) {
    return drill.database().number(LEASED, worker);
  }

  private static long countHandedBack(StoredState state) {
    return state.histories().stream()
        .flatMap(history -> history.events().stream())
        .filter(row -> row.event() instanceof RunEvent.Released released
            && "worker_stopping".equals(released.reason()))
        .count();
  }
}
