package dev.runlane.runtime.alert;

import dev.runlane.json.JsonWriter;
import dev.runlane.operator.alert.Alert;
import dev.runlane.operator.alert.AlertChange;
import dev.runlane.run.Environment;
import java.time.Instant;

/**
 * What a channel is told.
 *
 * @param environment of which environment
 * @param alert the alert as it is now
 * @param change what happened
 * @param toldAt when it is told, another time with each try
 */
public record AlertNotice(
    Environment environment, Alert alert, AlertChange change, Instant toldAt) {
  /** The same however often it is told, so that a receiver knows it again. */
  public String deliveryId() {
    return alert.id() + ":" + change.value();
  }

  /** One line for people. */
  public String subject() {
    return "[%s] %s %s: %s"
        .formatted(environment.name(), change.value(), alert.ruleId(), alert.subject());
  }

  /** What there is to say, in lines for people. */
  public String text() {
    StringBuilder text = new StringBuilder(alert.text());
    text.append("\n\nEnvironment: ").append(environment.name());
    text.append("\nRule: ").append(alert.ruleId());
    text.append("\nAbout: ").append(alert.subject());
    text.append("\nOpened: ").append(alert.openedAt());
    if (alert.resolvedAt() != null) {
      text.append("\nResolved: ").append(alert.resolvedAt());
    }
    return text.append("\nDelivery: ").append(deliveryId()).append('\n').toString();
  }

  /** As JSON. */
  public String json() {
    JsonWriter writer = new JsonWriter();
    writer.text("id", deliveryId());
    writer.text("type", "alert." + change.value());
    writer.text("environment", environment.name());
    writer.object("alert", fields -> {
      fields.text("id", alert.id());
      fields.text("rule", alert.ruleId());
      fields.text("subject", alert.subject());
      fields.text("text", alert.text());
      fields.instant("openedAt", alert.openedAt());
      fields.instant("lastSeenAt", alert.lastSeenAt());
      fields.instant("resolvedAt", alert.resolvedAt());
    });
    return writer.end();
  }
}
