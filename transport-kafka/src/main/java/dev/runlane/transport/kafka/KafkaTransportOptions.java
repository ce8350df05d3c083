package dev.runlane.transport.kafka;

import static dev.runlane.options.OptionTypes.filled;
import static dev.runlane.options.OptionTypes.flag;
import static dev.runlane.options.OptionTypes.nested;
import static dev.runlane.options.OptionTypes.objects;

import dev.runlane.options.Option;
import dev.runlane.options.OptionSet;
import dev.runlane.options.OptionTypes;
import dev.runlane.options.OptionValues;
import dev.runlane.run.RunlaneException;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** How a {@link KafkaTransport} uses Kafka. Setters throw {@code ConfigurationInvalid}. */
public final class KafkaTransportOptions extends OptionValues<KafkaTransportOptions> {
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

  private static final Set<String> FIXED = Stream.of(
          ClientProperties.PRODUCER_FIXED, ClientProperties.CONSUMER_FIXED)
      .flatMap(Set::stream)
      .collect(Collectors.toUnmodifiableSet());

  private static final OptionSet OPTIONS = OptionSet.of("a Kafka transport");
  private static final Option<String> BOOTSTRAP_SERVERS =
      OPTIONS.add("bootstrapServers", DEFAULT_BOOTSTRAP_SERVERS, filled());
  private static final Option<List<KafkaQueue>> QUEUES = OPTIONS.add(
      "queues",
      List.of(),
      objects("list of bindings", KafkaQueue::new, KafkaQueue::toJson)
          .checked("list of bindings", KafkaTransportOptions::requireDistinct)
          .copied(queues -> queues.stream().map(KafkaQueue::new).toList()));
  private static final Option<KafkaTopicOptions> CREATE_TOPICS = OPTIONS.add(
      "createTopics",
      null,
      OptionTypes.<KafkaTopicOptions>nested(KafkaTopicOptions::new, KafkaTopicOptions::new));
  private static final Option<KafkaConsumerOptions> CONSUMER = OPTIONS.add(
      "consumer",
      new KafkaConsumerOptions(),
      nested(KafkaConsumerOptions::new, KafkaConsumerOptions::new));
  private static final Option<Duration> PUBLISH_TIMEOUT = OPTIONS.add(
      "publishTimeout",
      DEFAULT_PUBLISH_TIMEOUT,
      ClientProperties.duration()
          .checked("duration, at least 300 ms", KafkaTransportOptions::requirePublishTimeout));
  private static final Option<Duration> START_TIMEOUT =
      OPTIONS.add("startTimeout", DEFAULT_START_TIMEOUT, ClientProperties.duration());
  private static final Option<Duration> CLOSE_TIMEOUT =
      OPTIONS.add("closeTimeout", DEFAULT_CLOSE_TIMEOUT, ClientProperties.duration());
  private static final Option<Boolean> BROKER_REQUIRED =
      OPTIONS.add("brokerRequired", DEFAULT_BROKER_REQUIRED, flag());
  private static final Option<Map<String, String>> PROPERTIES =
      OPTIONS.add("properties", Map.of(), ClientProperties.free(FIXED));
  private static final Option<Map<String, String>> PRODUCER_PROPERTIES = OPTIONS.add(
      "producerProperties", Map.of(), ClientProperties.free(ClientProperties.PRODUCER_FIXED));

  /** The defaults, without a queue. */
  public KafkaTransportOptions() {
    super(OPTIONS);
  }

  /** A copy. */
  public KafkaTransportOptions(KafkaTransportOptions other) {
    super(other);
  }

  /** Options from JSON. Throws {@code ConfigurationInvalid} on an unknown key or a malformed value. */
  public KafkaTransportOptions(JsonObject json) {
    super(OPTIONS, json);
  }

  /** Where Kafka is found: {@code host:port}, several with commas between. */
  public String getBootstrapServers() {
    return get(BOOTSTRAP_SERVERS);
  }

  /** Sets where Kafka is found. */
  public KafkaTransportOptions setBootstrapServers(String bootstrapServers) {
    return set(BOOTSTRAP_SERVERS, bootstrapServers);
  }

  /** The bindings, one a queue. Copies. */
  public List<KafkaQueue> getQueues() {
    return get(QUEUES);
  }

  /** Sets the bindings. A queue, and a topic, may occur once; dead-letter topics may be shared. */
  public KafkaTransportOptions setQueues(List<KafkaQueue> queues) {
    return set(QUEUES, queues);
  }

  /** Adds a binding to those set already. */
  public KafkaTransportOptions addQueue(KafkaQueue queue) {
    List<KafkaQueue> more = new ArrayList<>(get(QUEUES));
    more.add(queue);
    return setQueues(more);
  }

  /** How missing topics are made; empty: they are not, and starting fails where one is missing. */
  public Optional<KafkaTopicOptions> getCreateTopics() {
    return find(CREATE_TOPICS);
  }

  /** Sets that missing topics are made when the transport starts, and how. */
  public KafkaTransportOptions setCreateTopics(KafkaTopicOptions createTopics) {
    return set(CREATE_TOPICS, createTopics);
  }

  /** How consumers take wakeups. A copy. */
  public KafkaConsumerOptions getConsumer() {
    return get(CONSUMER);
  }

  /** Sets how consumers take wakeups. */
  public KafkaTransportOptions setConsumer(KafkaConsumerOptions consumer) {
    return set(CONSUMER, consumer);
  }

  /** How long publishing may take before a wakeup counts as failed. */
  public Duration getPublishTimeout() {
    return get(PUBLISH_TIMEOUT);
  }

  /**
   * Sets how long publishing may take; at least 300 ms. A third of it finds the broker, the rest delivers.
   * Keep it below the outbox publisher's own timeout (20 s unless set), and that below the outbox claim.
   */
  public KafkaTransportOptions setPublishTimeout(Duration publishTimeout) {
    return set(PUBLISH_TIMEOUT, publishTimeout);
  }

  /** How long starting waits for Kafka. */
  public Duration getStartTimeout() {
    return get(START_TIMEOUT);
  }

  /** Sets how long starting waits for Kafka. */
  public KafkaTransportOptions setStartTimeout(Duration startTimeout) {
    return set(START_TIMEOUT, startTimeout);
  }

  /** How long closing waits for wakeups on their way. */
  public Duration getCloseTimeout() {
    return get(CLOSE_TIMEOUT);
  }

  /** Sets how long closing waits for wakeups on their way; those left then are published again later. */
  public KafkaTransportOptions setCloseTimeout(Duration closeTimeout) {
    return set(CLOSE_TIMEOUT, closeTimeout);
  }

  /** Whether starting fails while Kafka cannot be reached; else topics are then neither checked nor made. */
  public boolean isBrokerRequired() {
    return get(BROKER_REQUIRED);
  }

  /**
   * Sets whether starting fails while Kafka cannot be reached. Without it a process starts during an outage
   * too: nothing is checked or made then, publishing fails, and polling workers do the work meanwhile.
   */
  public KafkaTransportOptions setBrokerRequired(boolean brokerRequired) {
    return set(BROKER_REQUIRED, brokerRequired);
  }

  /** Further properties of every client, such as {@code security.protocol}: TLS, SASL and tuning. */
  public Map<String, String> getProperties() {
    return get(PROPERTIES);
  }

  /** Sets further properties of every client; those the promises rest on are refused. */
  public KafkaTransportOptions setProperties(Map<String, String> properties) {
    return set(PROPERTIES, properties);
  }

  /** Further properties of the producer, such as {@code linger.ms} or {@code compression.type}. */
  public Map<String, String> getProducerProperties() {
    return get(PRODUCER_PROPERTIES);
  }

  /** Sets further properties of the producer; those the promises rest on are refused. */
  public KafkaTransportOptions setProducerProperties(Map<String, String> properties) {
    return set(PRODUCER_PROPERTIES, properties);
  }

  private static List<KafkaQueue> requireDistinct(String option, List<KafkaQueue> queues) {
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
    return queues;
  }

  private static Duration requirePublishTimeout(String option, Duration timeout) {
    if (timeout.compareTo(LEAST_PUBLISH_TIMEOUT) < 0) {
      throw RunlaneException.configurationInvalid(
          "%s must be at least %s, but is %s", option, LEAST_PUBLISH_TIMEOUT, timeout);
    }
    return timeout;
  }
}
