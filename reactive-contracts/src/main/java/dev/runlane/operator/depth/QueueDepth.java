package dev.runlane.operator.depth;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Runs of a queue that have not ended.
 *
 * @param queue the queue
 * @param waiting those that somebody may claim, reserve or finish now: due, or lost with the worker that held them
 * @param later those that wait for their time
 * @param held those that a worker holds, or for which a slot is reserved; a lease that lasts longer than those of all
 * living processes, or than an hour where none is known, may be counted as later; in a queue without a limit
 * reservations need not count, so that the run waits since it was available
 * @param oldestDueAt since when the one that waits longest is due; null where none waits
 */
public record QueueDepth(
    String queue,
    long waiting,
    long later,
    long held,
    @Nullable Instant oldestDueAt) {
  /** Refuses null and cuts instants to microseconds. */
  public QueueDepth {
    Objects.requireNonNull(queue);
    oldestDueAt = oldestDueAt == null ? null : oldestDueAt.truncatedTo(ChronoUnit.MICROS);
  }
}
