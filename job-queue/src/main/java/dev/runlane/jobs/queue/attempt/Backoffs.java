package dev.runlane.jobs.queue.attempt;

import dev.runlane.jobs.JobBackoff;
import dev.runlane.jobs.queue.job.BackoffStrategy;
import dev.runlane.run.ContractDefaults;
import dev.runlane.run.RunlaneException;
import dev.runlane.timing.Backoff;
import dev.runlane.timing.Randomness;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Map;

/** How long jobs wait after a failed attempt. */
public final class Backoffs {
  /** The longest exponential wait before jitter = 24 h. */
  static final Duration MOST = Duration.ofHours(24);

  /** What chance adds to an exponential wait, or takes away = a quarter. */
  static final double JITTER = 0.25;

  private final Map<String, BackoffStrategy> strategies;
  private final Randomness randomness;

  public Backoffs(Map<String, BackoffStrategy> strategies, Randomness randomness) {
    this.strategies = strategies;
    this.randomness = randomness;
  }

  /**
   * The wait after the n-th failure, in whole milliseconds. Throws {@code ConfigurationInvalid} when the worker
   * has no strategy of that name, or when it answers nonsense.
   */
  Duration delay(JobBackoff backoff, int failures) {
    Duration delay =
        switch (backoff.type()) {
          case FIXED -> backoff.delay();
          case EXPONENTIAL -> exponential(backoff.delay(), failures);
          case CUSTOM -> custom(String.valueOf(backoff.strategy()), failures);
        };
    return delay.truncatedTo(ChronoUnit.MILLIS);
  }

  private Duration exponential(Duration first, int failures) {
    if (first.isZero()) {
      return first;
    }
    Duration capped = first.compareTo(MOST) > 0 ? MOST : first;
    return Backoff.exponential(capped, MOST).withJitter(JITTER).delay(failures, randomness);
  }

  private Duration custom(String name, int failures) {
    BackoffStrategy strategy = strategies.get(name);
    if (strategy == null) {
      throw RunlaneException.configurationInvalid(
          "this worker has no customStrategy '%s'; it has %s",
          name, strategies.keySet().stream().sorted().toList());
    }
    Duration delay = strategy.delay(failures);
    if (delay == null
        || delay.isNegative()
        || delay.compareTo(ContractDefaults.LONGEST_DURATION) > 0) {
      throw RunlaneException.configurationInvalid(
          "the customStrategy '%s' must answer 0 to %s, but answered %s",
          name, ContractDefaults.LONGEST_DURATION, delay);
    }
    return delay;
  }
}
