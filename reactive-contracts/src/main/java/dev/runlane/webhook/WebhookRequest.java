package dev.runlane.webhook;

import java.net.URI;
import java.util.Objects;

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
  /** Refuses null. */
  public WebhookRequest {
    Objects.requireNonNull(address);
    Objects.requireNonNull(deliveryId);
    Objects.requireNonNull(timestamp);
    Objects.requireNonNull(signature);
    Objects.requireNonNull(body);
  }
}
