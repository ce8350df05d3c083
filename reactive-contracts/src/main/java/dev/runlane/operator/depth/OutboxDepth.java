package dev.runlane.operator.depth;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;

/**
 * Messages of the outbox.
 *
 * @param pending new ones, due now or later
 * @param claimed those that a publisher holds or held
 * @param failed those that are tried again
 * @param deadLettered those that were given up
 * @param oldestDueAt since when the one that waits longest is due; null where none is due
 */
public record OutboxDepth(
    long pending,
    long claimed,
    long failed,
    long deadLettered,
    @Nullable Instant oldestDueAt) {
  /** Refuses null and cuts instants to microseconds. */
  public OutboxDepth {
    oldestDueAt = oldestDueAt == null ? null : oldestDueAt.truncatedTo(ChronoUnit.MICROS);
  }
}
