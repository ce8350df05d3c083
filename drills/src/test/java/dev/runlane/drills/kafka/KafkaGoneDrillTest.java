package dev.runlane.drills.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.drills.fleet.Drill;
import dev.runlane.drills.fleet.DrillTasks;
import dev.runlane.drills.fleet.TriggerProgram;
import dev.runlane.drills.fleet.WorkItem;
import dev.runlane.drills.fleet.WorkItem.Behaviour;
import dev.runlane.drills.history.Recoveries;
import dev.runlane.drills.process.Await;
import dev.runlane.drills.process.JavaProcess;
import dev.runlane.drills.process.WakeupCounts;
import dev.runlane.runtime.task.TriggerOptions;
import dev.runlane.runtime.worker.WorkerOptions;
import dev.runlane.simulation.history.StoredState;
import dev.runlane.simulation.history.StoredState.OutboxRow;
import dev.runlane.transport.kafka.KafkaConsumerOptions;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("full")
@DisplayNameGeneration(ReplaceUnderscores.class)
class KafkaGoneDrillTest {
  private static final int ITEMS = Boolean.getBoolean("drills.full") ? 5_000 : 600;
  private static final int WORKERS = 3;
  private static final int MORE = 100;
  private static final Duration LEASE = Duration.ofSeconds(5);
  private static final Duration POLL = Duration.ofSeconds(1);
  private static final Duration BOUND = Duration.ofMinutes(3);

  /** The worker's own time, then what a consumer needs to see that its group cannot be left in order. */
  private static final Duration STOP = WorkerOptions.DEFAULT_DRAIN_TIMEOUT.plus(
      KafkaConsumerOptions.DEFAULT_COMMIT_TIMEOUT.multipliedBy(3));

  private final long seed = Long.getLong("drills.seed", System.nanoTime());
  private final List<JavaProcess> workers = new ArrayList<>();

  @Test
  void runs_end_once_each_though_the_broker_never_comes_back() throws Exception {
    System.out.println("kafka gone drill: " + ITEMS + " items, -Ddrills.seed=" + seed);

    Drill.runOnKafka("kafka-gone", LEASE, drill -> {
      while (workers.size() < WORKERS) {
        start(drill, "worker-" + workers.size());
      }
      workers.forEach(drill::awaitReady);
      JavaProcess caller =
          drill.fork("caller", TriggerProgram.class, Drill.with(drill.target(), seed, 0, ITEMS));
      Await.until("a quarter of all runs has ended", BOUND, () -> drill.endedRuns() >= ITEMS / 4);
      drill.kafka().kill();
      Instant gone = Instant.now();
      long endedBefore = drill.endedRuns();
      long wokenBefore = WakeupCounts.sum(workers).executed();
      Await.until("half of them have ended", BOUND, () -> drill.endedRuns() >= ITEMS / 2);
      JavaProcess victim = workers.remove(0);
      victim.kill();
      drill.awaitReady(start(drill, "late"));
      triggerMore(drill);
      assertThat(caller.awaitExit(BOUND)).isZero();
      drill.awaitScheduledRun(drill.target().environment(), BOUND);
      Await.until("no run is active", BOUND, () -> drill.activeRuns() == 0);
      Duration took = Duration.between(gone, Instant.now());

      StoredState state = drill.checkUnpublished();
      assertThat(workers).allMatch(JavaProcess::isAlive);
      assertThat(state.histories()).hasSizeGreaterThan(ITEMS * 9 / 10);
      assertThat(state.partitions()).allMatch(use -> use.counted() == 0);
      assertThat(drill.outboxMessages(drill.target().environment()))
          .as("messages that nobody could publish")
          .isEqualTo(state.outbox().stream().filter(row -> row.deleted() == 0).count());
      drill.report(state.histories().size() + " runs; " + (state.histories().size() - endedBefore)
          + " of them ended within " + took.toMillis() + " ms without a broker");
      drill.report("wakeups executed before " + wokenBefore + ", in all "
          + WakeupCounts.sum(workers).executed());
      Map<String, Long> attempts = attempts(state);
      assertThat(attempts).containsKey("late");
      drill.report("attempts by worker " + attempts);
      drill.report(count(state, 0) + " wakeups were never published, " + count(state, 1) + " were");
      drill.report("stopped within " + stopAll() + " ms");
    });
  }

  private JavaProcess start(Drill drill, String name) {
    JavaProcess worker = drill.forkPollingWorker(name, POLL);
    workers.add(worker);
    return worker;
  }

  /** More than the slots of the others, so that the one that never saw a broker has to work. */
  private static void triggerMore(Drill drill) {
    List<Future<?>> all = new ArrayList<>();
    for (int index = 0; index < MORE; index++) {
      WorkItem item = new WorkItem(ITEMS + index, Behaviour.SUCCEED, 1_000);
      TriggerOptions options = new TriggerOptions().setQueue(DrillTasks.FREE);
      all.add(drill.runtime().runlane().trigger(drill.runtime().tasks().work(), item, options));
    }
    Await.result(Future.all(all));
  }

  private static Map<String, Long> attempts(StoredState state) {
    return Recoveries.in(state.histories(), Map.of()).finishes().stream()
        .collect(
            Collectors.groupingBy(Recoveries.Finish::worker, TreeMap::new, Collectors.counting()));
  }

  private static long count(StoredState state, int deleted) {
    return state.outbox().stream()
        .mapToInt(OutboxRow::deleted)
        .filter(n -> n == deleted)
        .count();
  }

  /** All at the same time; answers how long the slowest took. */
  private long stopAll() {
    Instant told = Instant.now();
    workers.forEach(JavaProcess::terminate);
    for (JavaProcess worker : workers) {
      worker.awaitLine("stopped", STOP);
    }
    workers.forEach(worker -> worker.awaitExit(STOP));
    return Duration.between(told, Instant.now()).toMillis();
  }
}
