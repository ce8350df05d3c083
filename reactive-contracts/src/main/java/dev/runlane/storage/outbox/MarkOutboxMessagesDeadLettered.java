package dev.runlane.storage.outbox;

import dev.runlane.run.Environment;
import dev.runlane.run.FailureRecord;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Objects;

/**
 * Gives outbox messages up.
 *
 * @param environment scope
 * @param messages each of them claimed by the caller
 * @param now the caller's time
 */
public record MarkOutboxMessagesDeadLettered(
    Environment environment, List<DeadLettered> messages, Instant now) {
  /** Copies the messages, refuses null and cuts instants to microseconds. */
  public MarkOutboxMessagesDeadLettered {
    Objects.requireNonNull(environment);
    Objects.requireNonNull(now);
    messages = List.copyOf(messages);
    now = now.truncatedTo(ChronoUnit.MICROS);
  }

  /**
   * One message that is given up.
   *
   * @param outboxMessageId the message
   * @param claimToken proof that the caller owns it
   * @param failure why
   */
  public record DeadLettered(String outboxMessageId, String claimToken, FailureRecord failure) {
    /** Refuses null. */
    public DeadLettered {
      Objects.requireNonNull(outboxMessageId);
      Objects.requireNonNull(claimToken);
      Objects.requireNonNull(failure);
    }
  }
}
