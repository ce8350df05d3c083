package dev.runlane.operator.queue;

import dev.runlane.run.Actor;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A queue of which nothing is claimed.
 *
 * @param queue the queue
 * @param actor who paused it
 * @param reason why, or null
 * @param pausedAt since when
 */
public record PausedQueue(
    String queue, Actor actor, @Nullable String reason, Instant pausedAt) {
  /** Refuses null and cuts instants to microseconds. */
  public PausedQueue {
    Objects.requireNonNull(queue);
    Objects.requireNonNull(actor);
    pausedAt = pausedAt.truncatedTo(ChronoUnit.MICROS);
  }
}
