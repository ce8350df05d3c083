package dev.runlane.storage.outbox;

import dev.runlane.run.Environment;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Claims due outbox messages.
 *
 * @param environment scope
 * @param now the caller's time
 * @param claimFor how long the claim lasts
 * @param limit most messages, at least 1
 * @param outboxMessageIds only these, if they are due; null: any
 */
public record ClaimOutboxMessages(
    Environment environment,
    Instant now,
    Duration claimFor,
    int limit,
    @Nullable List<String> outboxMessageIds) {
  /** Copies the ids, refuses null and cuts instants to microseconds. */
  public ClaimOutboxMessages {
    Objects.requireNonNull(environment);
    Objects.requireNonNull(now);
    Objects.requireNonNull(claimFor);
    outboxMessageIds = outboxMessageIds == null ? null : List.copyOf(outboxMessageIds);
    now = now.truncatedTo(ChronoUnit.MICROS);
  }
}
