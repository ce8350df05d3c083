package dev.runlane.connector.schedule;

import dev.runlane.options.OptionChecks;
import dev.runlane.run.RunlaneException;
import java.time.Duration;

/** How schedules of connectors are run. Setters throw {@code ConfigurationInvalid} for values out of range. */
public final class SchedulerOptions {
  /** Attempts after the first that failed = {@value}. */
  public static final int DEFAULT_MAX_RETRIES = 2;

  /** The pause before the second attempt = 1 s; doubled before each further one. */
  public static final Duration DEFAULT_FIRST_PAUSE = Duration.ofSeconds(1);

  /** The longest pause between attempts = 30 s. */
  public static final Duration DEFAULT_LONGEST_PAUSE = Duration.ofSeconds(30);

  /** A schedule that something keeps from a due run is looked at again after = 60 s. */
  public static final Duration DEFAULT_TICK = Duration.ofSeconds(60);

  /** The pause between two looks for schedules = 1 s. */
  public static final Duration DEFAULT_SWEEP = Duration.ofSeconds(1);

  /** How long what must hold before a run may take to say so = 30 min. */
  public static final Duration DEFAULT_GATE_LIMIT = Duration.ofMinutes(30);

  /** How long a schedule is held while it is decided about = 60 s; held longer as long as it takes. */
  public static final Duration DEFAULT_CLAIM = Duration.ofSeconds(60);

  /** Schedules taken at a time = {@value}. */
  public static final int DEFAULT_BATCH_SIZE = 20;

  /** Schedules held at a time until their connector says that it is ready = {@value}. */
  public static final int DEFAULT_MAX_WAITING = 100;

  /** How long a verticle that is stopped waits for what it has begun = 30 s. */
  public static final Duration DEFAULT_DRAIN_TIMEOUT = Duration.ofSeconds(30);

  private static final int MOST_RETRIES = 50;

  private int maxRetries = DEFAULT_MAX_RETRIES;
  private Duration firstPause = DEFAULT_FIRST_PAUSE;
  private Duration longestPause = DEFAULT_LONGEST_PAUSE;
  private Duration tick = DEFAULT_TICK;
  private Duration sweep = DEFAULT_SWEEP;
  private Duration gateLimit = DEFAULT_GATE_LIMIT;
  private Duration claim = DEFAULT_CLAIM;
  private int batchSize = DEFAULT_BATCH_SIZE;
  private int maxWaiting = DEFAULT_MAX_WAITING;
  private Duration drainTimeout = DEFAULT_DRAIN_TIMEOUT;

  /** The defaults. */
  public SchedulerOptions() {}

  /** A copy. */
  public SchedulerOptions(SchedulerOptions other) {
    maxRetries = other.maxRetries;
    firstPause = other.firstPause;
    longestPause = other.longestPause;
    tick = other.tick;
    sweep = other.sweep;
    gateLimit = other.gateLimit;
    claim = other.claim;
    batchSize = other.batchSize;
    maxWaiting = other.maxWaiting;
    drainTimeout = other.drainTimeout;
  }

  SchedulePlan plan() {
    return new SchedulePlan(maxRetries, firstPause, longestPause, tick);
  }

  /** Attempts after the first that failed. */
  public int getMaxRetries() {
    return maxRetries;
  }

  /** Sets how many attempts follow the first that failed, 0 to 50. */
  public SchedulerOptions setMaxRetries(int maxRetries) {
    if (maxRetries < 0 || maxRetries > MOST_RETRIES) {
      throw RunlaneException.configurationInvalid(
          "maxRetries must be between 0 and %d, but is %d", MOST_RETRIES, maxRetries);
    }
    this.maxRetries = maxRetries;
    return this;
  }

  /** The pause before the second attempt. */
  public Duration getFirstPause() {
    return firstPause;
  }

  /** Sets the pause before the second attempt, positive. */
  public SchedulerOptions setFirstPause(Duration firstPause) {
    this.firstPause = OptionChecks.requirePositive("firstPause", firstPause);
    return this;
  }

  /** The longest pause between attempts. */
  public Duration getLongestPause() {
    return longestPause;
  }

  /** Sets the longest pause between attempts, positive. */
  public SchedulerOptions setLongestPause(Duration longestPause) {
    this.longestPause = OptionChecks.requirePositive("longestPause", longestPause);
    return this;
  }

  /** After how long a schedule that something keeps from a due run is looked at again. */
  public Duration getTick() {
    return tick;
  }

  /** Sets after how long a schedule that is held back is looked at again, positive. */
  public SchedulerOptions setTick(Duration tick) {
    this.tick = OptionChecks.requirePositive("tick", tick);
    return this;
  }

  /** The pause between two looks for schedules. */
  public Duration getSweep() {
    return sweep;
  }

  /** Sets the pause between two looks for schedules, positive. */
  public SchedulerOptions setSweep(Duration sweep) {
    this.sweep = OptionChecks.requirePositive("sweep", sweep);
    return this;
  }

  /** How long readiness may take to say so. */
  public Duration getGateLimit() {
    return gateLimit;
  }

  /** Sets how long readiness may take to say so, positive. */
  public SchedulerOptions setGateLimit(Duration gateLimit) {
    this.gateLimit = OptionChecks.requirePositive("gateLimit", gateLimit);
    return this;
  }

  /** How long a schedule is held at a time. */
  public Duration getClaim() {
    return claim;
  }

  /** Sets how long a schedule is held at a time, positive; longer than any call to the storage takes. */
  public SchedulerOptions setClaim(Duration claim) {
    this.claim = OptionChecks.requirePositive("claim", claim);
    return this;
  }

  /** Schedules taken at a time. */
  public int getBatchSize() {
    return batchSize;
  }

  /** Sets how many schedules are taken at a time, 1 to 1 000. */
  public SchedulerOptions setBatchSize(int batchSize) {
    OptionChecks.requireAtLeast(1, "batchSize", batchSize);
    this.batchSize = Math.min(batchSize, 1_000);
    return this;
  }

  /** Schedules held at a time until their connector says that it is ready. */
  public int getMaxWaiting() {
    return maxWaiting;
  }

  /** Sets how many schedules may be held until their connector is ready, at least 1; while so many are, none is taken. */
  public SchedulerOptions setMaxWaiting(int maxWaiting) {
    this.maxWaiting = OptionChecks.requireAtLeast(1, "maxWaiting", maxWaiting);
    return this;
  }

  /** How long a verticle that is stopped waits for what it has begun. */
  public Duration getDrainTimeout() {
    return drainTimeout;
  }

  /** Sets how long a verticle that is stopped waits for what it has begun, at least 1 ms; then it fails to stop. */
  public SchedulerOptions setDrainTimeout(Duration drainTimeout) {
    this.drainTimeout = OptionChecks.requireMillis("drainTimeout", drainTimeout);
    return this;
  }
}
