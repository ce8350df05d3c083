package dev.runlane.storage;

import dev.runlane.transport.DeliveryMessage;
import java.time.Instant;
import java.util.Objects;

/**
 * An outbox message that the caller owns for a while.
 *
 * @param id the message
 * @param claimToken proof of ownership, made by the storage
 * @param claimExpiresAt from this instant on somebody else may claim it
 * @param availableAt when it became due
 * @param failedPublishes how often publishing it failed before
 * @param message the wakeup to publish
 */
public record ClaimedOutboxMessage(
    String id,
    String claimToken,
    Instant claimExpiresAt,
    Instant availableAt,
    int failedPublishes,
    DeliveryMessage message) {
  /** Refuses null. */
  public ClaimedOutboxMessage {
    Objects.requireNonNull(id);
    Objects.requireNonNull(claimToken);
    Objects.requireNonNull(claimExpiresAt);
    Objects.requireNonNull(availableAt);
    Objects.requireNonNull(message);
  }
}
