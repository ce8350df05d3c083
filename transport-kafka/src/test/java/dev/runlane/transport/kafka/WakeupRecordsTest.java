package dev.runlane.transport.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.json.JsonWriteFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.runlane.run.Environment;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.transport.DeliveryMessage;
import io.vertx.core.json.JsonObject;
import io.vertx.core.json.jackson.DatabindCodec;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
class WakeupRecordsTest {
  private static final Map<String, String> TRACE =
      Map.of("traceparent", "00-0af7651916cd43dd8448eb211c80319c-01", "tracestate", "a=b,\u00e4=c");
  private static final DeliveryMessage MESSAGE = new DeliveryMessage(
      new Environment("production"),
      "run_7",
      "payments",
      Instant.parse("2026-03-04T12:00:00.123457Z"),
      TRACE);

  @Test
  void the_body_of_version_1_is_the_golden_file() throws IOException {
    assertThat(text(WakeupRecords.value(MESSAGE))).isEqualTo(golden());
  }

  @Test
  void how_the_application_has_vertx_write_and_read_json_changes_no_record() throws IOException {
    ObjectMapper mapper = DatabindCodec.mapper();
    mapper.getFactory().enable(JsonWriteFeature.WRITE_NUMBERS_AS_STRINGS.mappedFeature());
    mapper.enable(DeserializationFeature.USE_LONG_FOR_INTS);
    try {
      assertThat(text(WakeupRecords.value(MESSAGE))).isEqualTo(golden());
      assertThat(read(golden(), headersOf(MESSAGE))).isEqualTo(MESSAGE);
    } finally {
      mapper.getFactory().disable(JsonWriteFeature.WRITE_NUMBERS_AS_STRINGS.mappedFeature());
      mapper.disable(DeserializationFeature.USE_LONG_FOR_INTS);
    }
  }

  @Test
  void the_trace_travels_in_headers_in_the_order_of_their_names() {
    assertThat(WakeupRecords.headers(MESSAGE))
        .extracting(Header::key)
        .containsExactly("traceparent", "tracestate");
  }

  @Test
  void a_record_is_read_as_it_was_written() throws IOException {
    assertThat(read(golden(), headersOf(MESSAGE))).isEqualTo(MESSAGE);
  }

  @Test
  void a_record_without_headers_has_no_trace() throws IOException {
    assertThat(read(golden(), new RecordHeaders()).traceCarrier()).isNull();
  }

  @Test
  void fields_and_headers_of_later_releases_are_passed_over() throws IOException {
    JsonObject later = new JsonObject(golden()).put("priority", 3).put("more", new JsonObject());
    Headers headers = headersOf(MESSAGE);
    headers.add("runlane-something", new byte[] {1});

    assertThat(read(later.encode(), headers)).isEqualTo(MESSAGE);
  }

  @Test
  void what_is_no_wakeup_of_version_1_is_refused() throws IOException {
    JsonObject body = new JsonObject(golden());
    for (String malformed : List.of(
        "",
        "wakeup",
        "null",
        "[]",
        "{}",
        body.copy().put("v", 2).encode(),
        body.copy().put("v", "1").encode(),
        without(body, "v"),
        without(body, "environment"),
        without(body, "runId"),
        without(body, "queue"),
        without(body, "requestedAt"),
        body.copy().put("runId", 7).encode(),
        body.copy().put("runId", "a:b").encode(),
        body.copy().put("queue", "").encode(),
        body.copy().put("environment", "e".repeat(65)).encode(),
        body.copy().put("requestedAt", "noon").encode())) {
      assertRefused(malformed.getBytes(StandardCharsets.UTF_8));
    }
    assertRefused(null);
    assertRefused(new byte[] {(byte) 0xff, (byte) 0xfe});
  }

  private static void assertRefused(byte[] value) {
    assertThatThrownBy(() -> WakeupRecords.read(value, new RecordHeaders()))
        .as(value == null ? "no value" : text(value))
        .isInstanceOfSatisfying(RunlaneException.class, refused -> assertThat(refused.code())
            .isEqualTo(ErrorCode.VALIDATION_FAILED));
  }

  private static DeliveryMessage read(String body, Headers headers) {
    return WakeupRecords.read(body.getBytes(StandardCharsets.UTF_8), headers);
  }

  private static Headers headersOf(DeliveryMessage message) {
    return new RecordHeaders(WakeupRecords.headers(message));
  }

  private static String without(JsonObject body, String field) {
    JsonObject copy = body.copy();
    copy.remove(field);
    return copy.encode();
  }

  private static String text(byte[] value) {
    return new String(value, StandardCharsets.UTF_8);
  }

  private static String golden() throws IOException {
    try (InputStream file = WakeupRecordsTest.class.getResourceAsStream("/golden/wakeup-v1.json")) {
      return text(file.readAllBytes());
    }
  }
}
