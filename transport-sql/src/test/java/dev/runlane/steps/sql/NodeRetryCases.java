package dev.runlane.steps.sql;

import static dev.runlane.steps.sql.MixedSteps.GROUP;
import static dev.runlane.steps.sql.StepScene.done;
import static dev.runlane.steps.sql.StepScene.quick;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.run.Json;
import dev.runlane.steps.result.StepOutcome;
import dev.runlane.steps.sql.worker.SqlStepWorker;
import dev.runlane.steps.task.ListMissingSteps;
import dev.runlane.steps.task.StepTask;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A worker of the published package is held between its two statements, after it has inserted the failure of a first
 * attempt and before it deletes the task.
 */
@DisplayNameGeneration(ReplaceUnderscores.class)
@Timeout(120)
abstract class NodeRetryCases {
  private static final Duration LEASE = Duration.ofSeconds(3);
  private static final String ENGINE = "engine.mjs";
  private static final String WORKER = "worker.mjs";
  private static final String STEP = "r0:0"; // fails once in each worker

  private final StepScene scene;

  NodeRetryCases(Function<Vertx, SqlStepFixture> fixture) {
    scene = new StepScene(fixture);
  }

  @BeforeEach
  void createTables() {
    done(scene.transport.listMissingSteps(new ListMissingSteps(List.of(STEP))));
  }

  @AfterEach
  void close() {
    scene.close();
  }

  private Process engine(NodePrograms node, String... further) throws IOException {
    Map<String, String> environment = NodePrograms.environment(scene.tables, GROUP, LEASE);
    environment.put("RUNS", "1");
    for (int i = 0; i < further.length; i += 2) {
      environment.put(further[i], further[i + 1]);
    }
    return node.start(ENGINE, environment);
  }

  /** The program that was started after {@code number} others, and stands between its statements now. */
  private Process held(NodePrograms node, int number) throws IOException {
    Map<String, String> environment = NodePrograms.environment(scene.tables, GROUP, LEASE);
    environment.put("HOLD", "1");
    Process worker = node.start(WORKER, environment);
    scene.until("it is held", () -> node.said(WORKER, number, "recorded " + STEP));
    return worker;
  }

  private boolean nothingIsLeft() {
    return scene.count(scene.tables.tasks()) + scene.count(scene.tables.results()) == 0;
  }

  private static void assertEnded(NodePrograms node, Process engine) throws Exception {
    assertThat(engine.waitFor(60, TimeUnit.SECONDS)).as("the engine ends").isTrue();
    assertThat(engine.exitValue()).as(node.output(ENGINE, 0)).isZero();
  }

  @Test
  void the_engine_of_the_package_loses_a_retry_to_a_slow_worker_of_the_package() throws Exception {
    try (NodePrograms node = NodePrograms.of("interop")) {
      Process engine = engine(node);
      Process worker = held(node, 1);
      scene.until("the retry is asked for", () -> node.said(ENGINE, 0, "dispatched r0:0 2"));
      assertThat(scene.tasksWhere("attempt = 1")).as("the first attempt's row").isOne();
      NodePrograms.goOn(worker);
      scene.until("it goes on", () -> node.said(WORKER, 1, "deleted " + STEP));
      scene.until("nothing is left", this::nothingIsLeft);

      NodePrograms.goOn(engine);
      scene.until("the engine has looked", () -> node.said(ENGINE, 0, "r0 is "));

      assertThat(node.output(ENGINE, 0)).contains("r0 is suspended, its step pending in attempt 2");
      assertThat(nothingIsLeft()).as("nobody is asked any more").isTrue();
    }
  }

  @Test
  void the_engine_of_the_package_finds_it_again_where_it_is_told_to_look() throws Exception {
    try (NodePrograms node = NodePrograms.of("interop")) {
      Process engine = engine(node, "REDISPATCH_MILLIS", "500");
      Process worker = held(node, 1);
      scene.until("the retry is asked for", () -> node.said(ENGINE, 0, "dispatched r0:0 2"));
      NodePrograms.goOn(worker);

      assertEnded(node, engine);
    }
  }

  @Tag("drill")
  @Test
  void the_engine_of_the_package_loses_nothing_to_a_worker_that_dies_there() throws Exception {
    SqlStepWorker ours =
        scene.worker(quick().setLease(LEASE)).handle(GROUP, new MixedSteps()::handle);
    try (NodePrograms node = NodePrograms.of("interop")) {
      Process engine = engine(node);
      Process worker = held(node, 1);
      worker.destroyForcibly();
      done(ours.start());

      assertEnded(node, engine);
    }
  }

  @Test
  void our_engine_loses_nothing_to_a_slow_worker_of_the_package() throws Exception {
    RetryingEngine engine = new RetryingEngine(scene.vertx, scene.transport, LEASE);
    try (NodePrograms node = NodePrograms.of("interop")) {
      done(engine.start(List.of(
          StepTask.first("r0", 0, GROUP, Json.ofChecked(MixedSteps.input(0).encode())))));
      Process worker = held(node, 0);
      scene.until(
          "our engine has taken the failure",
          () -> scene.count(scene.tables.results() + " WHERE claimed_by IS NOT NULL") == 1);
      NodePrograms.goOn(worker);

      scene.until("it is settled", () -> engine.settled.size() == 1);
      scene.until("nothing is left", this::nothingIsLeft);
    }
    done(engine.stop());
    assertThat(engine.settled.get("r0")).isInstanceOf(StepOutcome.Completed.class);
    assertThat(engine.found).as("steps that had to be found again").isZero();
  }
}
