package dev.runlane.transport.kafka;

import dev.runlane.json.JsonWriter;
import dev.runlane.json.VertxJson;
import dev.runlane.run.Environment;
import dev.runlane.run.Identifiers;
import dev.runlane.run.RunlaneException;
import dev.runlane.transport.DeliveryMessage;
import io.vertx.core.json.JsonObject;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.jspecify.annotations.Nullable;

/**
 * What a record says: {@code {"v":1,"environment":…,"runId":…,"queue":…,"requestedAt":…}}, and each entry of
 * the trace carrier as a header of that name, where tracing tools look for it. Headers whose names begin with
 * {@value #OWN_HEADERS} are Runlane's and no part of the trace. Fields that are not known are passed over.
 */
final class WakeupRecords {
  /** How the names of headers begin that belong to Runlane. */
  static final String OWN_HEADERS = "runlane-";

  private static final int VERSION = 1;

  private WakeupRecords() {}

  static byte[] value(DeliveryMessage message) {
    JsonWriter wakeup = new JsonWriter();
    wakeup.number("v", VERSION);
    wakeup.text("environment", message.environment().name());
    wakeup.text("runId", message.runId());
    wakeup.text("queue", message.queue());
    wakeup.instant("requestedAt", message.requestedAt());
    return wakeup.end().getBytes(StandardCharsets.UTF_8);
  }

  /** In the order of their names. */
  static List<Header> headers(DeliveryMessage message) {
    List<Header> headers = new ArrayList<>();
    Map<String, String> trace = message.traceCarrier();
    if (trace != null) {
      new TreeMap<>(trace).forEach((name, value) -> {
        if (!name.startsWith(OWN_HEADERS)) {
          headers.add(new RecordHeader(name, value.getBytes(StandardCharsets.UTF_8)));
        }
      });
    }
    return headers;
  }

  /** The wakeup of a record. Throws {@code ValidationFailed} when it cannot be one of this version. */
  static DeliveryMessage read(byte @Nullable [] value, Headers headers) {
    JsonObject body = body(value);
    Object version = body.getValue("v");
    if (!Integer.valueOf(VERSION).equals(version)) {
      throw RunlaneException.validationFailed(
          "a wakeup has version %d, but the record has %s",
          VERSION, version instanceof Number ? version : "none that is a number");
    }
    Environment environment = new Environment(text(body, "environment"));
    String runId = text(body, "runId");
    String queue = text(body, "queue");
    Identifiers.requireEnvironment(environment);
    Identifiers.requireId("runId", runId);
    Identifiers.requireId("queue", queue);
    return new DeliveryMessage(environment, runId, queue, requestedAt(body), trace(headers));
  }

  private static JsonObject body(byte @Nullable [] value) {
    if (value == null) {
      throw RunlaneException.validationFailed("a record without a value is no wakeup");
    }
    try {
      return VertxJson.read(
          StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(value)).toString());
    } catch (CharacterCodingException | RunlaneException malformed) {
      throw RunlaneException.validationFailed("a wakeup is a JSON object in UTF-8")
          .causedBy(malformed);
    }
  }

  private static String text(JsonObject body, String field) {
    if (body.getValue(field) instanceof String text) {
      return text;
    }
    throw RunlaneException.validationFailed("a wakeup needs the text field %s", field);
  }

  private static Instant requestedAt(JsonObject body) {
    try {
      return Instant.parse(text(body, "requestedAt"));
    } catch (DateTimeException malformed) {
      throw RunlaneException.validationFailed("requestedAt must be an instant of ISO-8601 in UTC")
          .causedBy(malformed);
    }
  }

  private static @Nullable Map<String, String> trace(Headers headers) {
    Map<String, String> trace = new LinkedHashMap<>();
    for (Header header : headers) {
      if (!header.key().startsWith(OWN_HEADERS) && header.value() != null) {
        trace.put(header.key(), new String(header.value(), StandardCharsets.UTF_8));
      }
    }
    return trace.isEmpty() ? null : trace;
  }
}
