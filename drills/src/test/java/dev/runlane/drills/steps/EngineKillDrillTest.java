package dev.runlane.drills.steps;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.drills.fleet.Drill;
import dev.runlane.drills.process.Await;
import dev.runlane.drills.process.JavaProcess;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunStatus;
import dev.runlane.runtime.task.TriggerOptions;
import dev.runlane.simulation.history.RunHistory;
import dev.runlane.simulation.history.StoredState;
import dev.runlane.testinfra.mariadb.EmbeddedMariadb;
import dev.runlane.testinfra.mariadb.MariadbServers;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Workers of the published Node package serve the steps of runs whose only process is killed again and again. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class EngineKillDrillTest {
  private static final boolean FULL = Boolean.getBoolean("drills.full");
  private static final int RUNS = FULL ? 2_000 : 60;
  private static final int KILLS = FULL ? 5 : 1;
  private static final Duration LEASE = Duration.ofSeconds(2);
  private static final Duration BOUND = Duration.ofMinutes(3);

  @Test
  void every_run_ends_once_with_its_steps_on_PostgreSQL() throws Exception {
    Drill.run("engine-kill-postgres", LEASE, drill -> {
      kill(drill, new StepTables(drill.target().uri(), "drill"));
    });
  }

  @Tag("full")
  @Test
  void every_run_ends_once_with_its_steps_on_MariaDB() throws Exception {
    MariadbServers.absence().ifPresent(absence -> Assumptions.abort(absence));
    try (EmbeddedMariadb mariadb = EmbeddedMariadb.builder().start()) {
      StepTables tables = new StepTables(mariadb.createDatabase("drill").toUri(), "drill");
      Drill.run("engine-kill-mariadb", LEASE, drill -> kill(drill, tables));
    }
  }

  private static void kill(Drill drill, StepTables tables) {
    Vertx vertx = drill.runtime().vertx();
    tables.create(vertx);
    PackageRuntime caller = PackageRuntime.create(vertx, drill.target(), tables, "caller");
    try (PackageWorkers workers = PackageWorkers.of(tables)) {
      workers.start();
      workers.start();
      Await.result(caller.runlane().start());
      Await.result(caller
          .runlane()
          .triggerAll(
              caller.task(), IntStream.range(0, RUNS).boxed().toList(), new TriggerOptions()));
      int open = runThrough(drill, tables, workers);
      drill.awaitDone(BOUND);
      Await.until(
          "no step is left",
          BOUND,
          () -> drill.pendingSteps(drill.target().environment()) + tables.rows(vertx) == 0);
      assertThatEachEndedOnce(drill.check());
      drill.report(RUNS + " runs, " + KILLS + " times their process was killed, with " + open
          + " steps under way, and a worker with it");
    } finally {
      Await.result(caller.close());
    }
  }

  /** Answers how many steps waited for workers or for the engine when it was killed, all in all. */
  private static int runThrough(Drill drill, StepTables tables, PackageWorkers workers) {
    JavaProcess engine = engine(drill, tables, 0);
    int open = 0;
    for (int kill = 1; kill <= KILLS; kill++) {
      long results = (long) RUNS * PackageRuntime.STEPS * kill / (KILLS + 2);
      Await.until(
          "so many results are recorded, and a step is under way: " + results,
          BOUND,
          () -> drill.stepResults() >= results && tables.rows(drill.runtime().vertx()) > 0);
      engine.kill();
      workers.replaceEldest();
      open += (int) tables.rows(drill.runtime().vertx());
      engine = engine(drill, tables, kill);
    }
    assertThat(open).as("steps under way at a kill").isPositive();
    return open;
  }

  private static JavaProcess engine(Drill drill, StepTables tables, int number) {
    String name = "engine-" + number;
    return drill.fork(
        name,
        PackageEngineProgram.class,
        Drill.with(drill.target(), name, tables.uri(), tables.prefix()));
  }

  private static void assertThatEachEndedOnce(StoredState state) {
    List<RunRecord> runs = state.histories().stream().map(RunHistory::stored).toList();
    assertThat(runs).hasSize(RUNS).allSatisfy(run -> assertThat(run.status())
        .as("%s", run.id())
        .isEqualTo(RunStatus.SUCCEEDED));
    assertThat(runs)
        .extracting(run -> run.output().text())
        .containsExactlyInAnyOrderElementsOf(
            IntStream.range(0, RUNS).mapToObj(PackageRuntime::output).toList());
    for (RunHistory history : state.histories()) {
      List<String> asked = new ArrayList<>();
      List<String> answered = new ArrayList<>();
      history.events().forEach(row -> {
        if (row.event() instanceof RunEvent.StepRequested requested) {
          asked.add(requested.stepId());
        } else if (row.event() instanceof RunEvent.StepCompleted completed) {
          answered.add(completed.stepId());
        }
      });
      assertThat(answered)
          .as("results of %s", history.runId())
          .doesNotHaveDuplicates()
          .containsExactlyInAnyOrderElementsOf(asked);
    }
  }
}
