package dev.runlane.transport;

import java.util.List;
import java.util.Objects;

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
   */
  public record Attempt(String outboxMessageId, String claimToken, DeliveryMessage message) {
    /** Refuses null. */
    public Attempt {
      Objects.requireNonNull(outboxMessageId);
      Objects.requireNonNull(claimToken);
      Objects.requireNonNull(message);
    }
  }
}
