package dev.runlane.operator.queue;

import dev.runlane.run.Actor;
import dev.runlane.run.Environment;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Pauses a queue.
 *
 * @param environment scope
 * @param queue the queue
 * @param actor who wants it
 * @param reason why, or null
 * @param now the caller's time
 */
public record PauseQueue(
    Environment environment,
    String queue,
    Actor actor,
    @Nullable String reason,
    Instant now) {
  /** Refuses null and cuts instants to microseconds. */
  public PauseQueue {
    Objects.requireNonNull(environment);
    Objects.requireNonNull(queue);
    Objects.requireNonNull(actor);
    now = now.truncatedTo(ChronoUnit.MICROS);
  }
}
