package dev.runlane.drills.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.drills.fleet.Drill;
import dev.runlane.drills.process.Await;
import dev.runlane.drills.process.JavaProcess;
import dev.runlane.simulation.history.RunHistory;
import dev.runlane.simulation.history.StoredState;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
class TransactionDrillTest {
  private static final Duration LEASE = Duration.ofSeconds(5);
  private static final Duration BOUND = Duration.ofMinutes(2);
  private static final int ORDERS = 2_000; // more than a caller gets through before it is killed
  private static final int CALLERS = Boolean.getBoolean("drills.full") ? 4 : 1;

  /** Backends in a transaction: of a killed caller, one may have its COMMIT still to read. */
  private static final String IN_TRANSACTION =
      "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
          + " AND pid <> pg_backend_pid() AND backend_type = 'client backend' AND state <> 'idle'";

  private final long seed = Long.getLong("drills.seed", System.nanoTime());
  private final Random random = new Random(seed);
  private final Set<String> confirmed = new HashSet<>();

  @Test
  void a_run_exists_if_and_only_if_the_caller_committed() throws Exception {
    System.out.println("transaction drill: -Ddrills.seed=" + seed);

    Drill.run("transaction", LEASE, drill -> {
      killBetweenCommits(drill);
      for (int caller = 0; caller < CALLERS; caller++) {
        killSomewhere(drill, 1_000 + caller * ORDERS);
      }
      Await.until(
          "no caller's transaction is open",
          BOUND,
          () -> drill.database().number(IN_TRANSACTION) == 0);
      Set<String> orders = Set.copyOf(
          drill.database().rows("SELECT run_id FROM drill_orders", row -> row.getString(1)));
      drill.deployWorker("worker");
      drill.awaitDone(BOUND);
      StoredState state = drill.check();

      assertThat(runIds(state)).isEqualTo(orders).containsAll(confirmed).doesNotContain("order-1");
      drill.report(orders.size() + " orders with a run each, " + confirmed.size() + " confirmed, "
          + (CALLERS + 1) + " callers killed");
    });
  }

  /** With one order committed and told, and another one whose commit is not asked for yet. */
  private void killBetweenCommits(Drill drill) {
    JavaProcess caller = caller(drill, 0, "asked");
    caller.awaitLine("triggered 0", BOUND);
    assertThat(drill.activeRuns()).isZero();
    caller.send("commit");
    caller.awaitLine("triggered 1", BOUND);
    caller.kill();
    note(caller);
    assertThat(confirmed).containsExactly("order-0");
    assertThat(drill.activeRuns()).isEqualTo(1);
  }

  private void killSomewhere(Drill drill, int first) {
    JavaProcess caller = caller(drill, first, "alone");
    caller.awaitLine("triggered " + (first + 20 + random.nextInt(60)), BOUND);
    caller.kill();
    note(caller);
  }

  private static JavaProcess caller(Drill drill, int first, String mode) {
    return drill.fork(
        "caller-" + first,
        TransactionProgram.class,
        Drill.with(drill.target(), first, first + ORDERS, mode));
  }

  private void note(JavaProcess caller) {
    caller.output().told().stream()
        .filter(line -> line.startsWith("committed "))
        .forEach(line -> confirmed.add("order-" + line.substring("committed ".length())));
  }

  /** The schedule's run is no order's. */
  private static Set<String> runIds(StoredState state) {
    List<RunHistory> histories = state.histories();
    return histories.stream()
        .filter(history -> history.stored().source().scheduleId() == null)
        .map(RunHistory::runId)
        .collect(Collectors.toSet());
  }
}
