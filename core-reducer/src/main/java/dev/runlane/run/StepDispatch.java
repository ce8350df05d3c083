package dev.runlane.run;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Objects;

/**
 * How workers of other processes are asked for a step. It is kept with the request, so that whoever asks again
 * needs no handler.
 *
 * @param deadlineAt a step without a result at this instant has failed
 * @param maxAttempts how often a worker is asked at most, failures that may be retried included; at least 1
 * @param firstPause the wait after the first failure, positive; it doubles with each further one
 * @param longestPause the longest wait, at least {@code firstPause}
 * @param jitterPercent the part of a wait that chance may add or take away, 0 to 99
 */
public record StepDispatch(
    Instant deadlineAt,
    int maxAttempts,
    Duration firstPause,
    Duration longestPause,
    int jitterPercent) {
  /** Refuses null and cuts the instant to microseconds. */
  public StepDispatch {
    Objects.requireNonNull(firstPause);
    Objects.requireNonNull(longestPause);
    deadlineAt = deadlineAt.truncatedTo(ChronoUnit.MICROS);
  }
}
