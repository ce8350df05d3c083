package dev.runlane.timing;

import dev.runlane.run.ContractDefaults;
import dev.runlane.run.RunlaneException;
import java.time.Duration;

/**
 * How long to wait after a failure: {@code first} after the first, twice as long after each further one,
 * never longer than {@code most}, give or take the jitter.
 *
 * @param first the wait after the first failure, positive
 * @param most the longest wait before jitter, at least {@code first} and at most 36 500 days
 * @param jitter the fraction of the wait that chance may add or take away, at least 0 and below 1
 */
public record Backoff(Duration first, Duration most, double jitter) {

  /** Fails with {@link dev.runlane.run.ErrorCode#CONFIGURATION_INVALID} for values out of range. */
  public Backoff {
    if (first.isNegative() || first.isZero()) {
      throw RunlaneException.configurationInvalid(
          "a back-off must begin with a positive duration, but was %s", first);
    }
    if (most.compareTo(first) < 0) {
      throw RunlaneException.configurationInvalid(
          "a back-off that begins with %s must go up to at least as much, but was %s", first, most);
    }
    if (most.compareTo(ContractDefaults.LONGEST_DURATION) > 0) {
      throw RunlaneException.configurationInvalid(
          "a back-off must be at most %s, but was %s", ContractDefaults.LONGEST_DURATION, most);
    }
    if (!(jitter >= 0 && jitter < 1)) {
      throw RunlaneException.configurationInvalid(
          "jitter must be at least 0 and below 1, but was %s", jitter);
    }
  }

  /** The same wait after every failure. */
  public static Backoff fixed(Duration delay) {
    return new Backoff(delay, delay, 0);
  }

  /** {@code first}, then twice as long after each further failure, up to {@code most}. */
  public static Backoff exponential(Duration first, Duration most) {
    return new Backoff(first, most, 0);
  }

  /**
   * The same back-off, give or take up to {@code fraction} of each wait, so that many that failed together
   * do not come back together. 0 means none.
   */
  public Backoff withJitter(double fraction) {
    return new Backoff(first, most, fraction);
  }

  /**
   * The wait before the next try, at most {@code most * (1 + jitter)} and never negative. Without jitter
   * nothing is drawn from {@code randomness}, with it one number.
   *
   * @param failures how many tries have failed so far, at least 1; any size is fine, and fewer fail with
   *     {@link dev.runlane.run.ErrorCode#VALIDATION_FAILED}
   */
  public Duration delay(int failures, Randomness randomness) {
    if (failures < 1) {
      throw RunlaneException.validationFailed(
          "a back-off follows at least 1 failure, but was asked after %d", failures);
    }
    Duration delay = doubled(failures - 1);
    return jitter == 0 ? delay : jittered(delay, randomness);
  }

  private Duration doubled(int times) {
    Duration half = most.dividedBy(2);
    Duration delay = first;
    for (int i = 0; i < times && delay.compareTo(most) < 0; i++) {
      delay = delay.compareTo(half) > 0 ? most : delay.multipliedBy(2);
    }
    return delay;
  }

  private Duration jittered(Duration delay, Randomness randomness) {
    double between = 2 * randomness.nextDouble() - 1; // from -1 up to, not including, 1
    return delay.plusNanos((long) (delay.toNanos() * jitter * between));
  }
}
