package dev.runlane.runtime.webhook;

import dev.runlane.json.JsonWriter;
import dev.runlane.operator.webhook.WebhookDelivery;
import dev.runlane.run.Environment;
import dev.runlane.run.RunRecord;
import java.net.URI;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One request, signed.
 *
 * @param address where it goes
 * @param deliveryId the same however often the end is reported, so that a receiver knows it again
 * @param timestamp seconds since 1970 at which it was signed
 * @param signature {@code v1=} and the HMAC-SHA256 of timestamp, a dot and body, in hex
 * @param body JSON, without payload and output
 */
public record WebhookRequest(
    URI address, String deliveryId, String timestamp, String signature, String body) {
  /** @param run as it is now, or null: it was removed since */
  static WebhookRequest of(
      Webhook webhook,
      Environment environment,
      WebhookDelivery delivery,
      @Nullable RunRecord run,
      Map<String, String> tags,
      Instant now) {
    String id = delivery.webhookId() + ":" + delivery.runId();
    String timestamp = String.valueOf(now.getEpochSecond());
    String body = body(id, environment, delivery, run, tags);
    return new WebhookRequest(
        webhook.address(),
        id,
        timestamp,
        WebhookSignature.of(webhook.secret(), timestamp, body),
        body);
  }

  private static String body(
      String id,
      Environment environment,
      WebhookDelivery delivery,
      @Nullable RunRecord run,
      Map<String, String> tags) {
    JsonWriter writer = new JsonWriter();
    writer.text("id", id);
    writer.text("type", "run." + delivery.status().value());
    writer.text("environment", environment.name());
    writer.object("run", fields -> {
      fields.text("id", delivery.runId());
      fields.text("status", delivery.status().value());
      fields.instant("finishedAt", delivery.endedAt());
      if (run != null) {
        fields.text("taskId", run.taskId());
        fields.text("queue", run.queue());
        fields.instant("createdAt", run.createdAt());
        fields.text(
            "failureCode", run.failure() == null ? null : run.failure().code().value());
        fields.texts("tags", tags.isEmpty() ? null : tags);
      }
    });
    return writer.end();
  }
}
