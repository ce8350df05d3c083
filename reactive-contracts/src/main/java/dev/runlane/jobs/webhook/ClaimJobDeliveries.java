package dev.runlane.jobs.webhook;

import dev.runlane.jobs.JobTimes;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;

/**
 * Claims deliveries that are due.
 *
 * @param webhookIds of these webhooks
 * @param token proof of the claim, made by the caller
 * @param now the caller's time
 * @param claimFor how long the claim lasts, in whole milliseconds
 * @param limit most deliveries
 */
public record ClaimJobDeliveries(
    List<String> webhookIds, String token, Instant now, Duration claimFor, int limit) {
  /** Copies the ids, refuses null and cuts instants to milliseconds. */
  public ClaimJobDeliveries {
    webhookIds = List.copyOf(webhookIds);
    Objects.requireNonNull(token);
    now = JobTimes.millis(now);
    Objects.requireNonNull(claimFor);
  }
}
