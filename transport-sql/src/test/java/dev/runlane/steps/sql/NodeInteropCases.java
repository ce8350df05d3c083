package dev.runlane.steps.sql;

import static dev.runlane.steps.sql.StepScene.done;
import static dev.runlane.steps.sql.StepScene.quick;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.run.Json;
import dev.runlane.steps.ListMissingSteps;
import dev.runlane.steps.StepError;
import dev.runlane.steps.StepOutcome;
import dev.runlane.steps.StepTask;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Real processes of the published Node package on the same tables. */
@DisplayNameGeneration(ReplaceUnderscores.class)
abstract class NodeInteropCases {
  static final Duration LEASE = Duration.ofSeconds(3);
  private static final String GROUP = "mixed";
  private static final int STEPS = 2_000;

  final StepScene scene;
  private final AtomicInteger handledHere = new AtomicInteger();
  private final Set<String> failedHere = ConcurrentHashMap.newKeySet();

  NodeInteropCases(Function<Vertx, SqlStepFixture> fixture) {
    scene = new StepScene(fixture);
  }

  @AfterEach
  void close() {
    scene.close();
  }

  Map<String, String> environment(String group) {
    Map<String, String> environment = new HashMap<>();
    environment.put("DATABASE_URL", scene.tables.uri());
    environment.put("PREFIX", scene.tables.options().getPrefix());
    environment.put("GROUP", group);
    environment.put("LEASE_MILLIS", String.valueOf(LEASE.toMillis()));
    return environment;
  }

  /** A program of the package ends when another creates the tables at the same moment. */
  private void createTables() {
    done(scene.transport.listMissingSteps(new ListMissingSteps(List.of("r0:0"))));
  }

  /** What the handler of the published package's worker does, here. */
  private Future<StepOutcome> mixed(StepCall call) {
    handledHere.incrementAndGet();
    JsonObject input = call.inputObject();
    String id = input.getString("id");
    if (input.getBoolean("failFirst") && failedHere.add(id)) {
      return Future.succeededFuture(call.failed("first", "once"));
    }
    if (input.getBoolean("fatal")) {
      return Future.succeededFuture(call.failedForGood("fatal", "for good"));
    }
    return Future.succeededFuture(call.done(new JsonObject()
        .put("id", id)
        .put("payload", input.getValue("payload"))
        .put("large", "x".repeat(input.getInteger("large")))));
  }

  static JsonObject input(int i) {
    Object payload =
        switch (i % 4) {
          case 0 -> "text \u00e4\ud83d\ude80\u0000";
          case 1 -> null;
          case 2 -> new JsonArray().add(1).add(2.5);
          default -> new JsonObject().putNull("a");
        };
    return new JsonObject()
        .put("id", "r" + i)
        .put("payload", payload)
        .put("failFirst", i % 7 == 0)
        .put("fatal", i % 25 == 3)
        .put("ballast", i % 100 == 6 ? "\u00e4\ud83d\ude80".repeat(50_000) : null)
        .put("large", i % 100 == 5 ? 300_000 : 0);
  }

  @Test
  @Timeout(180)
  void a_fleet_of_both_serves_our_engine_although_workers_of_both_are_killed() throws Exception {
    List<StepTask> steps = new ArrayList<>();
    for (int i = 0; i < STEPS; i++) {
      steps.add(StepTask.first("r" + i, 0, GROUP, Json.ofChecked(input(i).encode())));
    }
    RetryingEngine engine = new RetryingEngine(scene.vertx, scene.transport, LEASE);
    SqlStepWorker ours =
        scene.worker(quick().setLease(LEASE).setConcurrency(2)).handle(GROUP, this::mixed);
    createTables();
    Process lazy = WorkerProgram.start(scene.tables, LEASE, GROUP);
    try (NodePrograms node = NodePrograms.of("interop")) {
      Process first = node.start("worker.mjs", environment(GROUP));
      node.start("worker.mjs", environment(GROUP));
      scene.until("both are ready", () -> outputs(node, 2));
      done(engine.start(steps));
      WorkerProgram.awaitStep(lazy); // and holds it, with others, for as long as it lives
      scene.until("Node has begun", () -> engine.settled.size() > 50);
      done(ours.start());
      scene.until("a third is settled", () -> engine.settled.size() > STEPS / 3);
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
    assertThat(handledHere.get()).as("both took part").isBetween(50, STEPS - 50);
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

  private static boolean outputs(NodePrograms node, int count) {
    try {
      for (int i = 0; i < count; i++) {
        if (!node.output("worker.mjs", i).contains("ready")) {
          return false;
        }
      }
      return true;
    } catch (IOException notYet) {
      return false;
    }
  }

  @Test
  @Timeout(180)
  void our_workers_and_those_of_the_package_serve_its_engine() throws Exception {
    SqlStepWorker ours =
        scene.worker(quick().setLease(LEASE).setConcurrency(4)).handle(GROUP, this::mixed);
    Map<String, String> environment = environment(GROUP);
    environment.put("RUNS", "500");
    createTables();
    try (NodePrograms node = NodePrograms.of("interop")) {
      Process engine = node.start("engine.mjs", environment);
      node.start("worker.mjs", environment);
      done(ours.start());

      assertThat(engine.waitFor(150, TimeUnit.SECONDS)).as("the engine ends").isTrue();
      assertThat(engine.exitValue()).as(node.output("engine.mjs", 0)).isZero();
    }
    assertThat(handledHere.get()).as("ours took part").isGreaterThan(50);
  }
}
