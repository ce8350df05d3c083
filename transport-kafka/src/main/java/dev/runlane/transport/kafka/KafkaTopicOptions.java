package dev.runlane.transport.kafka;

import dev.runlane.options.OptionChecks;
import dev.runlane.timing.Durations;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** How missing topics are made. Topics that exist are left as they are. */
public final class KafkaTopicOptions {
  /** Partitions of a queue's topic = {@value}; at most so many consumers share its work. */
  public static final int DEFAULT_PARTITIONS = 12;

  /** How long Kafka keeps wakeups = 7 days. */
  public static final Duration DEFAULT_RETENTION = Duration.ofDays(7);

  /** How long Kafka keeps dead letters = 30 days. */
  public static final Duration DEFAULT_DEAD_LETTER_RETENTION = Duration.ofDays(30);

  private static final Set<String> KEYS =
      Set.of("partitions", "replicationFactor", "retention", "deadLetterRetention");

  private int partitions = DEFAULT_PARTITIONS;
  private @Nullable Integer replicationFactor;
  private Duration retention = DEFAULT_RETENTION;
  private Duration deadLetterRetention = DEFAULT_DEAD_LETTER_RETENTION;

  /** The defaults. */
  public KafkaTopicOptions() {}

  /** A copy. */
  public KafkaTopicOptions(KafkaTopicOptions other) {
    partitions = other.partitions;
    replicationFactor = other.replicationFactor;
    retention = other.retention;
    deadLetterRetention = other.deadLetterRetention;
  }

  /** Options from JSON. Throws {@code ConfigurationInvalid} on an unknown key or a malformed value. */
  public KafkaTopicOptions(JsonObject json) {
    OptionChecks.requireKnown("the creation of topics", json, KEYS);
    OptionChecks.integer(json, "partitions", this::setPartitions);
    OptionChecks.integer(json, "replicationFactor", this::setReplicationFactor);
    OptionChecks.duration(json, "retention", this::setRetention);
    OptionChecks.duration(json, "deadLetterRetention", this::setDeadLetterRetention);
  }

  /** The JSON form, which the constructor that takes one turns back into equal options. */
  public JsonObject toJson() {
    JsonObject json = new JsonObject()
        .put("partitions", partitions)
        .put("retention", Durations.format(retention))
        .put("deadLetterRetention", Durations.format(deadLetterRetention));
    return replicationFactor == null ? json : json.put("replicationFactor", replicationFactor);
  }

  /** Partitions of a queue's topic. A dead-letter topic has one. */
  public int getPartitions() {
    return partitions;
  }

  /** Sets the partitions of a queue's topic; at least 1. */
  public KafkaTopicOptions setPartitions(int partitions) {
    this.partitions = OptionChecks.requireAtLeast(1, "partitions", partitions);
    return this;
  }

  /** Copies of each record; empty: the broker's own default. */
  public Optional<Integer> getReplicationFactor() {
    return Optional.ofNullable(replicationFactor);
  }

  /** Sets the copies of each record; at least 1, and 3 where a broker's disk may be lost. */
  public KafkaTopicOptions setReplicationFactor(int replicationFactor) {
    this.replicationFactor = OptionChecks.requireAtLeast(1, "replicationFactor", replicationFactor);
    return this;
  }

  /** How long Kafka keeps wakeups. */
  public Duration getRetention() {
    return retention;
  }

  /** Sets how long Kafka keeps wakeups; one that is gone costs time, no run. */
  public KafkaTopicOptions setRetention(Duration retention) {
    this.retention = OptionChecks.requirePositive("retention", retention);
    return this;
  }

  /** How long Kafka keeps dead letters. */
  public Duration getDeadLetterRetention() {
    return deadLetterRetention;
  }

  /** Sets how long Kafka keeps dead letters. */
  public KafkaTopicOptions setDeadLetterRetention(Duration retention) {
    deadLetterRetention = OptionChecks.requirePositive("deadLetterRetention", retention);
    return this;
  }
}
