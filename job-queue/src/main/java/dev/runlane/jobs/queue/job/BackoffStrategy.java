package dev.runlane.jobs.queue.job;

import java.time.Duration;

/** A back-off of one's own, known to a worker by its name. */
@FunctionalInterface
public interface BackoffStrategy {
  /**
   * How long a job waits before its next attempt; not negative.
   *
   * @param failures how often it has failed so far, at least 1
   */
  Duration delay(int failures);
}
