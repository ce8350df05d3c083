package dev.runlane.drills.database;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.drills.fleet.Drill;
import dev.runlane.drills.fleet.DrillRuntime;
import dev.runlane.drills.fleet.DrillTarget;
import dev.runlane.drills.fleet.TriggerProgram;
import dev.runlane.drills.fleet.Workload;
import dev.runlane.drills.process.Await;
import dev.runlane.simulation.history.StoredState;
import dev.runlane.storage.pg.PgStorageOptions;
import io.vertx.core.Vertx;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.sqlclient.PoolOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
class PgBouncerDrillTest {
  private static final int FEW = 60;
  private static final String SETTINGS_OF_THE_ROLE = """
      ALTER ROLE postgres SET default_transaction_isolation = 'read committed';
      ALTER ROLE postgres SET plan_cache_mode = 'force_generic_plan';
      ALTER ROLE postgres SET lock_timeout = '50ms';
      ALTER ROLE postgres SET statement_timeout = '30s'""";

  private static final Duration LEASE = Duration.ofSeconds(5);
  private static final Duration BOUND = Duration.ofMinutes(2);
  private static final int ITEMS = Boolean.getBoolean("drills.full") ? 6_000 : 400;

  @Test
  void runs_end_once_each_through_a_pooler_in_transaction_mode_that_is_restarted()
      throws Exception {
    Optional<Path> program = PgBouncer.program();
    Assumptions.assumeTrue(program.isPresent(), "left out: this machine has no PgBouncer");
    long seed = Long.getLong("drills.seed", System.nanoTime());
    System.out.println("pgbouncer drill: -Ddrills.seed=" + seed);

    Drill.run("pgbouncer", LEASE, Drill.server(), drill -> {
      try (PgBouncer pooler =
          PgBouncer.start(program.orElseThrow(), drill.address(), PgBouncer.PoolMode.TRANSACTION)) {
        drill.database().execute(SETTINGS_OF_THE_ROLE);
        List<DrillRuntime> runtimes = new ArrayList<>();
        try {
          for (String worker : List.of("worker-0", "worker-1")) {
            DrillRuntime runtime = DrillRuntime.create(
                Vertx.vertx(), drill.target(), worker, through(pooler, drill.target()));
            runtimes.add(runtime);
            Await.result(runtime.runlane().deploy(runtime.vertx(), DrillRuntime.allRoles(worker)));
          }
          trigger(runtimes.get(0), new Workload(seed), 0, ITEMS / 2);
          pooler.restart();
          trigger(runtimes.get(1), new Workload(seed), ITEMS / 2, ITEMS);
          drill.awaitDone(BOUND);

          StoredState state = drill.check();
          assertThat(state.histories()).hasSizeGreaterThan(ITEMS * 9 / 10);
          drill.report(state.histories().size() + " runs, " + state.effects().size() + " attempts");
        } finally {
          for (DrillRuntime runtime : runtimes) {
            Await.result(runtime.close().eventually(() -> runtime.vertx().close()));
          }
        }
      }
    });
  }

  @Test
  void in_session_mode_a_role_with_the_settings_is_all_it_needs_listening_included()
      throws Exception {
    Optional<Path> program = PgBouncer.program();
    Assumptions.assumeTrue(program.isPresent(), "left out: this machine has no PgBouncer");

    Drill.run("pgbouncer-session", LEASE, Drill.server(), drill -> {
      try (PgBouncer pooler =
          PgBouncer.start(program.orElseThrow(), drill.address(), PgBouncer.PoolMode.SESSION)) {
        drill.database().execute(SETTINGS_OF_THE_ROLE);
        PgStorageOptions options = new PgStorageOptions()
            .setConnectOptions(pooler.options())
            .setPoolOptions(new PoolOptions().setMaxSize(4));
        DrillRuntime runtime =
            DrillRuntime.create(Vertx.vertx(), drill.target(), "worker-0", options);
        try {
          Await.result(
              runtime.runlane().deploy(runtime.vertx(), DrillRuntime.allRoles("worker-0")));
          trigger(runtime, new Workload(1), 0, FEW);
          drill.awaitDone(BOUND);

          assertThat(drill.check().histories()).hasSizeGreaterThan(FEW * 8 / 10);
        } finally {
          Await.result(runtime.close().eventually(() -> runtime.vertx().close()));
        }
      }
    });
  }

  private static PgStorageOptions through(PgBouncer pooler, DrillTarget target) {
    return new PgStorageOptions()
        .setConnectOptions(pooler.options())
        .setListenOptions(PgConnectOptions.fromUri(target.uri()))
        .setPoolOptions(new PoolOptions().setMaxSize(5));
  }

  private static void trigger(DrillRuntime caller, Workload workload, int from, int to) {
    Await.result(TriggerProgram.triggerAll(caller, workload, from, to));
  }
}
