package dev.runlane.drills.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.drills.fleet.Drill;
import dev.runlane.drills.fleet.DrillTasks;
import dev.runlane.drills.fleet.ExpectedEnds;
import dev.runlane.drills.fleet.TriggerProgram;
import dev.runlane.drills.process.Await;
import dev.runlane.drills.process.JavaProcess;
import dev.runlane.drills.process.WakeupCounts;
import dev.runlane.simulation.history.LostAttempts;
import dev.runlane.simulation.history.StoredState;
import dev.runlane.transport.IgnoredReason;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("full")
@DisplayNameGeneration(ReplaceUnderscores.class)
class StrayWakeupsDrillTest {
  private static final int ITEMS = Boolean.getBoolean("drills.full") ? 5_000 : 600;
  private static final int WORKERS = 2;
  private static final int CHANGED = 100;
  private static final Duration LEASE = Duration.ofSeconds(10);
  private static final Duration BOUND = Duration.ofMinutes(3);

  private final long seed = Long.getLong("drills.seed", System.nanoTime());
  private final Random random = new Random(seed);
  private final List<JavaProcess> workers = new ArrayList<>();

  @Test
  void wakeups_that_come_twice_late_in_another_order_or_broken_change_nothing_but_counters()
      throws Exception {
    System.out.println("stray wakeups drill: " + ITEMS + " items, -Ddrills.seed=" + seed);

    Drill.runOnKafka("stray-wakeups", LEASE, drill -> {
      while (workers.size() < WORKERS) {
        workers.add(drill.forkWorker("worker-" + workers.size(), random));
      }
      workers.forEach(drill::awaitReady);
      try (StrayWakeups strays = new StrayWakeups(drill.kafka().bootstrapServers(), random)) {
        int repeated = repeatUnderWay(drill, strays);
        StoredState before = drill.check();
        assertThat(ExpectedEnds.missed(before.histories())).isEmpty();
        assertThat(LostAttempts.in(before.histories())).isEmpty();
        drill.checkTopics(workers, 0, BOUND);
        drill.report(before.histories().size() + " runs, " + repeated
            + " wakeups repeated meanwhile in another order");
        repeatAfterwards(drill, strays);
        assertThat(drill.check()).isEqualTo(before);
      }
    });
  }

  private int repeatUnderWay(Drill drill, StrayWakeups strays) {
    JavaProcess caller =
        drill.fork("caller", TriggerProgram.class, Drill.with(drill.target(), seed, 0, ITEMS));
    int[] repeated = {0};
    Await.until("all runs have ended", BOUND, () -> {
      repeated[0] += strays.repeatNews();
      return !caller.isAlive()
          && drill.activeRuns() == 0
          && drill.outboxMessages(drill.target().environment()) == 0;
    });
    assertThat(caller.awaitExit(BOUND)).isZero();
    repeated[0] += strays.repeatNews();
    strays.flush();
    assertThat(repeated[0]).isGreaterThan(ITEMS);
    return repeated[0];
  }

  /** Each kind is counted, and nothing is counted besides. */
  private void repeatAfterwards(Drill drill, StrayWakeups strays) {
    WakeupCounts before = settled(drill, 0);
    assertThat(before.ignoredFor(IgnoredReason.TERMINAL)).isPositive();
    int late = strays.repeatAll();
    strays.writeElsewhere(CHANGED);
    strays.writeChanged("queue", DrillTasks.FREE.name(), CHANGED);
    strays.writeChanged("queue", "nobody.has.it", CHANGED);
    strays.writeChanged("runId", "run-that-never-was", CHANGED);
    strays.writeChanged("environment", "elsewhere", CHANGED);
    int unreadable = strays.writeUnreadable();
    strays.flush();
    WakeupCounts after = settled(drill, unreadable);

    for (IgnoredReason reason : IgnoredReason.values()) {
      long wanted =
          switch (reason) {
            case TERMINAL -> late + 3L * CHANGED; // that it has ended is seen before the queue is
            case NOT_FOUND -> 2L * CHANGED;
            default -> 0;
          };
      assertThat(after.ignoredFor(reason) - before.ignoredFor(reason))
          .as("ignored as %s", reason)
          .isEqualTo(wanted);
    }
    assertThat(after.executed()).isEqualTo(before.executed());
    assertThat(after.failed()).isEqualTo(before.failed());
    assertThat(after.deadLettered() - before.deadLettered()).isEqualTo(unreadable);
    drill.report(late + " repeated after the end, " + 5 * CHANGED + " changed, " + unreadable
        + " unreadable, all counted as such and nothing else changed");
    drill.report("counters of the whole drill: " + after);
  }

  /** The counters of all workers once every record is settled; a worker tells them a moment later. */
  private WakeupCounts settled(Drill drill, long deadLetters) {
    long records = drill.checkTopics(workers, deadLetters, BOUND).records();
    Await.until("the workers have told their counters", BOUND, () -> {
      WakeupCounts told = WakeupCounts.sum(workers);
      return told.settled() >= records;
    });
    return WakeupCounts.sum(workers);
  }
}
