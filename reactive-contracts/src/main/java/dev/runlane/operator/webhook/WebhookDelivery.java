package dev.runlane.operator.webhook;

import dev.runlane.run.RunStatus;
import java.time.Instant;
import java.util.Objects;

/**
 * The end of a run that a webhook is to be notified of.
 *
 * @param webhookId whom to tell
 * @param runId the run
 * @param status how it ended
 * @param endedAt when
 * @param tries how often it was claimed, this time included
 */
public record WebhookDelivery(
    String webhookId, String runId, RunStatus status, Instant endedAt, int tries) {
  /** Refuses null. */
  public WebhookDelivery {
    Objects.requireNonNull(webhookId);
    Objects.requireNonNull(runId);
    Objects.requireNonNull(status);
    Objects.requireNonNull(endedAt);
  }
}
