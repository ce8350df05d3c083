package dev.runlane.storage.outbox;

import dev.runlane.run.Environment;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Acknowledges published outbox messages.
 *
 * @param environment scope
 * @param messages each of them claimed by the caller
 * @param now the caller's time
 */
public record MarkOutboxMessagesPublished(
    Environment environment, List<Published> messages, Instant now) {
  /** Copies the messages, refuses null and cuts instants to microseconds. */
  public MarkOutboxMessagesPublished {
    Objects.requireNonNull(environment);
    Objects.requireNonNull(now);
    messages = List.copyOf(messages);
    now = now.truncatedTo(ChronoUnit.MICROS);
  }

  /**
   * One published message.
   *
   * @param outboxMessageId the message
   * @param claimToken proof that the caller owns it
   * @param providerMessageId what the provider calls it, or null
   */
  public record Published(
      String outboxMessageId, String claimToken, @Nullable String providerMessageId) {
    /** Refuses null. */
    public Published {
      Objects.requireNonNull(outboxMessageId);
      Objects.requireNonNull(claimToken);
    }
  }
}
