package dev.runlane.operator.alert;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Something that a rule found, from when it did first to when it did no more.
 *
 * @param id the alert
 * @param ruleId the rule that found it
 * @param subject what it is about, such as a queue's name
 * @param text what was found last, for people
 * @param openedAt when it was found first
 * @param lastSeenAt when it was found last
 * @param resolvedAt when it was not found any more; null: it is open
 * @param untold how many deliveries of it are still to be made
 */
public record Alert(
    String id,
    String ruleId,
    String subject,
    String text,
    Instant openedAt,
    Instant lastSeenAt,
    @Nullable Instant resolvedAt,
    int untold) {
  /** Refuses null and cuts instants to microseconds. */
  public Alert {
    Objects.requireNonNull(id);
    Objects.requireNonNull(ruleId);
    Objects.requireNonNull(subject);
    Objects.requireNonNull(text);
    openedAt = openedAt.truncatedTo(ChronoUnit.MICROS);
    lastSeenAt = lastSeenAt.truncatedTo(ChronoUnit.MICROS);
    resolvedAt = resolvedAt == null ? null : resolvedAt.truncatedTo(ChronoUnit.MICROS);
  }

  /** Whether its rule still finds it, as far as is known. */
  public boolean isOpen() {
    return resolvedAt == null;
  }
}
