package dev.runlane.runtime;

import static dev.runlane.runtime.Fleet.failed;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.task.Task;
import dev.runlane.runtime.task.TaskContext;
import dev.runlane.runtime.task.TaskResult;
import dev.runlane.runtime.task.TriggerOptions;
import dev.runlane.runtime.task.TriggerOutcome;
import dev.runlane.runtime.task.TriggerResult;
import dev.runlane.storage.read.RunFilter;
import io.vertx.core.Future;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** A key that is given again, with the same payload or another. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class SamePayloadTest {
  private static final JsonObject PAYLOAD = payload("k", 1);

  private final Fleet fleet = new Fleet();
  private final Task<JsonObject> lenient = task().handler(SamePayloadTest::succeed);
  private final Task<JsonObject> strict =
      task().refuseOtherPayload().handler(SamePayloadTest::succeed);

  private static Task.Definition<JsonObject> task() {
    return Task.define("orders", JsonObject.class).idempotencyKey(order -> order.getString("key"));
  }

  private static Future<TaskResult> succeed(JsonObject order, TaskContext context) {
    return Future.succeededFuture(TaskResult.done());
  }

  private static JsonObject payload(String key, Object cents) {
    return new JsonObject().put("key", key).put("cents", cents);
  }

  private static void assertMismatch(Future<?> refused) {
    RunlaneException failure = failed(refused);
    assertThat(failure.code()).isEqualTo(ErrorCode.VALIDATION_FAILED);
    assertThat(failure.isRetryable()).isFalse();
    assertThat(failure.meta()).containsEntry("reason", "idempotency_mismatch");
  }

  @Test
  void the_original_is_the_answer_and_the_result_tells_whether_the_payload_is_the_same() {
    Runlane runlane = fleet.process(lenient);
    TriggerResult created = Fleet.done(runlane.trigger(lenient, PAYLOAD));

    TriggerResult same = Fleet.done(runlane.trigger(lenient, PAYLOAD.copy()));
    TriggerResult other = Fleet.done(runlane.trigger(lenient, payload("k", 2)));

    assertThat(created.samePayload()).isTrue();
    assertThat(same.samePayload()).isTrue();
    assertThat(other.outcome()).isEqualTo(TriggerOutcome.IDEMPOTENT_EXISTING);
    assertThat(other.samePayload()).isFalse();
    assertThat(other.run()).isEqualTo(created.run());
  }

  @Test
  void payloads_are_compared_as_values() {
    Runlane runlane = fleet.process(strict);
    Fleet.done(runlane.trigger(strict, payload("k", new JsonArray().add(1).add("\ud800"))));

    for (String same : List.of(
        "{ \"cents\" : [ 1.0, \"\\ud800\" ], \"key\":\"k\" }",
        "{\"k\\u0065y\":\"\\u006b\",\"cents\":[10e-1,\"\\uD800\"]}")) {
      assertThat(Fleet.done(runlane.triggerJson("orders", same, new TriggerOptions()))
              .samePayload())
          .isTrue();
    }
    for (String other : List.of(
        "{\"key\":\"k\",\"cents\":[1,\"?\"]}",
        "{\"key\":\"k\",\"cents\":[\"\\ud800\",1]}",
        "{\"key\":\"k\",\"cents\":[1.0000000000000000001,\"\\ud800\"]}",
        "{\"key\":\"k\",\"cents\":[\"1\",\"\\ud800\"]}",
        "{\"key\":\"k\",\"cents\":[1,\"\\ud800\"],\"more\":null}")) {
      assertMismatch(runlane.triggerJson("orders", other, new TriggerOptions()));
    }
  }

  @Test
  void a_task_may_refuse_another_payload_and_nothing_is_stored() {
    Runlane runlane = fleet.process(strict);
    RunRecord owner = Fleet.done(runlane.trigger(strict, PAYLOAD)).run();

    Future<?> refused = runlane.trigger(strict, payload("k", 2));

    assertMismatch(refused);
    assertThat(failed(refused).meta()).containsEntry("ownerRunId", owner.id());
    assertMismatch(
        runlane.trigger(strict, payload("other", 2), new TriggerOptions().setIdempotencyKey("k")));
    assertMismatch(runlane.runNow(strict, payload("k", 2)));
    assertThat(runs(runlane)).containsExactly(owner.id());
    assertThat(Fleet.done(runlane.trigger(strict, PAYLOAD)).run()).isEqualTo(owner);
  }

  @Test
  void of_two_creators_at_once_with_different_payloads_one_is_refused() {
    Runlane runlane = fleet.process(strict);
    fleet.faults.before(
        "appendRunEvents", () -> Fleet.done(runlane.trigger(strict, payload("k", 2))));

    assertMismatch(runlane.trigger(strict, PAYLOAD));

    assertThat(runs(runlane)).hasSize(1);
  }

  @Test
  void one_refused_payload_fails_a_call_for_many_with_nothing_stored() {
    Runlane runlane = fleet.process(strict);
    RunRecord owner = Fleet.done(runlane.trigger(strict, PAYLOAD)).run();

    assertMismatch(runlane.triggerAll(
        strict, List.of(payload("a", 1), payload("k", 2)), new TriggerOptions()));
    assertMismatch(runlane.triggerAll(
        strict, List.of(payload("a", 1), payload("a", 2)), new TriggerOptions()));

    assertThat(runs(runlane)).containsExactly(owner.id());
    assertThat(Fleet.done(runlane.triggerAll(
            strict, List.of(payload("a", 1), PAYLOAD, payload("a", 1.0)), new TriggerOptions())))
        .extracting(TriggerResult::outcome)
        .containsExactly(
            TriggerOutcome.CREATED,
            TriggerOutcome.IDEMPOTENT_EXISTING,
            TriggerOutcome.IDEMPOTENT_EXISTING);
  }

  @Test
  void an_owner_that_comes_between_fails_a_call_for_many_whose_other_runs_exist_then() {
    Runlane runlane = fleet.process(strict);
    fleet.faults.before("appendAll", () -> Fleet.done(runlane.trigger(strict, payload("k", 2))));
    List<JsonObject> payloads = List.of(payload("a", 1), payload("k", 1));

    assertMismatch(runlane.triggerAll(strict, payloads, new TriggerOptions()));

    assertThat(runs(runlane)).hasSize(2);
    assertMismatch(runlane.triggerAll(strict, payloads, new TriggerOptions()));
    assertThat(Fleet.done(runlane.trigger(strict, payload("a", 1))).samePayload())
        .isTrue();
    assertThat(runs(runlane)).hasSize(2);
  }

  @Test
  void the_owner_of_a_singleton_key_is_the_answer_whatever_its_payload() {
    Task<JsonObject> single = Task.define("orders", JsonObject.class)
        .singletonKey(order -> order.getString("key"))
        .refuseOtherPayload()
        .handler(SamePayloadTest::succeed);
    Runlane runlane = fleet.process(single);
    Fleet.done(runlane.trigger(single, PAYLOAD));

    TriggerResult other = Fleet.done(runlane.trigger(single, payload("k", 2)));

    assertThat(other.outcome()).isEqualTo(TriggerOutcome.SINGLETON_EXISTING);
    assertThat(other.samePayload()).isFalse();
    assertThat(Fleet.done(runlane.trigger(single, PAYLOAD)).samePayload()).isTrue();
  }

  private static List<String> runs(Runlane runlane) {
    return Fleet.done(runlane.runs().list(RunFilter.ALL)).data().stream()
        .map(run -> run.id())
        .toList();
  }
}
