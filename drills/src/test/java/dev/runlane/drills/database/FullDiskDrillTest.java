package dev.runlane.drills.database;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.drills.fleet.Drill;
import dev.runlane.drills.fleet.TriggerProgram;
import dev.runlane.drills.fleet.Workload;
import dev.runlane.drills.process.Await;
import dev.runlane.simulation.history.StoredState;
import dev.runlane.testinfra.Durability;
import dev.runlane.testinfra.postgres.EmbeddedPostgres;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
class FullDiskDrillTest {
  private static final Duration LEASE = Duration.ofSeconds(5);
  private static final Duration BOUND = Duration.ofMinutes(2);
  private static final int MEGABYTES = 256;
  private static final int ITEMS = Boolean.getBoolean("drills.full") ? 800 : 500;

  @Test
  void runs_end_once_each_though_the_disk_was_full_for_a_while() throws Exception {
    Optional<SmallDisk> mounted = SmallDisk.mount(MEGABYTES);
    Assumptions.assumeTrue(mounted.isPresent(), "left out: mounting a small disk needs root");
    try (SmallDisk disk = mounted.get()) {
      EmbeddedPostgres.Builder server = EmbeddedPostgres.builder()
          .dataFolder(disk.data())
          .durability(Durability.PROCESS_LOSS)
          .setting("max_wal_size", "48MB")
          .setting("min_wal_size", "32MB")
          .setting("max_connections", "100");

      Drill.run("full-disk", LEASE, server, drill -> fillAndFree(drill, disk));
    }
  }

  private static void fillAndFree(Drill drill, SmallDisk disk) throws Exception {
    long seed = Long.getLong("drills.seed", System.nanoTime());
    drill.deployWorker("worker-0");
    drill.deployWorker("worker-1");
    Future<?> caller = TriggerProgram.triggerAll(drill.runtime(), new Workload(seed), 0, ITEMS);
    Await.until("some runs have ended", BOUND, () -> drill.endedRuns() >= ITEMS / 8);
    disk.fill();
    Instant filled = Instant.now();
    Duration felt = Await.until("Postgres cannot write", BOUND, () -> !canWrite(drill));
    Instant until = filled.plus(felt).plus(LEASE);
    Await.until("a lease has passed", BOUND, () -> Instant.now().isAfter(until));
    disk.free();
    drill.database().close();
    AtomicInteger restarts = new AtomicInteger();
    Await.until("Postgres can write again", BOUND, () -> {
      if (!isAlive(drill)) { // it may give up a moment after there is space again
        drill.postgres().restart();
        restarts.incrementAndGet();
      }
      return canWrite(drill);
    });

    Await.until("everything is triggered", BOUND, caller::isComplete);
    Await.result(caller);
    drill.awaitDone(BOUND);
    StoredState state = drill.check();
    assertThat(state.histories()).hasSizeGreaterThan(ITEMS * 9 / 10);
    drill.report(state.histories().size() + " runs though the disk was full for "
        + Duration.between(filled, until).toMillis() + " ms; Postgres "
        + (restarts.get() > 0 ? "gave up and was started again" : "stayed up"));
  }

  /** Adds more than fits into the space of a table that is there already. */
  private static boolean canWrite(Drill drill) {
    try {
      drill.database().execute("CREATE TABLE IF NOT EXISTS drill_ballast (filler text)");
      drill
          .database()
          .execute(
              "INSERT INTO drill_ballast SELECT repeat(md5(n::text), 60) FROM generate_series(1, 200) n");
      return true;
    } catch (IllegalStateException full) {
      return false;
    }
  }

  private static boolean isAlive(Drill drill) {
    try {
      return drill.postgres().pid() > 0;
    } catch (IllegalStateException ended) {
      return false;
    }
  }
}
