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
  /** Refuses null. */
  public RateLimit {
    Objects.requireNonNull(duration);
  }
}
