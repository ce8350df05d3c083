package dev.runlane.steps.sql;

import static dev.runlane.steps.sql.MixedSteps.input;
import static dev.runlane.steps.sql.StepScene.done;
import static dev.runlane.steps.sql.StepScene.step;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.run.Json;
import dev.runlane.steps.result.StepError;
import dev.runlane.steps.result.StepOutcome;
import dev.runlane.steps.task.StepTask;
import dev.runlane.testinfra.process.TcpLine;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The example worker too, which knows PostgreSQL alone. */
class PgNodeInteropTest extends NodeInteropCases {
  PgNodeInteropTest() {
    super(PgStepFixture::direct);
  }

  @Tag("drill")
  @Test
  @Timeout(120)
  void a_worker_written_from_the_document_alone_serves_our_engine() throws Exception {
    List<StepTask> steps = new ArrayList<>();
    for (int i = 0; i < 300; i++) {
      steps.add(StepTask.first("r" + i, 0, "echo", Json.ofChecked(input(i).encode())));
    }
    steps.add(StepTask.first("fails", 0, "fail", Json.ofChecked("{\"message\":\"no\"}"))
        .in("echo"));
    steps.add(StepTask.first("unknown", 0, "toString", null).in("echo"));
    steps.add(StepTask.first("none", 0, "echo", null));
    steps.add(StepTask.first("broken", 0, "echo", null));
    RetryingEngine engine = new RetryingEngine(scene.vertx, scene.transport, LEASE);
    done(engine.start(steps));
    done(scene.tables.breakInput("broken:0"));
    try (NodePrograms node = NodePrograms.of("examples/node-worker")) {
      Process first = node.start("worker.mjs", environment("echo"));
      scene.until("some are settled", () -> engine.settled.size() > 20);
      first.destroyForcibly();
      Process second = node.start("worker.mjs", environment("echo"));

      scene.until("all are settled", () -> engine.settled.size() == 304);
      second.destroy();

      assertThat(second.waitFor(60, TimeUnit.SECONDS)).as("it drains and ends").isTrue();
      assertThat(second.exitValue()).as(node.output("worker.mjs", 1)).isZero();
    }
    done(engine.stop());
    for (int i = 0; i < 300; i++) {
      StepOutcome.Completed echoed = (StepOutcome.Completed) engine.settled.get("r" + i);
      assertThat(new JsonObject(echoed.output().text())).isEqualTo(input(i));
    }
    assertThat(engine.settled.get("fails"))
        .isEqualTo(new StepOutcome.Failed(new StepError("no", "example", false, null)));
    assertThat(engine.settled.get("unknown"))
        .isEqualTo(
            new StepOutcome.Failed(new StepError("no handler for toString", null, false, null)));
    assertThat(engine.settled.get("none")).isEqualTo(new StepOutcome.Completed(null));
    assertThat(engine.settled.get("broken")).isInstanceOf(StepOutcome.Failed.class);
  }

  @Tag("drill")
  @Test
  @Timeout(120)
  void a_worker_written_from_the_document_outlives_silence_terminations_and_refusals()
      throws Exception {
    RetryingEngine engine = new RetryingEngine(scene.vertx, scene.transport, LEASE);
    done(engine.start(List.of(step("before", "\"a\""), step("refused", "\"never stored\""))));
    scene.sql("ALTER TABLE " + scene.tables.results() + " ADD CHECK (output NOT LIKE '%never%')");
    try (NodePrograms node = NodePrograms.of("examples/node-worker");
        TcpLine line = scene.tables.line()) {
      Map<String, String> environment = environment("echo");
      environment.put(
          "DATABASE_URL",
          scene.tables.uri().replaceFirst("@[^/]+/", "@127.0.0.1:" + line.port() + "/"));
      Process worker = node.start("worker.mjs", environment);
      scene.until("both are settled", () -> engine.settled.size() == 2);
      assertThat(engine.settled.get("refused"))
          .isInstanceOfSatisfying(
              StepOutcome.Failed.class,
              failed -> assertThat(failed.error().code()).isEqualTo("unrecordable_result"));
      for (int times = 0; times < 2; times++) {
        scene.until("it listens once", () -> scene.count(nodeListeners()) == 1);
        scene.sql("SELECT pg_terminate_backend(pid) FROM " + nodeListeners());
      }
      scene.until("it listens once", () -> scene.count(nodeListeners()) == 1);

      line.silence();
      done(engine.dispatch(List.of(step("after", "\"b\""))));
      scene.until(
          "claims fail", () -> node.said("worker.mjs", 0, "nothing could be claimed: Query read"));
      line.speak();

      scene.until("the step is settled", () -> engine.settled.containsKey("after"));
      worker.destroy();
      assertThat(worker.waitFor(60, TimeUnit.SECONDS)).as("it drains and ends").isTrue();
      assertThat(worker.exitValue()).as(node.output("worker.mjs", 0)).isZero();
    }
    done(engine.stop());
  }

  /** Ours say who they are. */
  private String nodeListeners() {
    return "pg_stat_activity WHERE application_name = '' AND query = 'LISTEN \""
        + scene.tables.options().getPrefix() + "_transport\"'";
  }
}
