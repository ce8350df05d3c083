package dev.runlane.runtime.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.runlane.run.Actor;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.IdempotencyTtl;
import dev.runlane.run.RunStatus;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.host.DispatchMode;
import dev.runlane.runtime.operate.PruneOptions;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayNameGeneration(ReplaceUnderscores.class)
class TriggerOptionsTest {
  @Test
  void the_json_form_keeps_every_option() {
    TriggerOptions options = new TriggerOptions()
        .setQueue(TaskQueue.of("mail")
            .concurrencyLimit(2)
            .dispatchTimeout(Duration.ofSeconds(5))
            .asDefault())
        .setRunAt(Instant.parse("2026-05-01T12:00:00.000001Z"))
        .setDelay(Duration.ofMinutes(3))
        .setIdempotencyKey("a")
        .setIdempotencyTtl(IdempotencyTtl.of(Duration.ofDays(4)))
        .setSingletonKey("b")
        .setConcurrencyKey("c")
        .setRunId("d")
        .setActor(Actor.operator("ann"))
        .setTraceCarrier(Map.of("traceparent", "e"))
        .setMeta(Map.of("order", "f"))
        .setDispatch(DispatchMode.DEFERRED);

    JsonObject json = new JsonObject(options.toJson().encode());

    assertThat(json.fieldNames()).hasSize(12);
    assertThat(new TriggerOptions(json)).isEqualTo(options).isEqualTo(new TriggerOptions(options));
    assertThat(new TriggerOptions(new JsonObject())).isEqualTo(new TriggerOptions());
    assertThat(new TriggerOptions().toJson())
        .isEqualTo(new JsonObject("{\"actor\": {\"type\": \"system\"}}"));
    assertThat(new TriggerOptions(new JsonObject("{\"idempotencyTtl\": \"active\"}")))
        .isEqualTo(new TriggerOptions().setIdempotencyTtl(IdempotencyTtl.ACTIVE));
  }

  @Test
  void an_operators_action_has_a_json_form_too() {
    RunActionOptions options = RunActionOptions.by("ann")
        .setReason("why")
        .setNewRunId("run_again")
        .setTraceCarrier(Map.of("traceparent", "e"))
        .setMeta(Map.of("order", "f"));

    assertThat(new RunActionOptions(options.toJson()))
        .isEqualTo(options)
        .isEqualTo(new RunActionOptions(options))
        .isNotEqualTo(new RunActionOptions());
  }

  @Test
  void a_prune_has_a_json_form_with_an_age_or_a_cutoff() {
    for (PruneOptions options : List.of(
        PruneOptions.olderThan(Duration.ofDays(1)),
        PruneOptions.endedBefore(Instant.EPOCH)
            .setStatuses(Set.of(RunStatus.FAILED))
            .setLimit(3)
            .setCursor("c"))) {
      assertThat(new PruneOptions(options.toJson()))
          .isEqualTo(options)
          .isEqualTo(new PruneOptions(options));
    }
    assertThatThrownBy(() -> new PruneOptions(new JsonObject()))
        .isInstanceOf(RunlaneException.class);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"at\": 1}",
        "{\"runAt\": \"noon\"}",
        "{\"idempotencyTtl\": \"long\"}",
        "{\"queue\": \"mail\"}",
        "{\"queue\": {}}",
        "{\"queue\": {\"name\": \"mail\", \"dispatchTimeout\": \"1s\"}}",
        "{\"actor\": {\"type\": \"nobody\"}}",
        "{\"dispatch\": \"later\"}",
        "{\"delay\": true}"
      })
  void what_cannot_be_read_is_refused(String json) {
    assertThatThrownBy(() -> new TriggerOptions(new JsonObject(json)))
        .isInstanceOfSatisfying(RunlaneException.class, refused -> assertThat(refused.code())
            .isEqualTo(ErrorCode.CONFIGURATION_INVALID));
  }
}
