package dev.runlane.steps.delivery;

import dev.runlane.run.RunlaneException;
import java.time.Duration;

/**
 * How long {@link StepPoller} waits between polls: {@code shortest} after one that found something, then
 * twice as long after each that found nothing or failed, up to the longest. Where something is expected and
 * no signals are heard, it begins with a quarter of the shortest.
 *
 * @param shortest the first wait, positive
 * @param longest the longest wait while no signals are heard
 * @param longestWithSignals the longest wait while signals are heard
 */
public record StepPauses(Duration shortest, Duration longest, Duration longestWithSignals) {
  private static final int EAGER_SHARE = 4;
  private static final Duration LEAST = Duration.ofMillis(1);

  /** Throws {@code ConfigurationInvalid} unless the shortest is positive and no wait is shorter. */
  public StepPauses {
    if (shortest.isNegative()
        || shortest.isZero()
        || longest.compareTo(shortest) < 0
        || longestWithSignals.compareTo(shortest) < 0) {
      throw RunlaneException.configurationInvalid(
          "pauses must grow from more than 0, but go from %s to %s, with signals to %s",
          shortest, longest, longestWithSignals);
    }
  }

  /** The first wait for what is expected soon: a quarter of the shortest, at least 1 ms. */
  Duration eager() {
    Duration quarter = shortest.dividedBy(EAGER_SHARE);
    return quarter.compareTo(LEAST) < 0 ? LEAST : quarter;
  }
}
