package dev.runlane.storage.pg.notify;

import dev.runlane.json.JsonWriter;
import dev.runlane.json.VertxJson;
import dev.runlane.run.Environment;
import dev.runlane.run.RunlaneException;
import dev.runlane.transport.DeliveryMessage;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What one notification says: {@code {"v":1,"wakeups":[{"runId":…,"queue":…,"requestedAt":…}]}}, with a
 * {@code traceCarrier} where there is one and it fits. The environment is in the channel's name.
 * PostgreSQL takes payloads shorter than 8000 bytes
 * (<a href="https://www.postgresql.org/docs/current/sql-notify.html">NOTIFY</a>).
 */
public final class NotifyPayload {
  private static final Logger LOG = LoggerFactory.getLogger(NotifyPayload.class);
  private static final int MOST_BYTES = 7_900;
  private static final int VERSION = 1;
  private static final int FRAME_BYTES = 24;

  private NotifyPayload() {}

  /** As few payloads as hold all messages, in their order. */
  static List<String> of(List<DeliveryMessage> messages) {
    List<String> payloads = new ArrayList<>();
    List<String> wakeups = new ArrayList<>();
    int bytes = FRAME_BYTES;
    for (DeliveryMessage message : messages) {
      String wakeup = wakeup(message);
      int size = size(wakeup);
      if (bytes + size > MOST_BYTES && !wakeups.isEmpty()) {
        payloads.add(frame(wakeups));
        wakeups.clear();
        bytes = FRAME_BYTES;
      }
      wakeups.add(wakeup);
      bytes += size;
    }
    if (!wakeups.isEmpty()) {
      payloads.add(frame(wakeups));
    }
    return payloads;
  }

  private static String wakeup(DeliveryMessage message) {
    String traced = wakeup(message, message.traceCarrier());
    return FRAME_BYTES + size(traced) > MOST_BYTES ? wakeup(message, null) : traced;
  }

  private static String wakeup(
      DeliveryMessage message, @Nullable Map<String, String> traceCarrier) {
    JsonWriter wakeup = new JsonWriter();
    wakeup.text("runId", message.runId());
    wakeup.text("queue", message.queue());
    wakeup.instant("requestedAt", message.requestedAt());
    wakeup.texts("traceCarrier", traceCarrier);
    return wakeup.end();
  }

  private static int size(String wakeup) {
    return wakeup.getBytes(StandardCharsets.UTF_8).length + 1;
  }

  private static String frame(List<String> wakeups) {
    return "{\"v\":" + VERSION + ",\"wakeups\":[" + String.join(",", wakeups) + "]}";
  }

  /** The messages of a payload; none, with a warning, when another release wrote something unreadable. */
  public static List<DeliveryMessage> read(Environment environment, String payload) {
    try {
      List<DeliveryMessage> messages = new ArrayList<>();
      JsonArray wakeups = VertxJson.read(payload).getJsonArray("wakeups", new JsonArray());
      for (int index = 0; index < wakeups.size(); index++) {
        JsonObject wakeup = wakeups.getJsonObject(index);
        messages.add(new DeliveryMessage(
            environment,
            wakeup.getString("runId"),
            wakeup.getString("queue"),
            Instant.parse(wakeup.getString("requestedAt")),
            trace(wakeup.getJsonObject("traceCarrier"))));
      }
      return messages;
    } catch (RunlaneException
        | ClassCastException
        | DateTimeException
        | NullPointerException unreadable) {
      LOG.warn("a notification cannot be read and is passed over: {}", unreadable.toString());
      return List.of();
    }
  }

  private static @Nullable Map<String, String> trace(@Nullable JsonObject carrier) {
    if (carrier == null) {
      return null;
    }
    Map<String, String> trace = new LinkedHashMap<>();
    carrier.fieldNames().forEach(name -> trace.put(name, carrier.getString(name)));
    return trace;
  }
}
