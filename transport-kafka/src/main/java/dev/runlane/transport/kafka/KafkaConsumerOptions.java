package dev.runlane.transport.kafka;

import dev.runlane.options.OptionChecks;
import dev.runlane.run.ContractDefaults;
import dev.runlane.run.RunlaneException;
import dev.runlane.timing.Backoff;
import dev.runlane.timing.Durations;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/** How one consumer takes wakeups. Setters throw {@code ConfigurationInvalid} for values out of range. */
public final class KafkaConsumerOptions {
  /** The consumer group = {@value}. */
  public static final String DEFAULT_GROUP_ID = "runlane";

  /** Deliveries under way at the same time = {@value}. */
  public static final int DEFAULT_MAX_IN_FLIGHT = 64;

  /** Records fetched ahead of the deliveries = {@value}. */
  public static final int DEFAULT_MAX_FETCHED = 256;

  /** Records of a partition that may wait to be committed behind an unsettled one = {@value}. */
  public static final int DEFAULT_MAX_UNCOMMITTED = 10_000;

  /** How often settled offsets are committed = 500 ms. */
  public static final Duration DEFAULT_COMMIT_INTERVAL = Duration.ofMillis(500);

  /** How long one poll waits for records = 100 ms. */
  public static final Duration DEFAULT_POLL_TIMEOUT = Duration.ofMillis(100);

  /** After which silence the broker gives a consumer's partitions to others = 10 s. */
  public static final Duration DEFAULT_SESSION_TIMEOUT = Duration.ofSeconds(10);

  /** After which pause between two polls the client leaves the group = 5 min. */
  public static final Duration DEFAULT_MAX_POLL_INTERVAL = Duration.ofMinutes(5);

  /** How long a commit may take = 5 s. */
  public static final Duration DEFAULT_COMMIT_TIMEOUT = Duration.ofSeconds(5);

  /** Deliveries of one record that may fail before it is dead-lettered = {@value}. */
  public static final int DEFAULT_MAX_ATTEMPTS = 10;

  /** The same for failures that do not go away by themselves, such as an unknown task = {@value}. */
  public static final int DEFAULT_MAX_FUTILE_ATTEMPTS = 3;

  /** Pause after a failed delivery = from 500 ms up to 30 s, doubling, give or take a fifth. */
  public static final Backoff DEFAULT_BACKOFF = Backoff.exponential(
          Duration.ofMillis(500), Duration.ofSeconds(30))
      .withJitter(ContractDefaults.BACKOFF_JITTER);

  /** How long stopping waits for deliveries under way and the last commit = 15 s. */
  public static final Duration DEFAULT_DRAIN_TIMEOUT = Duration.ofSeconds(15);

  private static final Set<String> KEYS = Set.of(
      "groupId",
      "maxInFlight",
      "maxFetched",
      "maxUncommitted",
      "commitInterval",
      "pollTimeout",
      "sessionTimeout",
      "maxPollInterval",
      "commitTimeout",
      "maxAttempts",
      "maxFutileAttempts",
      "backoffFirst",
      "backoffMost",
      "backoffJitter",
      "drainTimeout",
      "properties");

  private String groupId = DEFAULT_GROUP_ID;
  private int maxInFlight = DEFAULT_MAX_IN_FLIGHT;
  private int maxFetched = DEFAULT_MAX_FETCHED;
  private int maxUncommitted = DEFAULT_MAX_UNCOMMITTED;
  private Duration commitInterval = DEFAULT_COMMIT_INTERVAL;
  private Duration pollTimeout = DEFAULT_POLL_TIMEOUT;
  private Duration sessionTimeout = DEFAULT_SESSION_TIMEOUT;
  private Duration maxPollInterval = DEFAULT_MAX_POLL_INTERVAL;
  private Duration commitTimeout = DEFAULT_COMMIT_TIMEOUT;
  private int maxAttempts = DEFAULT_MAX_ATTEMPTS;
  private int maxFutileAttempts = DEFAULT_MAX_FUTILE_ATTEMPTS;
  private Backoff backoff = DEFAULT_BACKOFF;
  private Duration drainTimeout = DEFAULT_DRAIN_TIMEOUT;
  private Map<String, String> properties = Map.of();

  /** The defaults. */
  public KafkaConsumerOptions() {}

  /** A copy. */
  public KafkaConsumerOptions(KafkaConsumerOptions other) {
    groupId = other.groupId;
    maxInFlight = other.maxInFlight;
    maxFetched = other.maxFetched;
    maxUncommitted = other.maxUncommitted;
    commitInterval = other.commitInterval;
    pollTimeout = other.pollTimeout;
    sessionTimeout = other.sessionTimeout;
    maxPollInterval = other.maxPollInterval;
    commitTimeout = other.commitTimeout;
    maxAttempts = other.maxAttempts;
    maxFutileAttempts = other.maxFutileAttempts;
    backoff = other.backoff;
    drainTimeout = other.drainTimeout;
    properties = other.properties;
  }

  /** Options from JSON. Throws {@code ConfigurationInvalid} on an unknown key or a malformed value. */
  public KafkaConsumerOptions(JsonObject json) {
    OptionChecks.requireKnown("a Kafka consumer", json, KEYS);
    OptionChecks.text(json, "groupId", this::setGroupId);
    OptionChecks.integer(json, "maxInFlight", this::setMaxInFlight);
    OptionChecks.integer(json, "maxFetched", this::setMaxFetched);
    OptionChecks.integer(json, "maxUncommitted", this::setMaxUncommitted);
    OptionChecks.duration(json, "commitInterval", this::setCommitInterval);
    OptionChecks.duration(json, "pollTimeout", this::setPollTimeout);
    OptionChecks.duration(json, "sessionTimeout", this::setSessionTimeout);
    OptionChecks.duration(json, "maxPollInterval", this::setMaxPollInterval);
    OptionChecks.duration(json, "commitTimeout", this::setCommitTimeout);
    OptionChecks.integer(json, "maxAttempts", this::setMaxAttempts);
    OptionChecks.integer(json, "maxFutileAttempts", this::setMaxFutileAttempts);
    OptionChecks.duration(json, "drainTimeout", this::setDrainTimeout);
    OptionChecks.texts(json, "properties", this::setProperties);
    backoff = OptionChecks.backoff(json, backoff);
  }

  /** The JSON form, which the constructor that takes one turns back into equal options. */
  public JsonObject toJson() {
    return new JsonObject()
        .put("groupId", groupId)
        .put("maxInFlight", maxInFlight)
        .put("maxFetched", maxFetched)
        .put("maxUncommitted", maxUncommitted)
        .put("commitInterval", Durations.format(commitInterval))
        .put("pollTimeout", Durations.format(pollTimeout))
        .put("sessionTimeout", Durations.format(sessionTimeout))
        .put("maxPollInterval", Durations.format(maxPollInterval))
        .put("commitTimeout", Durations.format(commitTimeout))
        .put("maxAttempts", maxAttempts)
        .put("maxFutileAttempts", maxFutileAttempts)
        .put("backoffFirst", Durations.format(backoff.first()))
        .put("backoffMost", Durations.format(backoff.most()))
        .put("backoffJitter", backoff.jitter())
        .put("drainTimeout", Durations.format(drainTimeout))
        .put("properties", new JsonObject(new LinkedHashMap<>(properties)));
  }

  /** The consumer group; its members share the partitions. */
  public String getGroupId() {
    return groupId;
  }

  /** Sets the consumer group. */
  public KafkaConsumerOptions setGroupId(String groupId) {
    if (groupId.isBlank()) {
      throw RunlaneException.configurationInvalid("groupId must not be empty");
    }
    this.groupId = groupId;
    return this;
  }

  /** Deliveries under way at the same time: wakeups being looked up, waiting for a slot, or executed. */
  public int getMaxInFlight() {
    return maxInFlight;
  }

  /**
   * Sets the deliveries under way at the same time; at least 1. The worker bounds how many of them are
   * handlers. As many deliveries may rest before another try; then nothing else begins.
   */
  public KafkaConsumerOptions setMaxInFlight(int maxInFlight) {
    this.maxInFlight = OptionChecks.requireAtLeast(1, "maxInFlight", maxInFlight);
    return this;
  }

  /** Records fetched ahead of the deliveries. */
  public int getMaxFetched() {
    return maxFetched;
  }

  /**
   * Sets how many records are fetched ahead before all partitions are paused; at least 1. One poll fetches as
   * many, so up to twice the number is held.
   */
  public KafkaConsumerOptions setMaxFetched(int maxFetched) {
    this.maxFetched = OptionChecks.requireAtLeast(1, "maxFetched", maxFetched);
    return this;
  }

  /** Records of a partition that may wait to be committed behind an unsettled one. */
  public int getMaxUncommitted() {
    return maxUncommitted;
  }

  /** Sets how far a partition is read past its oldest unsettled record before it is paused; at least 1. */
  public KafkaConsumerOptions setMaxUncommitted(int maxUncommitted) {
    this.maxUncommitted = OptionChecks.requireAtLeast(1, "maxUncommitted", maxUncommitted);
    return this;
  }

  /** How often settled offsets are committed. */
  public Duration getCommitInterval() {
    return commitInterval;
  }

  /** Sets how often settled offsets are committed. */
  public KafkaConsumerOptions setCommitInterval(Duration commitInterval) {
    this.commitInterval = OptionChecks.requirePositive("commitInterval", commitInterval);
    return this;
  }

  /** How long one poll waits for records. */
  public Duration getPollTimeout() {
    return pollTimeout;
  }

  /** Sets how long one poll waits; resuming, committing and stopping wait as long at most. */
  public KafkaConsumerOptions setPollTimeout(Duration pollTimeout) {
    this.pollTimeout = OptionChecks.requirePositive("pollTimeout", pollTimeout);
    return this;
  }

  /** After which silence the broker gives the consumer's partitions to others. */
  public Duration getSessionTimeout() {
    return sessionTimeout;
  }

  /** Sets after which silence a consumer is given up; brokers take 6 s to 30 min unless configured. */
  public KafkaConsumerOptions setSessionTimeout(Duration sessionTimeout) {
    this.sessionTimeout = OptionChecks.requirePositive("sessionTimeout", sessionTimeout);
    return this;
  }

  /** After which pause between two polls the client leaves the group; handlers do not count. */
  public Duration getMaxPollInterval() {
    return maxPollInterval;
  }

  /** Sets after which pause between two polls the client leaves the group. */
  public KafkaConsumerOptions setMaxPollInterval(Duration maxPollInterval) {
    this.maxPollInterval = OptionChecks.requirePositive("maxPollInterval", maxPollInterval);
    return this;
  }

  /** How long a commit may take. */
  public Duration getCommitTimeout() {
    return commitTimeout;
  }

  /** Sets how long a commit may take, and with it how long a revocation is held up at most. */
  public KafkaConsumerOptions setCommitTimeout(Duration commitTimeout) {
    this.commitTimeout = OptionChecks.requirePositive("commitTimeout", commitTimeout);
    return this;
  }

  /** Deliveries of one record that may fail before it is dead-lettered. */
  public int getMaxAttempts() {
    return maxAttempts;
  }

  /** Sets the deliveries of one record that may fail before it is dead-lettered; at least 1. */
  public KafkaConsumerOptions setMaxAttempts(int maxAttempts) {
    this.maxAttempts = OptionChecks.requireAtLeast(1, "maxAttempts", maxAttempts);
    return this;
  }

  /** Deliveries that may fail in a way that does not go away by itself, such as an unknown task. */
  public int getMaxFutileAttempts() {
    return maxFutileAttempts;
  }

  /** Sets how often such a delivery may fail before the record is dead-lettered; at least 1. */
  public KafkaConsumerOptions setMaxFutileAttempts(int maxFutileAttempts) {
    this.maxFutileAttempts = OptionChecks.requireAtLeast(1, "maxFutileAttempts", maxFutileAttempts);
    return this;
  }

  /** How long a record rests after a failed delivery, or after its dead letter could not be written. */
  public Backoff getBackoff() {
    return backoff;
  }

  /** Sets how long a record rests after a failed delivery. */
  public KafkaConsumerOptions setBackoff(Backoff backoff) {
    this.backoff = backoff;
    return this;
  }

  /** How long stopping waits for deliveries under way and the last commit. */
  public Duration getDrainTimeout() {
    return drainTimeout;
  }

  /** Sets how long stopping waits; give it more than the worker's own drain timeout. */
  public KafkaConsumerOptions setDrainTimeout(Duration drainTimeout) {
    this.drainTimeout = OptionChecks.requirePositive("drainTimeout", drainTimeout);
    return this;
  }

  /** Further properties of the Kafka consumer. */
  public Map<String, String> getProperties() {
    return properties;
  }

  /** Sets further properties of the Kafka consumer; those the promises rest on are refused. */
  public KafkaConsumerOptions setProperties(Map<String, String> properties) {
    this.properties = ClientProperties.requireFree(properties, ClientProperties.CONSUMER_FIXED);
    return this;
  }
}
