package dev.runlane.conformance.model;

import dev.runlane.run.FailureRecord;
import dev.runlane.storage.outbox.ClaimedOutboxMessage;
import dev.runlane.storage.outbox.OutboxMessageState;
import dev.runlane.storage.outbox.OutboxMessageStatus;
import dev.runlane.transport.DeliveryMessage;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;

/** An outbox message: a wakeup that nobody has published yet, or what became of it. */
public final class ModelMessage {
  public final String id;
  public final DeliveryMessage wakeup;
  public final @Nullable String groupKey;
  public Instant availableAt;
  public OutboxMessageStatus status = OutboxMessageStatus.PENDING;
  public int failedPublishes;
  public @Nullable String
      claimToken; // good until somebody else claims; like the next one null unless it is claimed
  public @Nullable Instant claimExpiresAt;
  public @Nullable FailureRecord failure;

  public ModelMessage(
      String id, DeliveryMessage wakeup, @Nullable String groupKey, Instant availableAt) {
    this.id = id;
    this.wakeup = wakeup;
    this.groupKey = groupKey;
    this.availableAt = availableAt;
  }

  /**
   * Pending and failed ones are due from the instant at which they are available, claimed ones from their claim's end.
   */
  public Instant dueAt() {
    return claimExpiresAt == null ? availableAt : claimExpiresAt;
  }

  /** Published and dead-lettered ones are never due. */
  public boolean isDueAt(Instant now) {
    return status != OutboxMessageStatus.PUBLISHED
        && status != OutboxMessageStatus.DEAD_LETTERED
        && !dueAt().isAfter(now);
  }

  public ClaimedOutboxMessage claim(String token, Instant expiresAt) {
    status = OutboxMessageStatus.CLAIMED;
    claimToken = token;
    claimExpiresAt = expiresAt.truncatedTo(ChronoUnit.MICROS);
    return new ClaimedOutboxMessage(
        id, token, claimExpiresAt, availableAt, failedPublishes, wakeup, groupKey);
  }

  public void settle(OutboxMessageStatus settled) {
    status = settled;
    claimToken = null;
    claimExpiresAt = null;
  }

  public void fail(OutboxMessageStatus settled, FailureRecord why) {
    settle(settled);
    failedPublishes++;
    failure = why;
  }

  /** Failed without a try, which counts where none has failed before. */
  public void postpone(FailureRecord why) {
    settle(OutboxMessageStatus.FAILED);
    failedPublishes = failedPublishes == 0 ? 1 : failedPublishes;
    failure = why;
  }

  /** As if no publish of it had ever failed. */
  public void redrive(Instant now) {
    settle(OutboxMessageStatus.PENDING);
    availableAt = now;
    failedPublishes = 0;
    failure = null;
  }

  public OutboxMessageState state() {
    return new OutboxMessageState(
        id, status, availableAt, claimExpiresAt, failedPublishes, failure);
  }
}
