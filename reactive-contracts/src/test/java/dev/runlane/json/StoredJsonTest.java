package dev.runlane.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.runlane.json.record.RunEventJson;
import dev.runlane.json.record.RunRecordJson;
import dev.runlane.json.record.TraceCarrierJson;
import dev.runlane.run.Actor;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.Json;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunKeys;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunSource;
import dev.runlane.run.RunlaneException;
import dev.runlane.samples.Samples;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Readers of stored JSON: what they pass over, what they keep, and what they call corrupt. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class StoredJsonTest {
  private static final String RUN = RunRecordJson.write(Samples.fullRun()).text();
  private static final String EVENT = RunEventJson.write(Samples.requested()).text();

  @Test
  void fields_of_later_versions_are_passed_over() {
    String later = "\"later\":{\"a\":[1,{\"b\":\"}\"}],\"id\":\"other\"},";

    assertThat(RunRecordJson.read(json("{" + later + RUN.substring(1))))
        .isEqualTo(Samples.fullRun());
    assertThat(RunRecordJson.read(json(RUN.replace("\"lease\":{", "\"lease\":{" + later))))
        .isEqualTo(Samples.fullRun());
    assertThat(RunEventJson.read(json("{" + later + EVENT.substring(1))))
        .isEqualTo(Samples.requested());
  }

  @Test
  void of_a_name_of_a_later_version_the_plainest_is_read() {
    RunRecord run = RunRecordJson.read(
        json(RUN.replace("\"code\":\"transport_publish_failed\"", "\"code\":\"later\"")
            .replace("\"type\":\"schedule\"", "\"type\":\"later\"")));
    RunEvent event = RunEventJson.read(
        json(EVENT.replace("\"type\":\"system\"", "\"type\":\"later\",\"id\":\"robot\"")));

    assertThat(Objects.requireNonNull(run.failure()).code()).isEqualTo(ErrorCode.INTERNAL_ERROR);
    assertThat(run.source()).isEqualTo(RunSource.TRIGGER);
    assertThat(event.header().actor()).isEqualTo(new Actor(Actor.Type.SYSTEM, "robot"));
  }

  @Test
  void white_space_between_fields_is_passed_over() {
    RunEvent event = RunEventJson.read(
        json("\n" + EVENT.replace(",\"", " ,\n \"").replace("\":", "\" : ") + " "));

    assertThat(event).isEqualTo(Samples.requested());
  }

  @Test
  void escaped_text_is_decoded() {
    String escaped = RUN.replace("\"id\":\"run_1\"", "\"id\":\"\\u0072un\\u005f1\"");

    assertThat(RunRecordJson.read(json(escaped))).isEqualTo(Samples.fullRun());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        " 1 ", "{ \"a\" : 1.00 ,\n\"b\":1e2}", "\"\\u00e4\\ud83d\\ude80\\/\"", "\"\ud83d\ude80\"",
        "[[[[1],2],3],\"]\"]", "-0", "true", "null"
      })
  void json_inside_comes_back_exactly(String text) {
    Json payload = JsonValues.parse("payload", text, JsonLimits.PAYLOAD);
    RunEvent event = new RunEvent.Succeeded(Samples.header().withMeta(payload), 1, payload);

    assertThat(RunEventJson.read(RunEventJson.write(event))).isEqualTo(event);
    assertThat(RunEventJson.write(event).text()).contains("\"output\":" + text.strip());
  }

  @Test
  void a_large_and_deep_payload_comes_back_exactly() {
    Json large = json("[" + "[".repeat(1_500) + "\"" + "\u00e4\ud83d\ude80\\n".repeat(50_000) + "\""
        + "]".repeat(1_500) + ",1]");
    RunEvent event = new RunEvent.Succeeded(Samples.header(), 1, large);

    assertThat(RunEventJson.read(RunEventJson.write(event))).isEqualTo(event);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "[]", "null", "{", "{\"a\":1", "{\"a\" 1}", "{} {}", "{}x", "{\"a\":\"\\x\"}"})
  void what_is_not_one_object_is_corrupt(String text) {
    assertCorrupt(() -> TraceCarrierJson.read(json(text)));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "\"id\":\"run_1\" | \"id\":1",
        "\"id\":\"run_1\" | \"id\":null",
        "\"id\":\"run_1\" | \"idd\":\"run_1\"",
        "\"id\":\"run_1\" | \"id\":\"\\x\"",
        "\"eventSequence\":17 | \"eventSequence\":\"17\"",
        "\"eventSequence\":17 | \"eventSequence\":1.5",
        "\"eventSequence\":17 | \"eventSequence\":99999999999999999999",
        "\"attempts\":4 | \"attempts\":-1",
        "\"attempts\":4 | \"attempts\":4294967297",
        "\"attempts\":4 | \"tries\":4",
        "\"status\":\"cancellation_requested\" | \"status\":\"paused\"",
        "\"retryable\":false | \"retryable\":no",
        "\"retryable\":false | \"retryable\":\"false\"",
        "\"idempotencyKeyTTL\":\"30d\" | \"idempotencyKeyTTL\":\"30 days\"",
        "\"idempotencyKeyTTL\":\"30d\" | \"idempotencyKeyTTL\":30",
        "\"expiresAt\":\"2026-03-04T12:00:30Z\" | \"expiresAt\":\"today\"",
        "\"payload\": | \"payloads\":",
        "\"counters\":{ | \"counter\":{"
      })
  void a_record_that_cannot_be_read_is_corrupt(String was, String is) {
    assertThat(RUN).contains(was);

    assertCorrupt(() -> RunRecordJson.read(json(RUN.replace(was, is))));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "\"type\":\"run.delivery_requested\" | \"type\":\"run.paused\"",
        "\"type\":\"run.delivery_requested\" | \"type\":\"run.started\"",
        "\"delivery\":{ | \"deliveries\":{",
        "\"occurredAt\":\"2026-03-04T12:00:00Z\" | \"occurredAt\":0",
        "\"actor\":{ | \"actor\":1,\"other\":{"
      })
  void an_event_that_cannot_be_read_is_corrupt(String was, String is) {
    assertThat(EVENT).contains(was);

    assertCorrupt(() -> RunEventJson.read(json(EVENT.replace(was, is))));
  }

  /** So a release without tags reads histories that have them, as this one reads what comes after it. */
  @Test
  void a_field_that_nobody_knows_yet_is_passed_over() {
    RunEvent.Created created = created(Map.of("customer", "acme"));
    String body = RunEventJson.body(created).text();
    assertThat(body).contains("\"tags\":{\"customer\":\"acme\"}");

    RunEvent read = RunEventJson.readBody(
        Samples.PRODUCTION,
        created.header().runId(),
        "run.created",
        created.header().occurredAt(),
        json(body.replace("\"tags\":", "\"labels\":")));

    assertThat(read).isEqualTo(created.withTags(Map.of()));
  }

  @Test
  void tags_come_back_and_a_body_without_them_has_no_field_for_them() {
    RunEvent.Created tagged = created(Map.of("b", "2:\"", "a", "1"));
    RunEvent.Created plain = created(Map.of());

    assertThat(RunEventJson.read(RunEventJson.write(tagged))).isEqualTo(tagged);
    assertThat(RunEventJson.body(plain).text()).doesNotContain("tags");
    assertThat(RunEventJson.read(RunEventJson.write(plain))).isEqualTo(plain);
  }

  private static RunEvent.Created created(Map<String, String> tags) {
    return new RunEvent.Created(
        Samples.header(),
        "task",
        "queue",
        Json.ofChecked("1"),
        null,
        RunKeys.NONE,
        RunSource.TRIGGER,
        tags);
  }

  @Test
  void a_body_of_an_unknown_type_is_corrupt() {
    assertCorrupt(() -> RunEventJson.readBody(
        Samples.PRODUCTION, Samples.RUN, "run.paused", Samples.NOON, json("{}")));
  }

  @Test
  void a_record_event_without_id_or_sequence_is_corrupt() {
    assertCorrupt(() -> RunEventJson.readRecord(json(EVENT)));
    assertCorrupt(() -> RunEventJson.readRecord(json("{\"id\":\"1\"," + EVENT.substring(1))));
  }

  @Test
  void a_reservation_without_its_end_is_corrupt() {
    String reserved = RunRecordJson.write(Samples.reservedRun()).text();

    assertCorrupt(() -> RunRecordJson.read(json(reserved.replace("dispatchExpiresAt", "other"))));
  }

  @Test
  void an_absent_field_is_left_out_and_read_as_absent() {
    RunRecord sparse = Samples.queued();
    String text = RunRecordJson.write(sparse).text();

    assertThat(text).contains("\"payload\":null,").containsOnlyOnce("null");
    assertThat(text)
        .doesNotContain("\"lease\"", "runAt", "meta", "traceCarrier", "\"failure\"", "output");
    assertThat(RunRecordJson.read(json(text))).isEqualTo(sparse);
  }

  @Test
  void a_trace_carrier_may_have_any_names() {
    Map<String, String> carrier = Map.of("", "", "\"", "\n\\", "\ud83d\ude80", "\u00e4");

    assertThat(TraceCarrierJson.read(TraceCarrierJson.write(carrier))).isEqualTo(carrier);
    assertCorrupt(() -> TraceCarrierJson.read(json("{\"a\":1}")));
  }

  private static void assertCorrupt(Runnable read) {
    RunlaneException failure = catchThrowableOfType(RunlaneException.class, read::run);

    assertThat(failure.code()).isEqualTo(ErrorCode.INVARIANT_VIOLATION);
    assertThat(failure.isRetryable()).isFalse();
  }

  private static Json json(String text) {
    return Json.ofChecked(text);
  }
}
