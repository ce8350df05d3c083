package dev.runlane.storage.outbox;

import dev.runlane.run.FailureRecord;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Where an outbox message is in its life.
 *
 * @param id the message
 * @param status pending, claimed, failed, dead-lettered or, where it is kept, published
 * @param availableAt when it becomes or became due; without meaning once it is dead-lettered
 * @param claimExpiresAt when a publisher's claim ends; null unless claimed
 * @param failedPublishes how often publishing it failed
 * @param failure the last failure, or null
 */
public record OutboxMessageState(
    String id,
    OutboxMessageStatus status,
    Instant availableAt,
    @Nullable Instant claimExpiresAt,
    int failedPublishes,
    @Nullable FailureRecord failure) {
  /** Refuses null. */
  public OutboxMessageState {
    Objects.requireNonNull(id);
    Objects.requireNonNull(status);
    Objects.requireNonNull(availableAt);
  }
}
