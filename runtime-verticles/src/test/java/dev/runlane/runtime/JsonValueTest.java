package dev.runlane.runtime;

import static dev.runlane.runtime.Fleet.done;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.conformance.kit.RandomJson;
import dev.runlane.json.VertxJson;
import dev.runlane.run.Json;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunStatus;
import dev.runlane.runtime.task.Task;
import dev.runlane.runtime.task.TaskResult;
import dev.runlane.steps.task.ClaimedStepTask;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** JSON values of every kind on every way through a run: what goes in is what comes out. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class JsonValueTest {
  private static final Duration MOMENT = Duration.ofMillis(200);
  private static final int SEEDS = 60;

  private final RemoteFleet remote = new RemoteFleet();
  private final List<Object> seen = new ArrayList<>();

  record Order(JsonObject details, JsonArray lines, Buffer bytes, Json json) {}

  private RunRecord ended(Runlane process, String runId) {
    RunRecord run = remote.run(process, runId);
    assertThat(run.status()).isEqualTo(RunStatus.SUCCEEDED);
    return run;
  }

  @Test
  void objects_pass_as_payload_through_a_local_and_a_remote_step_and_as_output() {
    Task<JsonObject> task = Task.define("objects", JsonObject.class)
        .handler((payload, context) -> context
            .step("local", JsonObject.class, () -> Future.succeededFuture(payload))
            .compose(local -> context.remote("remote", local, JsonObject.class))
            .onSuccess(seen::add)
            .map(TaskResult::done));
    Runlane process = remote.process(task);
    remote.work(process);
    for (long seed = 0; seed < SEEDS; seed++) {
      JsonObject object = new RandomJson(seed).object();
      Json json = VertxJson.of(object);
      String runId = done(process.trigger(task, object)).run().id();
      remote.pass(MOMENT);
      ClaimedStepTask asked = remote.takeOne("remote");
      assertThat(asked.task().input()).isEqualTo(json);

      remote.complete(asked, json.text());
      remote.pass(MOMENT);

      RunRecord run = ended(process, runId);
      assertThat(run.payload()).isEqualTo(json);
      assertThat(run.output()).isEqualTo(json);
      assertThat(seen).containsExactly(object);
      assertThat(VertxJson.of((JsonObject) seen.remove(0))).isEqualTo(json);
    }
  }

  @Test
  void records_that_hold_them_pass_too() {
    Task<Order> task = Task.define("orders", Order.class).handler((payload, context) -> context
        .step("local", Order.class, () -> Future.succeededFuture(payload))
        .onSuccess(seen::add)
        .map(TaskResult::done));
    Runlane process = remote.process(task);
    remote.work(process);
    for (long seed = 0; seed < SEEDS; seed++) {
      RandomJson random = new RandomJson(seed);
      Order order = new Order(
          random.object(),
          random.array(),
          Buffer.buffer(random.bytes()),
          VertxJson.of(random.object()));

      String runId = done(process.trigger(task, order)).run().id();
      remote.pass(MOMENT);

      RunRecord run = ended(process, runId);
      assertThat(run.output()).isEqualTo(run.payload());
      assertThat(seen).containsExactly(order);
      seen.clear();
    }
  }

  @Test
  void a_result_of_a_remote_worker_may_hold_nul_and_half_a_pair() {
    Task<String> task = Task.define("asking", String.class)
        .handler((payload, context) ->
            context.remote("remote", null, String.class).map(TaskResult::done));
    Runlane process = remote.process(task);
    remote.work(process);
    String runId = done(process.trigger(task, "x")).run().id();
    remote.pass(MOMENT);

    remote.complete(remote.takeOne("remote"), "\"a\\u0000\\ud800 b\"");
    remote.pass(MOMENT);

    assertThat(ended(process, runId).output()).isEqualTo(Json.ofChecked("\"a\\u0000\\ud800 b\""));
  }

  @Test
  void a_future_without_a_value_means_done() {
    Task<String> task = Task.define("void", String.class)
        .handler((payload, context) -> Future.<Void>succeededFuture().map(TaskResult::done));
    Runlane process = remote.process(task);
    remote.work(process);

    String runId = done(process.trigger(task, "x")).run().id();
    remote.pass(MOMENT);

    assertThat(ended(process, runId).output()).isNull();
    assertThat(TaskResult.done(null)).isEqualTo(TaskResult.done());
  }
}
