package dev.runlane.steps.sql;

import static dev.runlane.steps.sql.MixedSteps.GROUP;
import static dev.runlane.steps.sql.MixedSteps.input;
import static dev.runlane.steps.sql.StepScene.done;
import static dev.runlane.steps.sql.StepScene.quick;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.run.Json;
import dev.runlane.steps.result.StepError;
import dev.runlane.steps.result.StepOutcome;
import dev.runlane.steps.sql.worker.SqlStepWorker;
import dev.runlane.steps.task.ListMissingSteps;
import dev.runlane.steps.task.StepTask;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Real processes of the published Node package on the same tables. */
@DisplayNameGeneration(ReplaceUnderscores.class)
abstract class NodeInteropCases {
  static final Duration LEASE = Duration.ofSeconds(3);
  private static final int STEPS = 800;

  final StepScene scene;
  private final MixedSteps mixed = new MixedSteps();

  NodeInteropCases(Function<Vertx, SqlStepFixture> fixture) {
    scene = new StepScene(fixture);
  }

  @AfterEach
  void close() {
    scene.close();
  }

  Map<String, String> environment(String group) {
    return NodePrograms.environment(scene.tables, group, LEASE);
  }

  /** A program of the package ends when another creates the tables at the same moment. */
  private void createTables() {
    done(scene.transport.listMissingSteps(new ListMissingSteps(List.of("r0:0"))));
  }

  @Tag("drill")
  @Test
  @Timeout(180)
  void a_fleet_of_both_serves_our_engine_although_workers_of_both_are_killed() throws Exception {
    List<StepTask> steps = new ArrayList<>();
    for (int i = 0; i < STEPS; i++) {
      steps.add(StepTask.first("r" + i, 0, GROUP, Json.ofChecked(input(i).encode())));
    }
    RetryingEngine engine = new RetryingEngine(scene.vertx, scene.transport, LEASE);
    SqlStepWorker ours =
        scene.worker(quick().setLease(LEASE).setConcurrency(2)).handle(GROUP, mixed::handle);
    createTables();
    Process lazy = WorkerProgram.start(scene.tables, LEASE, GROUP);
    try (NodePrograms node = NodePrograms.of("interop")) {
      done(engine.start(steps.subList(0, 50)));
      WorkerProgram.awaitStep(lazy); // and holds it, with others, for as long as it lives
      Process first = node.start("worker.mjs", environment(GROUP));
      node.start("worker.mjs", environment(GROUP));
      scene.until(
          "both are ready",
          () -> node.said("worker.mjs", 0, "ready") && node.said("worker.mjs", 1, "ready"));
      done(engine.dispatch(steps.subList(50, STEPS / 2)));
      scene.until("Node has begun", () -> engine.settled.size() > 50);
      done(ours.start());
      done(engine.dispatch(steps.subList(STEPS / 2, STEPS)));
      scene.until("two thirds are settled", () -> engine.settled.size() > STEPS * 2 / 3);
      first.destroyForcibly();
      lazy.destroyForcibly();
      node.start("worker.mjs", environment(GROUP));

      scene.until("all are settled", () -> engine.settled.size() == STEPS);
      scene.until(
          "nothing is left",
          () -> scene.count(scene.tables.tasks()) + scene.count(scene.tables.results()) == 0);
    } finally {
      lazy.destroyForcibly();
    }
    done(engine.stop());
    assertThat(mixed.handled.get()).as("ours took part too").isPositive();
    for (int i = 0; i < STEPS; i++) {
      assertSettledRightly(i, engine.settled.get("r" + i));
    }
  }

  private static void assertSettledRightly(int i, StepOutcome outcome) {
    JsonObject input = input(i);
    if (input.getBoolean("fatal")) {
      StepError error = ((StepOutcome.Failed) outcome).error();
      assertThat(error).isEqualTo(new StepError("for good", "fatal", false, null));
      return;
    }
    JsonObject output =
        new JsonObject(((StepOutcome.Completed) outcome).output().text());
    assertThat(output.getString("id")).isEqualTo("r" + i);
    assertThat(output.getValue("payload")).isEqualTo(input.getValue("payload"));
    assertThat(output.getString("large")).hasSize(input.getInteger("large"));
  }

  /**
   * Three of the package and one of ours die; ours and the first of the package surely while they
   * hold steps.
   */
  @Tag("drill")
  @Test
  @Timeout(180)
  void a_fleet_of_both_serves_the_engine_of_the_package_although_workers_of_both_are_killed()
      throws Exception {
    SqlStepWorker ours = scene
        .worker(quick().setLease(LEASE).setConcurrency(4))
        .handle(
            GROUP,
            call ->
                scene.vertx.timer(20, TimeUnit.MILLISECONDS).compose(later -> mixed.handle(call)));
    Map<String, String> environment = environment(GROUP);
    environment.put("RUNS", "300");
    environment.put("REDISPATCH_MILLIS", String.valueOf(LEASE.toMillis()));
    createTables();
    Process lazy = WorkerProgram.start(scene.tables, LEASE, GROUP);
    try (NodePrograms node = NodePrograms.of("interop")) {
      Process engine = node.start("engine.mjs", environment);
      WorkerProgram.awaitStep(lazy); // and holds it, with others, for as long as it lives
      Process alone = node.start("worker.mjs", environment);
      scene.until("it holds some", () -> holds(alone));
      alone.destroyForcibly();
      done(ours.start());
      for (int kills = 0; kills < 2; kills++) {
        Process killed = node.start("worker.mjs", environment);
        scene.until("it holds some, or none is left", () -> holds(killed) || noneWaits());
        killed.destroyForcibly();
      }
      lazy.destroyForcibly();
      node.start("worker.mjs", environment);

      assertThat(engine.waitFor(150, TimeUnit.SECONDS)).as("the engine ends").isTrue();
      assertThat(engine.exitValue()).as(node.output("engine.mjs", 0)).isZero();
    } finally {
      lazy.destroyForcibly();
    }
    assertThat(mixed.handled.get()).as("ours took part").isPositive();
  }

  private boolean noneWaits() {
    return scene.tasksWhere("claimed_at IS NULL") == 0;
  }

  private boolean holds(Process worker) {
    return scene.tasksWhere("claimed_by = 'node-" + worker.pid() + "'") > 0;
  }
}
