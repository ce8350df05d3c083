package dev.runlane.transport.kafka;

import static dev.runlane.options.OptionTypes.duration;
import static dev.runlane.options.OptionTypes.whole;

import dev.runlane.options.Option;
import dev.runlane.options.OptionSet;
import dev.runlane.options.OptionValues;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.Optional;

/** How missing topics are made. Topics that exist are left as they are. */
public final class KafkaTopicOptions extends OptionValues<KafkaTopicOptions> {
  /** Partitions of a queue's topic = {@value}; at most so many consumers share its work. */
  public static final int DEFAULT_PARTITIONS = 12;

  /** How long Kafka keeps wakeups = 7 days. */
  public static final Duration DEFAULT_RETENTION = Duration.ofDays(7);

  /** How long Kafka keeps dead letters = 30 days. */
  public static final Duration DEFAULT_DEAD_LETTER_RETENTION = Duration.ofDays(30);

  private static final OptionSet OPTIONS = OptionSet.of("the creation of topics");
  private static final Option<Integer> PARTITIONS =
      OPTIONS.add("partitions", DEFAULT_PARTITIONS, whole(1));
  private static final Option<Integer> REPLICATION_FACTOR =
      OPTIONS.add("replicationFactor", null, whole(1));
  private static final Option<Duration> RETENTION =
      OPTIONS.add("retention", DEFAULT_RETENTION, duration());
  private static final Option<Duration> DEAD_LETTER_RETENTION =
      OPTIONS.add("deadLetterRetention", DEFAULT_DEAD_LETTER_RETENTION, duration());

  /** The defaults. */
  public KafkaTopicOptions() {
    super(OPTIONS);
  }

  /** A copy. */
  public KafkaTopicOptions(KafkaTopicOptions other) {
    super(other);
  }

  /** Options from JSON. Throws {@code ConfigurationInvalid} on an unknown key or a malformed value. */
  public KafkaTopicOptions(JsonObject json) {
    super(OPTIONS, json);
  }

  /** Partitions of a queue's topic. A dead-letter topic has one. */
  public int getPartitions() {
    return get(PARTITIONS);
  }

  /** Sets the partitions of a queue's topic; at least 1. */
  public KafkaTopicOptions setPartitions(int partitions) {
    return set(PARTITIONS, partitions);
  }

  /** Copies of each record; empty: the broker's own default. */
  public Optional<Integer> getReplicationFactor() {
    return find(REPLICATION_FACTOR);
  }

  /** Sets the copies of each record; at least 1, and 3 where a broker's disk may be lost. */
  public KafkaTopicOptions setReplicationFactor(int replicationFactor) {
    return set(REPLICATION_FACTOR, replicationFactor);
  }

  /** How long Kafka keeps wakeups. */
  public Duration getRetention() {
    return get(RETENTION);
  }

  /** Sets how long Kafka keeps wakeups; one that is gone costs time, no run. */
  public KafkaTopicOptions setRetention(Duration retention) {
    return set(RETENTION, retention);
  }

  /** How long Kafka keeps dead letters. */
  public Duration getDeadLetterRetention() {
    return get(DEAD_LETTER_RETENTION);
  }

  /** Sets how long Kafka keeps dead letters. */
  public KafkaTopicOptions setDeadLetterRetention(Duration retention) {
    return set(DEAD_LETTER_RETENTION, retention);
  }
}
