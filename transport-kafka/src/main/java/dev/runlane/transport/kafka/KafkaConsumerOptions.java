package dev.runlane.transport.kafka;

import static dev.runlane.options.OptionTypes.backoff;
import static dev.runlane.options.OptionTypes.duration;
import static dev.runlane.options.OptionTypes.filled;
import static dev.runlane.options.OptionTypes.whole;

import dev.runlane.options.Option;
import dev.runlane.options.OptionSet;
import dev.runlane.options.OptionValues;
import dev.runlane.run.ContractDefaults;
import dev.runlane.timing.Backoff;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.Map;

/** How one consumer takes wakeups. Setters throw {@code ConfigurationInvalid} for values out of range. */
public final class KafkaConsumerOptions extends OptionValues<KafkaConsumerOptions> {
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

  private static final OptionSet OPTIONS = OptionSet.of("a Kafka consumer");
  private static final Option<String> GROUP_ID = OPTIONS.add("groupId", DEFAULT_GROUP_ID, filled());
  private static final Option<Integer> MAX_IN_FLIGHT =
      OPTIONS.add("maxInFlight", DEFAULT_MAX_IN_FLIGHT, whole(1));
  private static final Option<Integer> MAX_FETCHED =
      OPTIONS.add("maxFetched", DEFAULT_MAX_FETCHED, whole(1));
  private static final Option<Integer> MAX_UNCOMMITTED =
      OPTIONS.add("maxUncommitted", DEFAULT_MAX_UNCOMMITTED, whole(1));
  private static final Option<Duration> COMMIT_INTERVAL =
      OPTIONS.add("commitInterval", DEFAULT_COMMIT_INTERVAL, duration());
  private static final Option<Duration> POLL_TIMEOUT =
      OPTIONS.add("pollTimeout", DEFAULT_POLL_TIMEOUT, duration());
  private static final Option<Duration> SESSION_TIMEOUT =
      OPTIONS.add("sessionTimeout", DEFAULT_SESSION_TIMEOUT, ClientProperties.duration());
  private static final Option<Duration> MAX_POLL_INTERVAL =
      OPTIONS.add("maxPollInterval", DEFAULT_MAX_POLL_INTERVAL, ClientProperties.duration());
  private static final Option<Duration> COMMIT_TIMEOUT =
      OPTIONS.add("commitTimeout", DEFAULT_COMMIT_TIMEOUT, ClientProperties.duration());
  private static final Option<Integer> MAX_ATTEMPTS =
      OPTIONS.add("maxAttempts", DEFAULT_MAX_ATTEMPTS, whole(1));
  private static final Option<Integer> MAX_FUTILE_ATTEMPTS =
      OPTIONS.add("maxFutileAttempts", DEFAULT_MAX_FUTILE_ATTEMPTS, whole(1));
  private static final Option<Backoff> BACKOFF = OPTIONS.add("backoff", DEFAULT_BACKOFF, backoff());
  private static final Option<Duration> DRAIN_TIMEOUT =
      OPTIONS.add("drainTimeout", DEFAULT_DRAIN_TIMEOUT, ClientProperties.duration());
  private static final Option<Map<String, String>> PROPERTIES =
      OPTIONS.add("properties", Map.of(), ClientProperties.free(ClientProperties.CONSUMER_FIXED));

  /** The defaults. */
  public KafkaConsumerOptions() {
    super(OPTIONS);
  }

  /** A copy. */
  public KafkaConsumerOptions(KafkaConsumerOptions other) {
    super(other);
  }

  /** Options from JSON. Throws {@code ConfigurationInvalid} on an unknown key or a malformed value. */
  public KafkaConsumerOptions(JsonObject json) {
    super(OPTIONS, json);
  }

  /** The consumer group; its members share the partitions. */
  public String getGroupId() {
    return get(GROUP_ID);
  }

  /** Sets the consumer group. */
  public KafkaConsumerOptions setGroupId(String groupId) {
    return set(GROUP_ID, groupId);
  }

  /** Deliveries under way at the same time: wakeups being looked up, waiting for a slot, or executed. */
  public int getMaxInFlight() {
    return get(MAX_IN_FLIGHT);
  }

  /**
   * Sets the deliveries under way at the same time; at least 1. The worker bounds how many of them are handlers; with
   * twice its slots the next runs are claimed while outcomes are stored. As many records of one partition may rest
   * before another try; then nothing else of that partition begins, while others go on.
   */
  public KafkaConsumerOptions setMaxInFlight(int maxInFlight) {
    return set(MAX_IN_FLIGHT, maxInFlight);
  }

  /** Records fetched ahead of the deliveries. */
  public int getMaxFetched() {
    return get(MAX_FETCHED);
  }

  /**
   * Sets how many records are fetched ahead before all partitions are paused; at least 1. One poll fetches as
   * many, so up to twice the number is held.
   */
  public KafkaConsumerOptions setMaxFetched(int maxFetched) {
    return set(MAX_FETCHED, maxFetched);
  }

  /** Records of a partition that may wait to be committed behind an unsettled one. */
  public int getMaxUncommitted() {
    return get(MAX_UNCOMMITTED);
  }

  /** Sets how far a partition is read past its oldest unsettled record before it is paused; at least 1. */
  public KafkaConsumerOptions setMaxUncommitted(int maxUncommitted) {
    return set(MAX_UNCOMMITTED, maxUncommitted);
  }

  /** How often settled offsets are committed. */
  public Duration getCommitInterval() {
    return get(COMMIT_INTERVAL);
  }

  /** Sets how often settled offsets are committed. */
  public KafkaConsumerOptions setCommitInterval(Duration commitInterval) {
    return set(COMMIT_INTERVAL, commitInterval);
  }

  /** How long one poll waits for records. */
  public Duration getPollTimeout() {
    return get(POLL_TIMEOUT);
  }

  /** Sets how long one poll waits; resuming, committing and stopping wait as long at most. */
  public KafkaConsumerOptions setPollTimeout(Duration pollTimeout) {
    return set(POLL_TIMEOUT, pollTimeout);
  }

  /** After which silence the broker gives the consumer's partitions to others. */
  public Duration getSessionTimeout() {
    return get(SESSION_TIMEOUT);
  }

  /** Sets after which silence a consumer is given up; brokers take 6 s to 30 min unless configured. */
  public KafkaConsumerOptions setSessionTimeout(Duration sessionTimeout) {
    return set(SESSION_TIMEOUT, sessionTimeout);
  }

  /** After which pause between two polls the client leaves the group; handlers do not count. */
  public Duration getMaxPollInterval() {
    return get(MAX_POLL_INTERVAL);
  }

  /** Sets after which pause between two polls the client leaves the group. */
  public KafkaConsumerOptions setMaxPollInterval(Duration maxPollInterval) {
    return set(MAX_POLL_INTERVAL, maxPollInterval);
  }

  /** How long a commit may take. */
  public Duration getCommitTimeout() {
    return get(COMMIT_TIMEOUT);
  }

  /** Sets how long a commit may take, and with it how long a revocation is held up at most. */
  public KafkaConsumerOptions setCommitTimeout(Duration commitTimeout) {
    return set(COMMIT_TIMEOUT, commitTimeout);
  }

  /** Deliveries of one record that may fail before it is dead-lettered. */
  public int getMaxAttempts() {
    return get(MAX_ATTEMPTS);
  }

  /** Sets the deliveries of one record that may fail before it is dead-lettered; at least 1. */
  public KafkaConsumerOptions setMaxAttempts(int maxAttempts) {
    return set(MAX_ATTEMPTS, maxAttempts);
  }

  /** Deliveries that may fail in a way that does not go away by itself, such as an unknown task. */
  public int getMaxFutileAttempts() {
    return get(MAX_FUTILE_ATTEMPTS);
  }

  /** Sets how often such a delivery may fail before the record is dead-lettered; at least 1. */
  public KafkaConsumerOptions setMaxFutileAttempts(int maxFutileAttempts) {
    return set(MAX_FUTILE_ATTEMPTS, maxFutileAttempts);
  }

  /** How long a record rests after a failed delivery, or after its dead letter could not be written. */
  public Backoff getBackoff() {
    return get(BACKOFF);
  }

  /** Sets how long a record rests after a failed delivery. */
  public KafkaConsumerOptions setBackoff(Backoff backoff) {
    return set(BACKOFF, backoff);
  }

  /** How long stopping waits for deliveries under way and the last commit. */
  public Duration getDrainTimeout() {
    return get(DRAIN_TIMEOUT);
  }

  /** Sets how long stopping waits; give it more than the worker's own drain timeout. */
  public KafkaConsumerOptions setDrainTimeout(Duration drainTimeout) {
    return set(DRAIN_TIMEOUT, drainTimeout);
  }

  /** Further properties of the Kafka consumer. */
  public Map<String, String> getProperties() {
    return get(PROPERTIES);
  }

  /** Sets further properties of the Kafka consumer; those the promises rest on are refused. */
  public KafkaConsumerOptions setProperties(Map<String, String> properties) {
    return set(PROPERTIES, properties);
  }
}
