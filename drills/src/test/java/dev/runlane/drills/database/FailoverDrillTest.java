package dev.runlane.drills.database;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.drills.fleet.Drill;
import dev.runlane.drills.fleet.TriggerProgram;
import dev.runlane.drills.fleet.Workload;
import dev.runlane.drills.process.Await;
import dev.runlane.simulation.history.StoredState;
import dev.runlane.testinfra.postgres.EmbeddedPostgres;
import dev.runlane.testinfra.postgres.PostgresAddress;
import dev.runlane.testinfra.process.TcpLine;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
class FailoverDrillTest {
  private static final Duration LEASE = Duration.ofSeconds(5);
  private static final Duration BOUND = Duration.ofMinutes(2);

  /** How long the address leads to a server that refuses changes. */
  private static final Duration READ_ONLY = Duration.ofSeconds(3);

  private static final boolean FULL = Boolean.getBoolean("drills.full");
  private static final int ITEMS = FULL ? 12_000 : 600;
  private static final List<String> WORKERS = List.of("worker-0", "worker-1", "worker-2");

  @Test
  void runs_end_once_each_though_the_primary_dies_and_its_standby_takes_over() throws Exception {
    long seed = Long.getLong("drills.seed", System.nanoTime());
    System.out.println("failover drill: -Ddrills.seed=" + seed);

    try (EmbeddedPostgres first = Drill.server().start();
        TcpLine line = new TcpLine(first.host(), first.port())) {
      Drill.run("failover", LEASE, first, address -> over(line, address), drill -> {
        WORKERS.forEach(drill::deployWorker);
        Workload workload = new Workload(seed);
        try (EmbeddedPostgres second = first.startStandby()) {
          Future<?> caller = TriggerProgram.triggerAll(drill.runtime(), workload, 0, ITEMS);
          Instant back = failOver(drill, line, first, second, ITEMS / 4);
          if (FULL) {
            try (EmbeddedPostgres third = second.startStandby()) {
              back = failOver(drill, line, second, third, ITEMS / 2);
              finish(drill, workload, caller, back);
            }
          } else {
            finish(drill, workload, caller, back);
          }
        }
      });
    }
  }

  private static void finish(Drill drill, Workload workload, Future<?> caller, Instant back)
      throws Exception {
    Await.until("everything is triggered", BOUND, caller::isComplete);
    Await.result(caller);
    AtomicInteger next = new AtomicInteger(ITEMS);
    drill.awaitClaims(WORKERS, back, BOUND, () -> {
      int from = next.getAndAdd(TriggerProgram.TOGETHER);
      Await.result(TriggerProgram.triggerAll(
          drill.runtime(), workload, from, from + TriggerProgram.TOGETHER));
    });
    drill.awaitDone(BOUND);

    StoredState state = drill.check();
    drill.closeWorkers(); // while there is a server
    assertThat(state.histories()).hasSizeGreaterThan(ITEMS * 9 / 10);
    drill.report(state.histories().size() + " runs, " + state.effects().size() + " attempts");
  }

  private static PostgresAddress over(TcpLine line, PostgresAddress address) {
    return new PostgresAddress(
        "127.0.0.1", line.port(), address.database(), address.user(), address.password());
  }

  /** The primary dies under load; its standby gets the address before it accepts changes. Answers when it does. */
  private static Instant failOver(
      Drill drill, TcpLine line, EmbeddedPostgres primary, EmbeddedPostgres standby, long ended) {
    Await.until(ended + " runs have ended", BOUND, () -> drill.endedRuns() >= ended);
    Instant killed = Instant.now();
    primary.kill();
    line.leadTo(standby.host(), standby.port());
    drill.database().close();
    drill.pass(READ_ONLY);
    standby.promote();
    Instant back = Instant.now();
    long before = drill.endedRuns();
    Await.until("runs end again", BOUND, () -> drill.endedRuns() > before);
    drill.report("no primary for " + Duration.between(killed, back).toMillis()
        + " ms, runs ended again after " + Duration.between(back, Instant.now()).toMillis()
        + " ms");
    return back;
  }
}
