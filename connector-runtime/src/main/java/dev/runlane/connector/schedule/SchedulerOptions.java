package dev.runlane.connector.schedule;

import static dev.runlane.options.OptionTypes.duration;
import static dev.runlane.options.OptionTypes.whole;

import dev.runlane.options.Option;
import dev.runlane.options.OptionSet;
import dev.runlane.options.OptionValues;
import io.vertx.core.json.JsonObject;
import java.time.Duration;

/** How schedules of connectors are run. Setters throw {@code ConfigurationInvalid} for values out of range. */
public final class SchedulerOptions extends OptionValues<SchedulerOptions> {
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

  private static final OptionSet OPTIONS = OptionSet.of("a scheduler of connectors");
  private static final Option<Integer> MAX_RETRIES =
      OPTIONS.add("maxRetries", DEFAULT_MAX_RETRIES, whole(0, 50));
  private static final Option<Duration> FIRST_PAUSE =
      OPTIONS.add("firstPause", DEFAULT_FIRST_PAUSE, duration());
  private static final Option<Duration> LONGEST_PAUSE =
      OPTIONS.add("longestPause", DEFAULT_LONGEST_PAUSE, duration());
  private static final Option<Duration> TICK = OPTIONS.add("tick", DEFAULT_TICK, duration());
  private static final Option<Duration> SWEEP = OPTIONS.add("sweep", DEFAULT_SWEEP, duration());
  private static final Option<Duration> GATE_LIMIT =
      OPTIONS.add("gateLimit", DEFAULT_GATE_LIMIT, duration());
  private static final Option<Duration> CLAIM = OPTIONS.add("claim", DEFAULT_CLAIM, duration());
  private static final Option<Integer> BATCH_SIZE =
      OPTIONS.add("batchSize", DEFAULT_BATCH_SIZE, whole(1, 1_000));
  private static final Option<Integer> MAX_WAITING =
      OPTIONS.add("maxWaiting", DEFAULT_MAX_WAITING, whole(1));
  private static final Option<Duration> DRAIN_TIMEOUT =
      OPTIONS.add("drainTimeout", DEFAULT_DRAIN_TIMEOUT, duration());

  /** The defaults. */
  public SchedulerOptions() {
    super(OPTIONS);
  }

  /** A copy. */
  public SchedulerOptions(SchedulerOptions other) {
    super(other);
  }

  /** Options from JSON. Throws {@code ConfigurationInvalid} on an unknown key or a malformed value. */
  public SchedulerOptions(JsonObject json) {
    super(OPTIONS, json);
  }

  SchedulePlan plan() {
    return new SchedulePlan(getMaxRetries(), getFirstPause(), getLongestPause(), getTick());
  }

  /** Attempts after the first that failed. */
  public int getMaxRetries() {
    return get(MAX_RETRIES);
  }

  /** Sets how many attempts follow the first that failed, 0 to 50. */
  public SchedulerOptions setMaxRetries(int maxRetries) {
    return set(MAX_RETRIES, maxRetries);
  }

  /** The pause before the second attempt. */
  public Duration getFirstPause() {
    return get(FIRST_PAUSE);
  }

  /** Sets the pause before the second attempt, positive. */
  public SchedulerOptions setFirstPause(Duration firstPause) {
    return set(FIRST_PAUSE, firstPause);
  }

  /** The longest pause between attempts. */
  public Duration getLongestPause() {
    return get(LONGEST_PAUSE);
  }

  /** Sets the longest pause between attempts, positive. */
  public SchedulerOptions setLongestPause(Duration longestPause) {
    return set(LONGEST_PAUSE, longestPause);
  }

  /** After how long a schedule that something keeps from a due run is looked at again. */
  public Duration getTick() {
    return get(TICK);
  }

  /** Sets after how long a schedule that is held back is looked at again, positive. */
  public SchedulerOptions setTick(Duration tick) {
    return set(TICK, tick);
  }

  /** The pause between two looks for schedules. */
  public Duration getSweep() {
    return get(SWEEP);
  }

  /** Sets the pause between two looks for schedules, positive. */
  public SchedulerOptions setSweep(Duration sweep) {
    return set(SWEEP, sweep);
  }

  /** How long readiness may take to say so. */
  public Duration getGateLimit() {
    return get(GATE_LIMIT);
  }

  /** Sets how long readiness may take to say so, positive. */
  public SchedulerOptions setGateLimit(Duration gateLimit) {
    return set(GATE_LIMIT, gateLimit);
  }

  /** How long a schedule is held at a time. */
  public Duration getClaim() {
    return get(CLAIM);
  }

  /** Sets how long a schedule is held at a time, positive; longer than any call to the storage takes. */
  public SchedulerOptions setClaim(Duration claim) {
    return set(CLAIM, claim);
  }

  /** Schedules taken at a time. */
  public int getBatchSize() {
    return get(BATCH_SIZE);
  }

  /** Sets how many schedules are taken at a time, 1 to 1 000. */
  public SchedulerOptions setBatchSize(int batchSize) {
    return set(BATCH_SIZE, batchSize);
  }

  /** Schedules held at a time until their connector says that it is ready. */
  public int getMaxWaiting() {
    return get(MAX_WAITING);
  }

  /**
   * Sets how many schedules may be held until their connector is ready, at least 1; while so many are, none is taken.
   */
  public SchedulerOptions setMaxWaiting(int maxWaiting) {
    return set(MAX_WAITING, maxWaiting);
  }

  /** How long a verticle that is stopped waits for what it has begun. */
  public Duration getDrainTimeout() {
    return get(DRAIN_TIMEOUT);
  }

  /** Sets how long a verticle that is stopped waits for what it has begun, at least 1 ms; then it fails to stop. */
  public SchedulerOptions setDrainTimeout(Duration drainTimeout) {
    return set(DRAIN_TIMEOUT, drainTimeout);
  }
}
