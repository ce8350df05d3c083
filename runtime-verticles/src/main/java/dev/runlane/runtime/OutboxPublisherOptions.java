package dev.runlane.runtime;

import dev.runlane.options.OptionChecks;
import dev.runlane.run.ContractDefaults;
import dev.runlane.run.RunlaneException;
import dev.runlane.timing.Backoff;
import dev.runlane.timing.Durations;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.Set;

/** How an outbox publisher works. */
public final class OutboxPublisherOptions extends SweepOptions<OutboxPublisherOptions> {
  /** Pause between two sweeps = 1 s. */
  public static final Duration DEFAULT_IDLE_DELAY = ContractDefaults.SWEEP;

  /** Messages claimed at once = 100. */
  public static final int DEFAULT_BATCH_SIZE = ContractDefaults.OUTBOX_BATCH;

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

  private static final Set<String> KEYS = Set.of(
      "batchSize",
      "claimDuration",
      "publishTimeout",
      "maxAttempts",
      "backoffFirst",
      "backoffMost",
      "backoffJitter",
      "gatherDelay",
      "dueResolution");

  private int batchSize = DEFAULT_BATCH_SIZE;
  private Duration claimDuration = DEFAULT_CLAIM_DURATION;
  private Duration publishTimeout = DEFAULT_PUBLISH_TIMEOUT;
  private int maxAttempts = DEFAULT_MAX_ATTEMPTS;
  private Backoff backoff = DEFAULT_BACKOFF;
  private Duration gatherDelay = DEFAULT_GATHER_DELAY;
  private Duration dueResolution = DEFAULT_DUE_RESOLUTION;

  /** The defaults. */
  public OutboxPublisherOptions() {
    super(DEFAULT_IDLE_DELAY);
  }

  /** A copy. */
  public OutboxPublisherOptions(OutboxPublisherOptions other) {
    super(other);
    batchSize = other.batchSize;
    claimDuration = other.claimDuration;
    publishTimeout = other.publishTimeout;
    maxAttempts = other.maxAttempts;
    backoff = other.backoff;
    gatherDelay = other.gatherDelay;
    dueResolution = other.dueResolution;
  }

  /** Options from JSON. Throws {@code ConfigurationInvalid} on an unknown key or a malformed value. */
  public OutboxPublisherOptions(JsonObject json) {
    this();
    readCommon("an outbox publisher", json, KEYS);
    OptionChecks.integer(json, "batchSize", this::setBatchSize);
    OptionChecks.duration(json, "claimDuration", this::setClaimDuration);
    OptionChecks.duration(json, "publishTimeout", this::setPublishTimeout);
    OptionChecks.integer(json, "maxAttempts", this::setMaxAttempts);
    OptionChecks.duration(json, "gatherDelay", this::setGatherDelay);
    OptionChecks.duration(json, "dueResolution", this::setDueResolution);
    backoff = OptionChecks.backoff(json, backoff);
  }

  @Override
  public JsonObject toJson() {
    return super.toJson()
        .put("batchSize", batchSize)
        .put("claimDuration", Durations.format(claimDuration))
        .put("publishTimeout", Durations.format(publishTimeout))
        .put("maxAttempts", maxAttempts)
        .put("backoffFirst", Durations.format(backoff.first()))
        .put("backoffMost", Durations.format(backoff.most()))
        .put("backoffJitter", backoff.jitter())
        .put("gatherDelay", Durations.format(gatherDelay))
        .put("dueResolution", Durations.format(dueResolution));
  }

  /** Messages claimed and published at once. */
  public int getBatchSize() {
    return batchSize;
  }

  /** Sets the messages claimed at once; 1 to 10 000. */
  public OutboxPublisherOptions setBatchSize(int size) {
    batchSize = requireLimit("batchSize", size);
    return this;
  }

  /** How long the publisher owns the messages it claims; another one may take them afterwards. */
  public Duration getClaimDuration() {
    return claimDuration;
  }

  /** Sets how long a claim lasts; positive. */
  public OutboxPublisherOptions setClaimDuration(Duration duration) {
    claimDuration = OptionChecks.requirePositive("claimDuration", duration);
    return this;
  }

  /** How long the transport may take for one batch before it is recorded as failed. */
  public Duration getPublishTimeout() {
    return publishTimeout;
  }

  /** Sets how long the transport may take; positive, and below the claim, or no publisher is built. */
  public OutboxPublisherOptions setPublishTimeout(Duration timeout) {
    publishTimeout = OptionChecks.requirePositive("publishTimeout", timeout);
    return this;
  }

  /** Failed publishes after which a message is dead-lettered. */
  public int getMaxAttempts() {
    return maxAttempts;
  }

  /** Sets the failed publishes after which a message is dead-lettered; at least 1. */
  public OutboxPublisherOptions setMaxAttempts(int attempts) {
    maxAttempts = OptionChecks.requireAtLeast(1, "maxAttempts", attempts);
    return this;
  }

  /** How long a message rests after a failed publish. */
  public Backoff getBackoff() {
    return backoff;
  }

  /** Sets how long a message rests after a failed publish. */
  public OutboxPublisherOptions setBackoff(Backoff backoff) {
    this.backoff = backoff;
    return this;
  }

  /** How long news of this process's commits are gathered, so that many of them share one sweep. */
  public Duration getGatherDelay() {
    return gatherDelay;
  }

  /** Sets how long news are gathered; not negative. */
  public OutboxPublisherOptions setGatherDelay(Duration delay) {
    gatherDelay = OptionChecks.requireNotNegative("gatherDelay", delay);
    return this;
  }

  /** Throws {@code ConfigurationInvalid} unless a publish that hangs is given up before its claim ends. */
  OutboxPublisherOptions requireConsistent() {
    if (publishTimeout.compareTo(claimDuration) >= 0) {
      throw RunlaneException.configurationInvalid(
          "publishTimeout must be below claimDuration, but is %s of %s",
          publishTimeout, claimDuration);
    }
    return this;
  }

  /**
   * Distance of the instants at which due work that this process knows of is looked after: what falls due
   * between two of them shares a sweep at the later one.
   */
  public Duration getDueResolution() {
    return dueResolution;
  }

  /** Sets that distance; positive. */
  public OutboxPublisherOptions setDueResolution(Duration resolution) {
    dueResolution = OptionChecks.requirePositive("dueResolution", resolution);
    return this;
  }

  @Override
  OutboxPublisherOptions self() {
    return this;
  }
}
