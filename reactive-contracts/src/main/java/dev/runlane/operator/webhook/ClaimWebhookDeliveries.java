package dev.runlane.operator.webhook;

import dev.runlane.run.Environment;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Objects;

/**
 * Claims deliveries that are due.
 *
 * @param environment scope
 * @param webhookIds of these webhooks
 * @param token proof of the claim, made by the caller
 * @param now the caller's time
 * @param claimFor how long the claim lasts
 * @param limit most deliveries
 */
public record ClaimWebhookDeliveries(
    Environment environment,
    List<String> webhookIds,
    String token,
    Instant now,
    Duration claimFor,
    int limit) {
  /** Copies the ids, refuses null and cuts instants to microseconds. */
  public ClaimWebhookDeliveries {
    Objects.requireNonNull(environment);
    Objects.requireNonNull(token);
    Objects.requireNonNull(claimFor);
    webhookIds = List.copyOf(webhookIds);
    now = now.truncatedTo(ChronoUnit.MICROS);
  }
}
