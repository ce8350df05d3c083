package dev.runlane.storage.outbox;

import dev.runlane.transport.DeliveryMessage;
import dev.runlane.transport.PublishWakeups;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * An outbox message that the caller owns for a while.
 *
 * @param id the message
 * @param claimToken proof of ownership, made by the storage
 * @param claimExpiresAt from this instant on somebody else may claim it
 * @param availableAt when it became due
 * @param failedPublishes how often publishing it failed before
 * @param message the wakeup to publish
 * @param groupKey the run's concurrency key, or null: what the transport may group wakeups by
 */
public record ClaimedOutboxMessage(
    String id,
    String claimToken,
    Instant claimExpiresAt,
    Instant availableAt,
    int failedPublishes,
    DeliveryMessage message,
    @Nullable String groupKey) {
  /** Refuses null, except as group key, and cuts instants to microseconds. */
  public ClaimedOutboxMessage {
    Objects.requireNonNull(id);
    Objects.requireNonNull(claimToken);
    Objects.requireNonNull(claimExpiresAt);
    Objects.requireNonNull(availableAt);
    Objects.requireNonNull(message);
    claimExpiresAt = claimExpiresAt.truncatedTo(ChronoUnit.MICROS);
    availableAt = availableAt.truncatedTo(ChronoUnit.MICROS);
  }

  /** The same message as a transport publishes it. */
  public PublishWakeups.Attempt toAttempt() {
    return new PublishWakeups.Attempt(id, claimToken, message, groupKey);
  }
}
