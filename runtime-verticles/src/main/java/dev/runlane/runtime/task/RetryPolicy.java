package dev.runlane.runtime.task;

import dev.runlane.options.OptionChecks;
import dev.runlane.run.ContractDefaults;
import dev.runlane.timing.Backoff;
import java.time.Duration;

/**
 * How often a task is tried and how long it rests between tries. Only failures count: an attempt that
 * released its run or was lost with its worker uses up nothing.
 *
 * @param maxAttempts failing attempts after which a run fails, at least 1
 * @param backoff the pause after each failure but the last
 */
public record RetryPolicy(int maxAttempts, Backoff backoff) {
  /** From 1 s up to 5 min, give or take a fifth. */
  public static final Backoff DEFAULT_BACKOFF = Backoff.exponential(
          ContractDefaults.BACKOFF_FIRST, ContractDefaults.BACKOFF_MOST)
      .withJitter(ContractDefaults.BACKOFF_JITTER);

  /** One attempt: the first failure ends the run. What applies where nothing else was chosen. */
  public static final RetryPolicy NONE = new RetryPolicy(1, DEFAULT_BACKOFF);

  /** Throws {@code ConfigurationInvalid} below one attempt. */
  public RetryPolicy {
    OptionChecks.requireAtLeast(1, "maxAttempts", maxAttempts);
  }

  /** Up to {@code maxAttempts} failing attempts with the default back-off. */
  public static RetryPolicy attempts(int maxAttempts) {
    return new RetryPolicy(maxAttempts, DEFAULT_BACKOFF);
  }

  /** The same number of attempts with another back-off. */
  public RetryPolicy backoff(Backoff other) {
    return new RetryPolicy(maxAttempts, other);
  }

  /** The same number of attempts with the same pause after each failure. */
  public RetryPolicy fixedDelay(Duration delay) {
    return new RetryPolicy(maxAttempts, Backoff.fixed(delay));
  }

  /** Whether another attempt follows the failure of one, {@code failuresBefore} having come before it. */
  public boolean allowsRetryAfter(int failuresBefore) {
    return failuresBefore + 1 < maxAttempts;
  }
}
