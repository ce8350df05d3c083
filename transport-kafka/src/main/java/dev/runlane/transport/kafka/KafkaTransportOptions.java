package dev.runlane.transport.kafka;

import dev.runlane.options.OptionChecks;
import dev.runlane.run.RunlaneException;
import dev.runlane.timing.Durations;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** How a {@link KafkaTransport} uses Kafka. Setters throw {@code ConfigurationInvalid}. */
public final class KafkaTransportOptions {
  /** Where Kafka is found = {@value}. */
  public static final String DEFAULT_BOOTSTRAP_SERVERS = "localhost:9092";

  /** How long publishing may take before a wakeup counts as failed = 15 s. */
  public static final Duration DEFAULT_PUBLISH_TIMEOUT = Duration.ofSeconds(15);

  /** How long starting waits for Kafka = 15 s. */
  public static final Duration DEFAULT_START_TIMEOUT = Duration.ofSeconds(15);

  /** How long closing waits for wakeups on their way = 5 s. */
  public static final Duration DEFAULT_CLOSE_TIMEOUT = Duration.ofSeconds(5);

  /** Whether starting fails while Kafka cannot be reached = {@value}. */
  public static final boolean DEFAULT_BROKER_REQUIRED = true;

  /** The shortest publish timeout that leaves Kafka's client time for a request = 300 ms. */
  static final Duration LEAST_PUBLISH_TIMEOUT = Duration.ofMillis(300);

  private static final Set<String> KEYS = Set.of(
      "bootstrapServers",
      "queues",
      "createTopics",
      "consumer",
      "publishTimeout",
      "startTimeout",
      "closeTimeout",
      "brokerRequired",
      "properties",
      "producerProperties");

  private String bootstrapServers = DEFAULT_BOOTSTRAP_SERVERS;
  private List<KafkaQueue> queues = List.of();
  private @Nullable KafkaTopicOptions createTopics;
  private KafkaConsumerOptions consumer = new KafkaConsumerOptions();
  private Duration publishTimeout = DEFAULT_PUBLISH_TIMEOUT;
  private Duration startTimeout = DEFAULT_START_TIMEOUT;
  private Duration closeTimeout = DEFAULT_CLOSE_TIMEOUT;
  private boolean brokerRequired = DEFAULT_BROKER_REQUIRED;
  private Map<String, String> properties = Map.of();
  private Map<String, String> producerProperties = Map.of();

  /** The defaults, without a queue. */
  public KafkaTransportOptions() {}

  /** A copy. */
  public KafkaTransportOptions(KafkaTransportOptions other) {
    bootstrapServers = other.bootstrapServers;
    queues = other.getQueues();
    createTopics = other.createTopics == null ? null : new KafkaTopicOptions(other.createTopics);
    consumer = other.getConsumer();
    publishTimeout = other.publishTimeout;
    startTimeout = other.startTimeout;
    closeTimeout = other.closeTimeout;
    brokerRequired = other.brokerRequired;
    properties = other.properties;
    producerProperties = other.producerProperties;
  }

  /** Options from JSON. Throws {@code ConfigurationInvalid} on an unknown key or a malformed value. */
  public KafkaTransportOptions(JsonObject json) {
    OptionChecks.requireKnown("a Kafka transport", json, KEYS);
    OptionChecks.text(json, "bootstrapServers", this::setBootstrapServers);
    if (json.containsKey("queues")) {
      setQueues(queues(json.getValue("queues")));
    }
    OptionChecks.object(
        json, "createTopics", value -> setCreateTopics(new KafkaTopicOptions(value)));
    OptionChecks.object(json, "consumer", value -> setConsumer(new KafkaConsumerOptions(value)));
    OptionChecks.duration(json, "publishTimeout", this::setPublishTimeout);
    OptionChecks.duration(json, "startTimeout", this::setStartTimeout);
    OptionChecks.duration(json, "closeTimeout", this::setCloseTimeout);
    OptionChecks.flag(json, "brokerRequired", this::setBrokerRequired);
    OptionChecks.texts(json, "properties", this::setProperties);
    OptionChecks.texts(json, "producerProperties", this::setProducerProperties);
  }

  /** The JSON form, which the constructor that takes one turns back into equal options. */
  public JsonObject toJson() {
    JsonObject json = new JsonObject()
        .put("bootstrapServers", bootstrapServers)
        .put("queues", new JsonArray(queues.stream().map(KafkaQueue::toJson).toList()))
        .put("consumer", consumer.toJson())
        .put("publishTimeout", Durations.format(publishTimeout))
        .put("startTimeout", Durations.format(startTimeout))
        .put("closeTimeout", Durations.format(closeTimeout))
        .put("brokerRequired", brokerRequired)
        .put("properties", new JsonObject(new LinkedHashMap<>(properties)))
        .put("producerProperties", new JsonObject(new LinkedHashMap<>(producerProperties)));
    return createTopics == null ? json : json.put("createTopics", createTopics.toJson());
  }

  /** Where Kafka is found: {@code host:port}, several with commas between. */
  public String getBootstrapServers() {
    return bootstrapServers;
  }

  /** Sets where Kafka is found. */
  public KafkaTransportOptions setBootstrapServers(String bootstrapServers) {
    if (bootstrapServers.isBlank()) {
      throw RunlaneException.configurationInvalid("bootstrapServers must not be empty");
    }
    this.bootstrapServers = bootstrapServers;
    return this;
  }

  /** Copies of the bindings, one a queue. */
  public List<KafkaQueue> getQueues() {
    return queues.stream().map(KafkaQueue::new).toList();
  }

  /** Sets the bindings. A queue, and a topic, may occur once; dead-letter topics may be shared. */
  public KafkaTransportOptions setQueues(List<KafkaQueue> queues) {
    Set<String> names = new HashSet<>();
    Set<String> topics = new HashSet<>();
    for (KafkaQueue queue : queues) {
      if (!names.add(queue.getPolicy().queue()) || !topics.add(queue.getTopic())) {
        throw RunlaneException.configurationInvalid(
            "queue %s and topic %s must be bound once",
            queue.getPolicy().queue(), queue.getTopic());
      }
    }
    for (KafkaQueue queue : queues) {
      if (topics.contains(queue.getDeadLetterTopic())) {
        throw RunlaneException.configurationInvalid(
            "topic %s of a queue cannot hold the dead letters of queue %s",
            queue.getDeadLetterTopic(), queue.getPolicy().queue());
      }
    }
    this.queues = queues.stream().map(KafkaQueue::new).toList();
    return this;
  }

  /** Adds a binding to those set already. */
  public KafkaTransportOptions addQueue(KafkaQueue queue) {
    List<KafkaQueue> more = new ArrayList<>(queues);
    more.add(queue);
    return setQueues(more);
  }

  /** How missing topics are made; empty: they are not, and starting fails where one is missing. */
  public Optional<KafkaTopicOptions> getCreateTopics() {
    return Optional.ofNullable(createTopics).map(KafkaTopicOptions::new);
  }

  /** Sets that missing topics are made when the transport starts, and how. */
  public KafkaTransportOptions setCreateTopics(KafkaTopicOptions createTopics) {
    this.createTopics = new KafkaTopicOptions(createTopics);
    return this;
  }

  /** A copy of how consumers take wakeups. */
  public KafkaConsumerOptions getConsumer() {
    return new KafkaConsumerOptions(consumer);
  }

  /** Sets how consumers take wakeups. */
  public KafkaTransportOptions setConsumer(KafkaConsumerOptions consumer) {
    this.consumer = new KafkaConsumerOptions(consumer);
    return this;
  }

  /** How long publishing may take before a wakeup counts as failed. */
  public Duration getPublishTimeout() {
    return publishTimeout;
  }

  /**
   * Sets how long publishing may take; at least 300 ms. A third of it finds the broker, the rest delivers.
   * Keep it below the outbox publisher's own timeout (20 s unless set), and that below the outbox claim.
   */
  public KafkaTransportOptions setPublishTimeout(Duration publishTimeout) {
    if (publishTimeout.compareTo(LEAST_PUBLISH_TIMEOUT) < 0) {
      throw RunlaneException.configurationInvalid(
          "publishTimeout must be at least %s, but is %s", LEAST_PUBLISH_TIMEOUT, publishTimeout);
    }
    this.publishTimeout = ClientProperties.requireMillis("publishTimeout", publishTimeout);
    return this;
  }

  /** How long starting waits for Kafka. */
  public Duration getStartTimeout() {
    return startTimeout;
  }

  /** Sets how long starting waits for Kafka. */
  public KafkaTransportOptions setStartTimeout(Duration startTimeout) {
    this.startTimeout = ClientProperties.requireMillis("startTimeout", startTimeout);
    return this;
  }

  /** How long closing waits for wakeups on their way. */
  public Duration getCloseTimeout() {
    return closeTimeout;
  }

  /** Sets how long closing waits for wakeups on their way; those left then are published again later. */
  public KafkaTransportOptions setCloseTimeout(Duration closeTimeout) {
    this.closeTimeout = ClientProperties.requireMillis("closeTimeout", closeTimeout);
    return this;
  }

  /** Whether starting fails while Kafka cannot be reached. */
  public boolean isBrokerRequired() {
    return brokerRequired;
  }

  /**
   * Sets whether starting fails while Kafka cannot be reached. Without it a process starts during an outage
   * too: nothing is checked or made then, publishing fails, and polling workers do the work meanwhile.
   */
  public KafkaTransportOptions setBrokerRequired(boolean brokerRequired) {
    this.brokerRequired = brokerRequired;
    return this;
  }

  /** Further properties of every client, such as {@code security.protocol}. */
  public Map<String, String> getProperties() {
    return properties;
  }

  /** Sets further properties of every client; those the promises rest on are refused. */
  public KafkaTransportOptions setProperties(Map<String, String> properties) {
    ClientProperties.requireFree(properties, ClientProperties.PRODUCER_FIXED);
    this.properties = ClientProperties.requireFree(properties, ClientProperties.CONSUMER_FIXED);
    return this;
  }

  /** Further properties of the producer, such as {@code linger.ms} or {@code compression.type}. */
  public Map<String, String> getProducerProperties() {
    return producerProperties;
  }

  /** Sets further properties of the producer; those the promises rest on are refused. */
  public KafkaTransportOptions setProducerProperties(Map<String, String> properties) {
    producerProperties = ClientProperties.requireFree(properties, ClientProperties.PRODUCER_FIXED);
    return this;
  }

  private static List<KafkaQueue> queues(@Nullable Object value) {
    if (value instanceof JsonArray array && array.stream().allMatch(JsonObject.class::isInstance)) {
      return array.stream().map(each -> new KafkaQueue((JsonObject) each)).toList();
    }
    throw RunlaneException.configurationInvalid("option queues must be a list of bindings");
  }
}
