package dev.runlane.drills.steps;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.drills.fleet.Drill;
import dev.runlane.drills.fleet.RemoteRuntime;
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

  /** Where no step was under way at any kill, which a test that stood still may see, there are more. */
  private static final int MOST_KILLS = KILLS + 5;

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

  private int triggered;

  private void kill(Drill drill, StepTables tables) {
    Vertx vertx = drill.runtime().vertx();
    tables.create(vertx);
    PackageRuntime caller = PackageRuntime.create(vertx, drill.target(), tables, "caller");
    try (PackageWorkers workers = PackageWorkers.of(tables, RemoteRuntime.CLAIM)) {
      workers.start();
      workers.start();
      Await.result(caller.runlane().start());
      trigger(caller);
      String told = runThrough(drill, tables, workers, caller);
      drill.awaitDone(drill.target().environment(), BOUND);
      Await.until(
          "no step is left",
          BOUND,
          () -> drill.pendingSteps(drill.target().environment()) + tables.rows(vertx) == 0);
      assertThatEachEndedOnce(drill.check());
      drill.report(triggered + " runs, " + told);
    } finally {
      Await.result(caller.close());
    }
  }

  private void trigger(PackageRuntime caller) {
    List<Integer> numbers = IntStream.range(triggered, triggered + RUNS).boxed().toList();
    Await.result(caller.runlane().triggerAll(caller.task(), numbers, new TriggerOptions()));
    triggered += RUNS;
  }

  /** Says how often the engine was killed, and how many steps waited for it or for workers then, all in all. */
  private String runThrough(
      Drill drill, StepTables tables, PackageWorkers workers, PackageRuntime caller) {
    Vertx vertx = drill.runtime().vertx();
    long more = (long) RUNS * PackageRuntime.STEPS / (KILLS + 2);
    long results = 0;
    long open = 0;
    int kills = 0;
    JavaProcess engine = engine(drill, tables, kills);
    while (kills < KILLS || open == 0 && kills < MOST_KILLS) {
      if (kills >= KILLS) {
        results = drill.stepResults();
        trigger(caller);
      }
      results += more;
      long enough = results;
      Await.until(
          "so many results are recorded, and a step is under way: " + enough,
          BOUND,
          () ->
              drill.stepResults() >= enough && (tables.rows(vertx) > 0 || drill.activeRuns() == 0));
      engine.kill();
      workers.replaceEldest();
      open += tables.rows(vertx);
      engine = engine(drill, tables, ++kills);
    }
    assertThat(open).as("steps under way at a kill").isPositive();
    return kills + " times their process was killed, with " + open
        + " steps under way, and a worker with it";
  }

  private static JavaProcess engine(Drill drill, StepTables tables, int number) {
    String name = "engine-" + number;
    return drill.fork(
        name,
        PackageEngineProgram.class,
        Drill.with(drill.target(), name, tables.uri(), tables.prefix()));
  }

  private void assertThatEachEndedOnce(StoredState state) {
    List<RunRecord> runs = state.histories().stream().map(RunHistory::stored).toList();
    assertThat(runs).hasSize(triggered).allSatisfy(run -> assertThat(run.status())
        .as("%s", run.id())
        .isEqualTo(RunStatus.SUCCEEDED));
    assertThat(runs)
        .extracting(run -> run.output().text())
        .containsExactlyInAnyOrderElementsOf(
            IntStream.range(0, triggered).mapToObj(PackageRuntime::output).toList());
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
