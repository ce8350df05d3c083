package dev.runlane.transport;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Asks a transport to publish wakeups.
 *
 * @param attempts claimed outbox messages, in the order in which outcomes are returned; may be empty
 */
public record PublishWakeups(List<Attempt> attempts) {
  /** Copies the attempts. */
  public PublishWakeups {
    attempts = List.copyOf(attempts);
  }

  /**
   * One claimed outbox message.
   *
   * @param outboxMessageId the message
   * @param claimToken proof that the caller holds it
   * @param message the wakeup
   * @param groupKey what wakeups that belong together share, the run's concurrency key; null: the wakeup
   *     belongs to no group. For the provider's grouping alone, and no part of the wakeup
   */
  public record Attempt(
      String outboxMessageId,
      String claimToken,
      DeliveryMessage message,
      @Nullable String groupKey) {
    /** Refuses null, except as group key. */
    public Attempt {
      Objects.requireNonNull(outboxMessageId);
      Objects.requireNonNull(claimToken);
      Objects.requireNonNull(message);
    }

    /** A wakeup that belongs to no group. */
    public Attempt(String outboxMessageId, String claimToken, DeliveryMessage message) {
      this(outboxMessageId, claimToken, message, null);
    }
  }
}
