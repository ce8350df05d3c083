package dev.runlane.storage.pg.notify;

import static dev.runlane.storage.pg.Scene.ENVIRONMENT;
import static dev.runlane.storage.pg.Scene.NOON;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import dev.runlane.transport.DeliveryMessage;
import io.vertx.core.json.jackson.DatabindCodec;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Isolated("one case changes the mapper of Vert.x, which is one for all")
@DisplayNameGeneration(ReplaceUnderscores.class)
class NotifyPayloadTest {
  @Test
  void messages_are_packed_in_their_order_into_payloads_that_postgres_takes() {
    List<DeliveryMessage> messages =
        IntStream.range(0, 500).mapToObj(i -> message("run_ä_" + i, null)).toList();

    List<String> payloads = NotifyPayload.of(messages);

    assertThat(payloads).hasSizeBetween(2, 20).allSatisfy(payload -> assertThat(
            payload.getBytes(StandardCharsets.UTF_8))
        .hasSizeLessThan(8_000));
    assertThat(
            payloads.stream().flatMap(payload -> NotifyPayload.read(ENVIRONMENT, payload).stream()))
        .containsExactlyElementsOf(messages);
  }

  @Test
  void a_trace_carrier_that_does_not_fit_is_left_out() {
    DeliveryMessage traced = message("run_1", Map.of("tracestate", "x".repeat(8_000)));

    List<String> payloads = NotifyPayload.of(List.of(traced));

    assertThat(NotifyPayload.read(ENVIRONMENT, payloads.get(0)))
        .containsExactly(message("run_1", null));
  }

  @Test
  void a_message_that_fits_nowhere_is_a_payload_of_its_own_for_postgres_to_refuse() {
    List<String> payloads = NotifyPayload.of(
        List.of(message("run_" + "x".repeat(8_000), null), message("run_1", null)));

    assertThat(payloads).hasSize(2);
    assertThat(NotifyPayload.read(ENVIRONMENT, payloads.get(1)))
        .containsExactly(message("run_1", null));
  }

  @Test
  void how_the_application_has_vertx_write_json_changes_no_payload() {
    ObjectMapper mapper = DatabindCodec.mapper();
    mapper.enable(SerializationFeature.WRITE_SINGLE_ELEM_ARRAYS_UNWRAPPED);
    mapper.enable(DeserializationFeature.USE_JAVA_ARRAY_FOR_JSON_ARRAY);
    try {
      DeliveryMessage message = message("run_1", Map.of("a", "b"));

      List<String> payloads = NotifyPayload.of(List.of(message));

      assertThat(payloads).singleElement().asString().startsWith("{\"v\":1,\"wakeups\":[{");
      assertThat(NotifyPayload.read(ENVIRONMENT, payloads.get(0))).containsExactly(message);
    } finally {
      mapper.disable(SerializationFeature.WRITE_SINGLE_ELEM_ARRAYS_UNWRAPPED);
      mapper.disable(DeserializationFeature.USE_JAVA_ARRAY_FOR_JSON_ARRAY);
    }
  }

  @Test
  void nothing_to_say_needs_no_payload() {
    assertThat(NotifyPayload.of(List.of())).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "no json",
        "[]",
        "{\"wakeups\":7}",
        "{\"wakeups\":[7]}",
        "{\"wakeups\":[{}]}",
        "{\"wakeups\":[{\"runId\":\"r\",\"queue\":\"q\",\"requestedAt\":\"noon\"}]}"
      })
  void what_cannot_be_read_is_passed_over(String payload) {
    assertThat(NotifyPayload.read(ENVIRONMENT, payload)).isEmpty();
  }

  @Test
  void a_later_version_may_say_more() {
    assertThat(NotifyPayload.read(ENVIRONMENT, """
        {"v":2,"more":{},"wakeups":[{"runId":"run_1","queue":"default","extra":1,
        "requestedAt":"2026-03-04T12:00:00Z"}]}""")).containsExactly(message("run_1", null));
    assertThat(NotifyPayload.read(ENVIRONMENT, "{}")).isEmpty();
  }

  private static DeliveryMessage message(String runId, Map<String, String> trace) {
    return new DeliveryMessage(ENVIRONMENT, runId, "default", NOON, trace);
  }
}
