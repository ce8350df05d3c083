package dev.runlane.runtime.registry;

import static dev.runlane.runtime.Fleet.assertFails;
import static dev.runlane.runtime.Fleet.done;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import dev.runlane.run.ErrorCode;
import dev.runlane.run.Json;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunStatus;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.Fleet;
import dev.runlane.runtime.Runlane;
import dev.runlane.runtime.host.RunlaneOptions;
import dev.runlane.runtime.task.RunActionOptions;
import dev.runlane.runtime.task.Task;
import dev.runlane.runtime.task.TaskQueue;
import dev.runlane.runtime.task.TaskResult;
import dev.runlane.runtime.task.TriggerOptions;
import dev.runlane.runtime.task.TriggerResult;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class PayloadSchemaTest {
  private static final String SCHEMA = """
      {
        "type": "object",
        "properties": {"cents": {"type": "integer", "minimum": 1}},
        "required": ["cents"]
      }
      """;

  record Payment(String id, int cents) {}

  private final Fleet fleet = new Fleet();

  private static Task<Payment> pay(String schema) {
    return Task.define("pay", Payment.class)
        .payloadSchema(schema)
        .handler((payment, context) -> Future.succeededFuture(TaskResult.done()));
  }

  @Test
  void a_payload_that_breaks_the_schema_is_refused_without_being_quoted() {
    Task<Payment> task = pay(SCHEMA);
    Runlane runlane = fleet.process(task);

    done(runlane.trigger(task, new Payment("p1", 5)));
    Future<TriggerResult> refused = runlane.trigger(task, new Payment("secret", -4711));

    assertFails(ErrorCode.VALIDATION_FAILED, refused);
    assertThat(refused.cause()).hasMessageContaining("minimum at $.cents");
    assertThat(refused.cause().getMessage()).doesNotContain("4711").doesNotContain("secret");
    assertFails(
        ErrorCode.VALIDATION_FAILED,
        runlane.triggerJson("pay", "{\"id\":\"p1\"}", new TriggerOptions()));
  }

  @Test
  void a_stored_payload_is_checked_against_the_schema_of_today() {
    Task<Payment> before = Task.define("pay", Payment.class)
        .handler((payment, context) -> Future.succeededFuture(TaskResult.done()));
    RunRecord run =
        done(fleet.process(before).trigger(before, new Payment("p1", -5))).run();
    Runlane current = fleet.process(
        new RunlaneOptions().setUndecodablePayloadTimeout(Duration.ZERO),
        List.of(TaskQueue.of("default").asDefault()),
        pay(SCHEMA));

    current.executeNext();

    assertThat(fleet.run(current, run.id()).status()).isEqualTo(RunStatus.FAILED);
    assertFails(
        ErrorCode.VALIDATION_FAILED, current.runs().rerun(run.id(), new RunActionOptions()));
  }

  @Test
  void another_draft_is_used_where_the_schema_names_it() {
    Task<Payment> task = pay("""
        {"$schema": "http://json-schema.org/draft-07/schema#",
         "definitions": {"positive": {"minimum": 1}},
         "properties": {"cents": {"$ref": "#/definitions/positive"}}}
        """);
    Runlane runlane = fleet.process(task);

    done(runlane.trigger(task, new Payment("p1", 1)));
    assertFails(ErrorCode.VALIDATION_FAILED, runlane.trigger(task, new Payment("p1", 0)));
  }

  @Test
  void numbers_are_compared_as_they_were_written() {
    Task<Json> task = Task.define("pay", Json.class)
        .payloadSchema("{\"maximum\": 100}")
        .handler((payment, context) -> Future.succeededFuture(TaskResult.done()));
    Runlane runlane = fleet.process(task);

    done(runlane.triggerJson("pay", "100.00000000000000000000", new TriggerOptions()));
    assertFails(
        ErrorCode.VALIDATION_FAILED,
        runlane.triggerJson("pay", "100.00000000000000000001", new TriggerOptions()));
  }

  /** To divide them takes a thread for minutes; a few characters are enough for that. */
  @Test
  void numbers_of_very_many_digits_are_refused_where_the_schema_asks_for_multiples() {
    Task<Object> task = Task.define("pay", Object.class)
        .payloadSchema("{\"items\":{\"properties\":{\"amount\":{\"multipleOf\":0.01}}}}")
        .handler((payment, context) -> Future.succeededFuture(TaskResult.done()));
    Runlane runlane = fleet.process(task);

    List<String> refused = assertTimeoutPreemptively(Duration.ofSeconds(60), () -> Stream.of(
            "1e1000000", "-1e-1000000", "9".repeat(400), "1e400", "0.001", "12.34")
        .filter(amount -> {
          Future<TriggerResult> triggered =
              runlane.triggerJson("pay", "[{\"amount\":" + amount + "}]", new TriggerOptions());
          if (triggered.failed()) {
            assertFails(ErrorCode.VALIDATION_FAILED, triggered);
          }
          return triggered.failed();
        })
        .toList());

    // Integers beyond the range of a double the validator itself cannot divide; they are refused at
    // once.
    assertThat(refused).containsExactly("1e1000000", "-1e-1000000", "9".repeat(400), "0.001");
  }

  @Test
  void a_malformed_schema_and_one_that_reaches_outside_are_refused_when_the_runtime_is_built() {
    for (String schema : new String[] {
      "{",
      "{\"type\": 12}",
      "{\"$ref\": \"http://localhost:1/schema.json\"}",
      "{\"$ref\": \"file:///etc/passwd\"}",
      "{\"$ref\": \"classpath:simplelogger.properties\"}",
      "{\"$ref\": \"https://json-schema.org/draft/next/schema\"}",
      "{\"$schema\": \"http://localhost:1/meta\"}"
    }) {
      assertThatExceptionOfType(RunlaneException.class)
          .as(schema)
          .isThrownBy(() -> fleet.process(pay(schema)))
          .satisfies(
              thrown -> assertThat(thrown.code()).isEqualTo(ErrorCode.CONFIGURATION_INVALID));
    }
  }
}
