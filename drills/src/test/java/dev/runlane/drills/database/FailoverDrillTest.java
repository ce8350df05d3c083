package dev.runlane.drills.database;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.drills.fleet.Drill;
import dev.runlane.drills.fleet.TriggerProgram;
import dev.runlane.drills.process.Await;
import dev.runlane.drills.process.JavaProcess;
import dev.runlane.simulation.history.StoredState;
import dev.runlane.testinfra.postgres.EmbeddedPostgres;
import dev.runlane.testinfra.postgres.PostgresAddress;
import dev.runlane.testinfra.process.TcpLine;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
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
  private static final int ITEMS = FULL ? 12_000 : 1_200;
  private static final int WORKERS = 3;

  @Test
  void runs_end_once_each_though_the_primary_dies_and_its_standby_takes_over() throws Exception {
    long seed = Long.getLong("drills.seed", System.nanoTime());
    System.out.println("failover drill: -Ddrills.seed=" + seed);

    try (EmbeddedPostgres first = Drill.server().start();
        TcpLine line = new TcpLine(first.host(), first.port())) {
      Drill.run("failover", LEASE, first, address -> over(line, address), drill -> {
        List<JavaProcess> workers = new ArrayList<>();
        for (int index = 0; index < WORKERS; index++) {
          workers.add(drill.forkWorker("worker-" + index));
        }
        workers.forEach(drill::awaitReady);
        JavaProcess caller =
            drill.fork("caller", TriggerProgram.class, Drill.with(drill.target(), seed, 0, ITEMS));
        try (EmbeddedPostgres second = first.startStandby()) {
          failOver(drill, line, first, second, ITEMS / 4);
          if (FULL) {
            try (EmbeddedPostgres third = second.startStandby()) {
              failOver(drill, line, second, third, ITEMS / 2);
              finish(drill, caller, workers);
            }
          } else {
            finish(drill, caller, workers);
          }
        }
      });
    }
  }

  private static void finish(Drill drill, JavaProcess caller, List<JavaProcess> workers)
      throws Exception {
    assertThat(caller.awaitExit(BOUND)).isZero();
    drill.awaitDone(BOUND);

    StoredState state = drill.check();
    assertThat(workers).allMatch(JavaProcess::isAlive);
    assertThat(state.histories()).hasSizeGreaterThan(ITEMS * 9 / 10);
    drill.report(state.histories().size() + " runs, " + state.effects().size() + " attempts");
  }

  private static PostgresAddress over(TcpLine line, PostgresAddress address) {
    return new PostgresAddress(
        "127.0.0.1", line.port(), address.database(), address.user(), address.password());
  }

  /** The primary dies under load; its standby gets the address before it accepts changes. */
  private static void failOver(
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
  }
}
