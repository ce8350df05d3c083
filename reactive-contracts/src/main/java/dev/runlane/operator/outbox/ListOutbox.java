package dev.runlane.operator.outbox;

import dev.runlane.run.Environment;
import dev.runlane.storage.outbox.OutboxMessageStatus;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Asks for a page of outbox messages.
 *
 * @param environment scope
 * @param status which: any but published, since those are not kept
 * @param limit rows wanted; null: the default; more than the maximum is cut to it
 * @param cursor where the page before ended; null: the first page
 */
public record ListOutbox(
    Environment environment,
    OutboxMessageStatus status,
    @Nullable Integer limit,
    @Nullable String cursor) {
  /** Refuses null. */
  public ListOutbox {
    Objects.requireNonNull(environment);
    Objects.requireNonNull(status);
  }
}
