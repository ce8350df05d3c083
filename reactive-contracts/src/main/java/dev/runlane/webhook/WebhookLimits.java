package dev.runlane.webhook;

import java.time.Duration;
import java.util.Objects;

/**
 * How webhooks are told.
 *
 * @param sweepLimit requests of one sweep, sent all at once
 * @param requestTimeout how long a request may take; at most half of {@code claimDuration}
 * @param claimDuration how long a claim on an end lasts
 * @param giveUpAfter for how long after an end it is tried to tell of it
 */
public record WebhookLimits(
    int sweepLimit, Duration requestTimeout, Duration claimDuration, Duration giveUpAfter) {
  /** Refuses null. */
  public WebhookLimits {
    Objects.requireNonNull(requestTimeout);
    Objects.requireNonNull(claimDuration);
    Objects.requireNonNull(giveUpAfter);
  }
}
