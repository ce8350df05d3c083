package dev.runlane.jobs;

import java.time.Duration;
import java.util.Objects;

/**
 * A sliding window over all workers of a queue.
 *
 * @param max hand-outs within the window, 1 or more
 * @param duration its length, positive
 */
public record RateLimit(int max, Duration duration) {
  /** How long after others with a later {@code now} a fetch may be carried out = 10 s. */
  public static final Duration MOST_LATE = Duration.ofSeconds(10);

  /** Refuses null. */
  public RateLimit {
    Objects.requireNonNull(duration);
  }
}
