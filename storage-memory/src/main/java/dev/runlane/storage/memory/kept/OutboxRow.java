package dev.runlane.storage.memory.kept;

import dev.runlane.operator.outbox.OutboxEntry;
import dev.runlane.run.FailureRecord;
import dev.runlane.storage.outbox.ClaimedOutboxMessage;
import dev.runlane.storage.outbox.OutboxMessageState;
import dev.runlane.storage.outbox.OutboxMessageStatus;
import dev.runlane.transport.DeliveryMessage;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;

/**
 * A wakeup on its way to the transport.
 *
 * @param id the message
 * @param message the wakeup
 * @param groupKey the run's concurrency key, or null
 * @param availableAt not claimed before this instant
 * @param status where it is in its life
 * @param failedPublishes how often publishing it failed
 * @param claim who may mark it; null unless it is claimed
 * @param failure the latest failure, or null
 * @param providerMessageId what the provider calls it; null unless it is published and has a name
 */
public record OutboxRow(
    String id,
    DeliveryMessage message,
    @Nullable String groupKey,
    Instant availableAt,
    OutboxMessageStatus status,
    int failedPublishes,
    @Nullable Claim claim,
    @Nullable FailureRecord failure,
    @Nullable String providerMessageId) {
  /**
   * Timed ownership.
   *
   * @param token proof of it
   * @param expiresAt from this instant on somebody else may claim the message
   */
  public record Claim(String token, Instant expiresAt) {
    public Claim {
      expiresAt = expiresAt.truncatedTo(ChronoUnit.MICROS);
    }
  }

  static OutboxRow pending(
      String id, DeliveryMessage message, @Nullable String groupKey, Instant availableAt) {
    return new OutboxRow(
        id, message, groupKey, availableAt, OutboxMessageStatus.PENDING, 0, null, null, null);
  }

  OutboxRow claimed(Claim by) {
    return new OutboxRow(
        id,
        message,
        groupKey,
        availableAt,
        OutboxMessageStatus.CLAIMED,
        failedPublishes,
        by,
        failure,
        null);
  }

  OutboxRow published(@Nullable String providerId) {
    return new OutboxRow(
        id,
        message,
        groupKey,
        availableAt,
        OutboxMessageStatus.PUBLISHED,
        failedPublishes,
        null,
        failure,
        providerId);
  }

  OutboxRow failed(FailureRecord why, Instant nextAvailableAt, boolean counted) {
    return new OutboxRow(
        id,
        message,
        groupKey,
        nextAvailableAt,
        OutboxMessageStatus.FAILED,
        counted ? failedPublishes + 1 : Math.max(failedPublishes, 1),
        null,
        why,
        null);
  }

  OutboxRow deadLettered(FailureRecord why) {
    return new OutboxRow(
        id,
        message,
        groupKey,
        availableAt,
        OutboxMessageStatus.DEAD_LETTERED,
        failedPublishes + 1,
        null,
        why,
        null);
  }

  OutboxRow redriven(Instant now) {
    return pending(id, message, groupKey, now);
  }

  boolean isClaimedWith(String token) {
    return claim != null && claim.token().equals(token);
  }

  /** Whether somebody may claim it at {@code now}. */
  public boolean isDueAt(Instant now) {
    return switch (status) {
      case PENDING, FAILED -> !availableAt.isAfter(now);
      case CLAIMED -> claim != null && !claim.expiresAt().isAfter(now);
      case PUBLISHED, DEAD_LETTERED -> false;
    };
  }

  /** From when somebody may claim it: once it is available, or its claim has expired. */
  public Instant dueAt() {
    return claim == null ? availableAt : claim.expiresAt();
  }

  ClaimedOutboxMessage toClaimed(Claim by) {
    return new ClaimedOutboxMessage(
        id, by.token(), by.expiresAt(), availableAt, failedPublishes, message, groupKey);
  }

  OutboxEntry toEntry() {
    return new OutboxEntry(
        id,
        message.runId(),
        message.queue(),
        status,
        availableAt,
        claim == null ? null : claim.expiresAt(),
        failedPublishes,
        failure);
  }

  public OutboxMessageState toState() {
    return new OutboxMessageState(
        id,
        status,
        availableAt,
        claim == null ? null : claim.expiresAt(),
        failedPublishes,
        failure);
  }
}
