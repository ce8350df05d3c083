package dev.runlane.runtime.publish;

import static dev.runlane.options.OptionTypes.backoff;
import static dev.runlane.options.OptionTypes.duration;
import static dev.runlane.options.OptionTypes.durationOrZero;
import static dev.runlane.options.OptionTypes.whole;

import dev.runlane.options.Option;
import dev.runlane.options.OptionSet;
import dev.runlane.run.ContractDefaults;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.sweep.SweepOptions;
import dev.runlane.timing.Backoff;
import io.vertx.core.json.JsonObject;
import java.time.Duration;

/** How an outbox publisher works. */
public final class OutboxPublisherOptions extends SweepOptions<OutboxPublisherOptions> {
  /** Pause between two sweeps = 1 s. */
  public static final Duration DEFAULT_IDLE_DELAY = ContractDefaults.SWEEP;

  /** Messages claimed at once = 100. */
  public static final int DEFAULT_BATCH_SIZE = ContractDefaults.OUTBOX_BATCH;

  /** The longest pause between two sweeps of an environment in which nothing happens = 3 s. */
  public static final Duration DEFAULT_LONGEST_IDLE_DELAY = Duration.ofSeconds(3);

  /** How long a claim lasts = 30 s. */
  public static final Duration DEFAULT_CLAIM_DURATION = ContractDefaults.OUTBOX_CLAIM;

  /** How long the transport may take for one batch = 20 s. */
  public static final Duration DEFAULT_PUBLISH_TIMEOUT = Duration.ofSeconds(20);

  /** Failed publishes after which a message is given up = 10. */
  public static final int DEFAULT_MAX_ATTEMPTS = ContractDefaults.PUBLISH_ATTEMPTS;

  /** Pause after a failed publish = from 1 s up to 5 min, doubling, give or take a fifth. */
  public static final Backoff DEFAULT_BACKOFF = Backoff.exponential(
          ContractDefaults.BACKOFF_FIRST, ContractDefaults.BACKOFF_MOST)
      .withJitter(ContractDefaults.BACKOFF_JITTER);

  /** How long news of this process are gathered before they are looked after = 5 ms. */
  public static final Duration DEFAULT_GATHER_DELAY = Duration.ofMillis(5);

  /** Distance of the instants at which known due work is looked after = 50 ms. */
  public static final Duration DEFAULT_DUE_RESOLUTION = Duration.ofMillis(50);

  private static final OptionSet OPTIONS =
      SweepOptions.options("an outbox publisher", DEFAULT_IDLE_DELAY);
  private static final Option<Duration> LONGEST_IDLE_DELAY =
      OPTIONS.add("longestIdleDelay", DEFAULT_LONGEST_IDLE_DELAY, duration());
  private static final Option<Integer> BATCH_SIZE =
      OPTIONS.add("batchSize", DEFAULT_BATCH_SIZE, whole(1, MOST));
  private static final Option<Duration> CLAIM_DURATION =
      OPTIONS.add("claimDuration", DEFAULT_CLAIM_DURATION, duration());
  private static final Option<Duration> PUBLISH_TIMEOUT =
      OPTIONS.add("publishTimeout", DEFAULT_PUBLISH_TIMEOUT, duration());
  private static final Option<Integer> MAX_ATTEMPTS =
      OPTIONS.add("maxAttempts", DEFAULT_MAX_ATTEMPTS, whole(1));
  private static final Option<Backoff> BACKOFF = OPTIONS.add("backoff", DEFAULT_BACKOFF, backoff());
  private static final Option<Duration> GATHER_DELAY =
      OPTIONS.add("gatherDelay", DEFAULT_GATHER_DELAY, durationOrZero());
  private static final Option<Duration> DUE_RESOLUTION =
      OPTIONS.add("dueResolution", DEFAULT_DUE_RESOLUTION, duration());

  /** The defaults. */
  public OutboxPublisherOptions() {
    super(OPTIONS);
  }

  /** A copy. */
  public OutboxPublisherOptions(OutboxPublisherOptions other) {
    super(other);
  }

  /** Options from JSON. Throws {@code ConfigurationInvalid} on an unknown key or a malformed value. */
  public OutboxPublisherOptions(JsonObject json) {
    super(OPTIONS, json);
  }

  /**
   * The longest pause between two sweeps of an environment in which nothing happens, where wakeups of other processes
   * reach this one. After ten sweeps that found nothing the pause doubles from the idle delay up to this.
   */
  public Duration getLongestIdleDelay() {
    return get(LONGEST_IDLE_DELAY);
  }

  /** Sets that pause; no longer than the idle delay: every pause is the idle delay. */
  public OutboxPublisherOptions setLongestIdleDelay(Duration delay) {
    return set(LONGEST_IDLE_DELAY, delay);
  }

  /** Messages claimed and published at once. */
  public int getBatchSize() {
    return get(BATCH_SIZE);
  }

  /** Sets the messages claimed at once; 1 to 10 000. */
  public OutboxPublisherOptions setBatchSize(int size) {
    return set(BATCH_SIZE, size);
  }

  /** How long the publisher owns the messages it claims; another one may claim them afterwards. */
  public Duration getClaimDuration() {
    return get(CLAIM_DURATION);
  }

  /** Sets how long a claim lasts; positive. */
  public OutboxPublisherOptions setClaimDuration(Duration duration) {
    return set(CLAIM_DURATION, duration);
  }

  /** How long the transport may take for one batch before it is recorded as failed. */
  public Duration getPublishTimeout() {
    return get(PUBLISH_TIMEOUT);
  }

  /** Sets how long the transport may take; positive, and below the claim, or no publisher is built. */
  public OutboxPublisherOptions setPublishTimeout(Duration timeout) {
    return set(PUBLISH_TIMEOUT, timeout);
  }

  /** Failed publishes after which a message is dead-lettered. */
  public int getMaxAttempts() {
    return get(MAX_ATTEMPTS);
  }

  /** Sets the failed publishes after which a message is dead-lettered; at least 1. */
  public OutboxPublisherOptions setMaxAttempts(int attempts) {
    return set(MAX_ATTEMPTS, attempts);
  }

  /** How long a message rests after a failed publish. */
  public Backoff getBackoff() {
    return get(BACKOFF);
  }

  /** Sets how long a message rests after a failed publish. */
  public OutboxPublisherOptions setBackoff(Backoff backoff) {
    return set(BACKOFF, backoff);
  }

  /** How long notifications of this process's commits are collected, so that many of them share one sweep. */
  public Duration getGatherDelay() {
    return get(GATHER_DELAY);
  }

  /** Sets how long news are gathered; not negative. */
  public OutboxPublisherOptions setGatherDelay(Duration delay) {
    return set(GATHER_DELAY, delay);
  }

  /** Throws {@code ConfigurationInvalid} unless a publish that hangs is given up before its claim ends. */
  OutboxPublisherOptions requireConsistent() {
    if (getPublishTimeout().compareTo(getClaimDuration()) >= 0) {
      throw RunlaneException.configurationInvalid(
          "publishTimeout must be below claimDuration, but is %s of %s",
          getPublishTimeout(), getClaimDuration());
    }
    return this;
  }

  /**
   * Resolution of the instants at which known due work is processed: what falls due between two of them shares
   * a sweep at the later one.
   */
  public Duration getDueResolution() {
    return get(DUE_RESOLUTION);
  }

  /** Sets that distance; positive. */
  public OutboxPublisherOptions setDueResolution(Duration resolution) {
    return set(DUE_RESOLUTION, resolution);
  }
}
