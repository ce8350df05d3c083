package dev.runlane.steps;

import dev.runlane.run.RunlaneException;
import java.time.Duration;

/**
 * How long {@link StepPolling} waits between looks: {@code shortest} after one that found something, then
 * twice as long after each that found nothing or failed, up to the longest.
 *
 * @param shortest the first wait, positive
 * @param longest the longest wait while no signals are heard
 * @param longestWithSignals the longest wait while signals are heard
 */
public record StepPauses(Duration shortest, Duration longest, Duration longestWithSignals) {
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
}
