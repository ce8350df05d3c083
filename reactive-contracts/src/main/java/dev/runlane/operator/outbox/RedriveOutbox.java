package dev.runlane.operator.outbox;

import dev.runlane.run.Environment;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Has messages published again.
 *
 * @param environment scope
 * @param messageIds which; null: any that are dead-lettered, by their ids
 * @param limit how many at most
 * @param now the caller's time
 */
public record RedriveOutbox(
    Environment environment, @Nullable List<String> messageIds, int limit, Instant now) {
  /** Copies the list, refuses null and cuts instants to microseconds. */
  public RedriveOutbox {
    Objects.requireNonNull(environment);
    messageIds = messageIds == null ? null : List.copyOf(messageIds);
    now = now.truncatedTo(ChronoUnit.MICROS);
  }
}
