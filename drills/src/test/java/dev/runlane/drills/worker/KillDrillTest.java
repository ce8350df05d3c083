package dev.runlane.drills.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.drills.fleet.Drill;
import dev.runlane.drills.fleet.TriggerProgram;
import dev.runlane.drills.fleet.Workload;
import dev.runlane.drills.process.Await;
import dev.runlane.drills.process.JavaProcess;
import dev.runlane.run.RunKeys;
import dev.runlane.run.RunRecord;
import dev.runlane.simulation.history.RunHistory;
import dev.runlane.simulation.history.StoredState;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
class KillDrillTest {
  private static final boolean FULL = Boolean.getBoolean("drills.full");
  private static final int ITEMS = FULL ? 20_000 : 600;
  private static final int KILLS = FULL ? 30 : 1;
  private static final int WORKERS = FULL ? 8 : 3;
  private static final Duration LEASE = Duration.ofSeconds(5);
  private static final Duration BOUND = Duration.ofMinutes(5);

  private static final String LEASED =
      "SELECT count(*) FROM runlane.active_runs WHERE lease_worker = ?";

  private final long seed = Long.getLong("drills.seed", System.nanoTime());
  private final Random random = new Random(seed);
  private final List<JavaProcess> workers = new ArrayList<>();
  private final Map<String, Instant> dead = new TreeMap<>();
  private final List<Integer> callerDies =
      new ArrayList<>(FULL ? List.of(ITEMS / 4, ITEMS / 2) : List.of(ITEMS / 3));
  private Duration longestRecovery = Duration.ZERO;
  private int kills;
  private int triggered;

  @Test
  void runs_end_once_each_while_workers_and_their_caller_are_killed() throws Exception {
    System.out.println("kill drill: " + ITEMS + " items, -Ddrills.seed=" + seed);

    Drill.run("kill", LEASE, drill -> {
      for (int index = 0; index < WORKERS; index++) {
        startWorker(drill);
      }
      workers.forEach(drill::awaitReady);
      Instant begun = Instant.now();
      runThrough(drill);
      Duration took = Duration.between(begun, Instant.now());
      StoredState state = drill.check();

      assertThat(state.partitions()).allMatch(use -> use.counted() == 0);
      assertThatEveryItemIsThere(state);
      drill.checkLimitsWereReached(state);
      assertThat(workers).allMatch(JavaProcess::isAlive);
      assertThat(took).isLessThan(BOUND);
      drill.report(state.histories().size() + " runs in " + took.toSeconds() + " s");
      drill.report(byStatus(state));
      drill.report(
          kills + " workers and their caller killed, the leases of one were all taken over within "
              + longestRecovery.toMillis() + " ms");
    });
  }

  private void runThrough(Drill drill) {
    List<JavaProcess> callers = new ArrayList<>(List.of(startCaller(drill)));
    Await.until("all runs have ended", BOUND, () -> {
      JavaProcess caller = callers.get(callers.size() - 1);
      triggered = Math.max(triggered, told(caller));
      if (!callerDies.isEmpty() && triggered >= callerDies.get(0)) {
        callerDies.remove(0);
        caller.kill();
        triggered = Math.max(triggered, told(caller));
        callers.add(startCaller(drill));
      }
      if (kills < KILLS && drill.endedRuns() >= (long) ITEMS * (kills + 1) / (KILLS + 2)) {
        killOne(drill);
        drill.checkCapacityRows();
      }
      noteRecoveries(drill);
      return triggered == ITEMS
          && drill.hasScheduledRun(drill.target().environment())
          && drill.activeRuns() == 0
          && drill.outboxMessages(drill.target().environment()) == 0;
    });
  }

  private JavaProcess startCaller(Drill drill) {
    return drill.fork(
        "caller-" + triggered,
        TriggerProgram.class,
        Drill.with(drill.target(), seed, triggered, ITEMS));
  }

  private static int told(JavaProcess caller) {
    return caller
        .lastLine("triggered ")
        .map(line -> Integer.parseInt(line.substring("triggered ".length())))
        .orElse(0);
  }

  private void startWorker(Drill drill) {
    workers.add(drill.forkWorker("worker-" + (workers.size() + kills), random));
  }

  private void killOne(Drill drill) {
    JavaProcess victim = workers.remove(random.nextInt(workers.size()));
    victim.kill();
    dead.put(victim.name(), Instant.now());
    kills++;
    startWorker(drill);
  }

  private void noteRecoveries(Drill drill) {
    dead.entrySet().removeIf(entry -> {
      if (drill.database().number(LEASED, entry.getKey()) > 0) {
        return false;
      }
      Duration took = Duration.between(entry.getValue(), Instant.now());
      longestRecovery = took.compareTo(longestRecovery) > 0 ? took : longestRecovery;
      return true;
    });
  }

  private static String byStatus(StoredState state) {
    Map<String, Long> counts = state.histories().stream()
        .collect(Collectors.groupingBy(
            history -> history.stored().status().value(), TreeMap::new, Collectors.counting()));
    long lost = state.histories().stream()
        .filter(history -> history.stored().counters().lostAttempts(0) > 1)
        .count();
    return counts + ", " + state.effects().size() + " attempts, " + lost + " runs lost a worker";
  }

  private void assertThatEveryItemIsThere(StoredState state) {
    Set<String> ids = new HashSet<>();
    Set<String> keys = new HashSet<>();
    for (RunHistory history : state.histories()) {
      RunRecord run = history.stored();
      ids.add(run.id());
      RunKeys owned = run.keys();
      if (owned.idempotencyKey() != null) {
        keys.add(owned.idempotencyKey());
      }
    }
    for (int number = 0; number < ITEMS; number++) {
      if (TriggerProgram.isBatch(number)) {
        assertThat(keys).contains("batch-" + number);
      } else if (!Workload.isSingleton(number) && number % 2 == 0) {
        assertThat(keys).contains(Workload.key(number));
      } else if (!Workload.isSingleton(number)) {
        assertThat(ids).contains(Workload.runId(number));
      }
    }
  }
}
