package dev.runlane.storage.outbox;

import dev.runlane.run.Environment;
import dev.runlane.run.FailureRecord;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Records failed publishes that will be tried again.
 *
 * @param environment scope
 * @param messages each of them claimed by the caller
 * @param now the caller's time
 */
public record MarkOutboxMessagesFailed(
    Environment environment, List<Failed> messages, Instant now) {
  /** Copies the messages, refuses null and cuts instants to microseconds. */
  public MarkOutboxMessagesFailed {
    Objects.requireNonNull(environment);
    Objects.requireNonNull(now);
    messages = List.copyOf(messages);
    now = now.truncatedTo(ChronoUnit.MICROS);
  }

  /**
   * One message that was not published.
   *
   * @param outboxMessageId the message
   * @param claimToken proof that the caller owns it
   * @param failure why
   * @param nextAvailableAt not claimed again before this instant; null: at once
   * @param counted whether publishing was tried, which adds 1 to the message's failed publishes; else they are at least
   *     1
   */
  public record Failed(
      String outboxMessageId,
      String claimToken,
      FailureRecord failure,
      @Nullable Instant nextAvailableAt,
      boolean counted) {
    /** Refuses null and cuts instants to microseconds. */
    public Failed {
      Objects.requireNonNull(outboxMessageId);
      Objects.requireNonNull(claimToken);
      Objects.requireNonNull(failure);
      nextAvailableAt =
          nextAvailableAt == null ? null : nextAvailableAt.truncatedTo(ChronoUnit.MICROS);
    }

    /** One that counts. */
    public Failed(
        String outboxMessageId,
        String claimToken,
        FailureRecord failure,
        @Nullable Instant nextAvailableAt) {
      this(outboxMessageId, claimToken, failure, nextAvailableAt, true);
    }
  }
}
