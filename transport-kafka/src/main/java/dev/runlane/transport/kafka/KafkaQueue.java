package dev.runlane.transport.kafka;

import dev.runlane.options.OptionChecks;
import dev.runlane.run.QueuePolicy;
import dev.runlane.run.RunlaneException;
import dev.runlane.timing.Durations;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Binds a queue to a topic. The queue's policy must equal the one the runtime has, which is checked when the
 * runtime is built. Setters throw {@code ConfigurationInvalid}.
 */
public final class KafkaQueue {
  /** What records are keyed by = the run's id. */
  public static final KafkaRecordKey DEFAULT_KEY = KafkaRecordKey.RUN_ID;

  /** What the dead-letter topic's name has behind the topic's = {@value}. */
  public static final String DEAD_LETTER_SUFFIX = ".dead-letter";

  /** Most characters of a topic's name. */
  private static final int MOST_CHARACTERS = 249;

  private static final Pattern LEGAL = Pattern.compile("[a-zA-Z0-9._-]+");
  private static final Set<String> KEYS =
      Set.of("queue", "concurrencyLimit", "dispatchTimeout", "topic", "key", "deadLetterTopic");

  private final QueuePolicy policy;
  private final String topic;
  private KafkaRecordKey key = DEFAULT_KEY;
  private @Nullable String deadLetterTopic;

  /** Binds the queue to the topic. Throws {@code ConfigurationInvalid} for a policy that JSON cannot say. */
  public KafkaQueue(QueuePolicy policy, String topic) {
    OptionChecks.requireId("queue", policy.queue());
    if (policy.dispatchTimeout() != null) {
      OptionChecks.requirePositive(
          "dispatchTimeout of queue " + policy.queue(), policy.dispatchTimeout());
    }
    this.policy = policy;
    this.topic = requireTopic("the topic of queue " + policy.queue(), topic);
  }

  /** A copy. */
  public KafkaQueue(KafkaQueue other) {
    policy = other.policy;
    topic = other.topic;
    key = other.key;
    deadLetterTopic = other.deadLetterTopic;
  }

  /** A binding from JSON. Throws {@code ConfigurationInvalid} on an unknown key or a malformed value. */
  public KafkaQueue(JsonObject json) {
    this(policy(json), required(json, "topic"));
    OptionChecks.text(
        json,
        "key",
        value -> setKey(KafkaRecordKey.ofValue(value)
            .orElseThrow(() -> RunlaneException.configurationInvalid(
                "records are keyed by runId or concurrencyKey, not %s", value))));
    OptionChecks.text(json, "deadLetterTopic", this::setDeadLetterTopic);
  }

  /** The JSON form, which the constructor that takes one turns back into an equal binding. */
  public JsonObject toJson() {
    JsonObject json = new JsonObject()
        .put("queue", policy.queue())
        .put("topic", topic)
        .put("key", key.value())
        .put("deadLetterTopic", getDeadLetterTopic());
    if (policy.concurrencyLimit() != null) {
      json.put("concurrencyLimit", policy.concurrencyLimit());
    }
    return policy.dispatchTimeout() == null
        ? json
        : json.put("dispatchTimeout", Durations.format(policy.dispatchTimeout()));
  }

  /** The queue, as the runtime must have it. */
  public QueuePolicy getPolicy() {
    return policy;
  }

  /** Where the queue's wakeups go. */
  public String getTopic() {
    return topic;
  }

  /** What records are keyed by. */
  public KafkaRecordKey getKey() {
    return key;
  }

  /** Sets what records are keyed by. */
  public KafkaQueue setKey(KafkaRecordKey key) {
    this.key = key;
    return this;
  }

  /** Where records go that could not be dealt with. */
  public String getDeadLetterTopic() {
    return deadLetterTopic != null ? deadLetterTopic : topic + DEAD_LETTER_SUFFIX;
  }

  /** Sets where records go that could not be dealt with; several queues may share one. */
  public KafkaQueue setDeadLetterTopic(String topic) {
    deadLetterTopic = requireTopic("the dead-letter topic of queue " + policy.queue(), topic);
    return this;
  }

  /** See <a href="https://kafka.apache.org/documentation/#topicconfigs">Kafka's documentation</a>. */
  private static String requireTopic(String what, String topic) {
    if (topic.length() > MOST_CHARACTERS
        || !LEGAL.matcher(topic).matches()
        || topic.equals(".")
        || topic.equals("..")) {
      throw RunlaneException.configurationInvalid(
          "%s must be 1 to %d ASCII letters, digits, '.', '_' or '-', and not '.' or '..', but is '%s'",
          what, MOST_CHARACTERS, topic);
    }
    return topic;
  }

  private static QueuePolicy policy(JsonObject json) {
    OptionChecks.requireKnown("a Kafka queue", json, KEYS);
    Integer[] limit = new Integer[1];
    Duration[] timeout = new Duration[1];
    OptionChecks.integer(
        json,
        "concurrencyLimit",
        value -> limit[0] = OptionChecks.requireAtLeast(1, "concurrencyLimit", value));
    OptionChecks.duration(
        json,
        "dispatchTimeout",
        value -> timeout[0] = OptionChecks.requirePositive("dispatchTimeout", value));
    if (limit[0] == null && timeout[0] != null) {
      throw RunlaneException.configurationInvalid("dispatchTimeout needs a concurrencyLimit");
    }
    return new QueuePolicy(required(json, "queue"), limit[0], timeout[0]);
  }

  private static String required(JsonObject json, String key) {
    if (json.getValue(key) instanceof String text) {
      return text;
    }
    throw RunlaneException.configurationInvalid("a Kafka queue needs the option %s, a text", key);
  }
}
