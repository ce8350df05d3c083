package dev.runlane.webhook;

import java.time.Instant;
import java.util.Objects;

/**
 * An end that somebody is to be told of now.
 *
 * @param end as it is kept
 * @param webhookId whom to tell
 * @param subject what ended, as a log names it
 * @param endedAt when it ended
 * @param tries how often it was claimed, this time included
 * @param request what to send
 */
public record DueEnd<D>(
    D end, String webhookId, String subject, Instant endedAt, int tries, WebhookRequest request) {
  /** Refuses null. */
  public DueEnd {
    Objects.requireNonNull(end);
    Objects.requireNonNull(webhookId);
    Objects.requireNonNull(subject);
    Objects.requireNonNull(endedAt);
    Objects.requireNonNull(request);
  }
}
