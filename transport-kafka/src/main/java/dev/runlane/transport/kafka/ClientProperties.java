package dev.runlane.transport.kafka;

import dev.runlane.options.OptionChecks;
import dev.runlane.options.OptionType;
import dev.runlane.options.OptionTypes;
import dev.runlane.run.RunlaneException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.clients.producer.ProducerConfig;

/** Options as the properties of Kafka's clients. */
final class ClientProperties {
  /** What an application must not set for a producer, since the promises of a publish rest on it. */
  static final Set<String> PRODUCER_FIXED = Set.of(
      CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG,
      ProducerConfig.ACKS_CONFIG,
      ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG,
      ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION,
      ProducerConfig.MAX_BLOCK_MS_CONFIG,
      ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG,
      ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG,
      ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG,
      ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG,
      ProducerConfig.TRANSACTIONAL_ID_CONFIG);

  /** The same for a consumer: what settling and bounds rest on. */
  static final Set<String> CONSUMER_FIXED = Set.of(
      CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG,
      ConsumerConfig.GROUP_ID_CONFIG,
      ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG,
      ConsumerConfig.MAX_POLL_RECORDS_CONFIG,
      ConsumerConfig.MAX_POLL_INTERVAL_MS_CONFIG,
      ConsumerConfig.SESSION_TIMEOUT_MS_CONFIG,
      ConsumerConfig.HEARTBEAT_INTERVAL_MS_CONFIG,
      ConsumerConfig.DEFAULT_API_TIMEOUT_MS_CONFIG,
      ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG,
      ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG,
      ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG);

  private static final Duration LONGEST = Duration.ofMillis(Integer.MAX_VALUE);
  private static final int LONGEST_RECONNECT_PAUSE_MILLIS = 1_000;

  private ClientProperties() {}

  /** Properties by name, without those that are {@code fixed}; they may hold passwords. */
  static OptionType<Map<String, String>> free(Set<String> fixed) {
    return OptionTypes.textMap()
        .checked("properties of Kafka's clients", (option, properties) -> {
          properties.keySet().stream().filter(fixed::contains).findFirst().ifPresent(name -> {
            throw RunlaneException.configurationInvalid(
                "the Kafka property %s is Runlane's own; where it may be chosen there is an option for it",
                name);
          });
          return properties;
        })
        .masked();
  }

  /** Durations that Kafka's clients take. */
  static OptionType<Duration> duration() {
    return OptionTypes.durations(
        "duration, 1 ms to 24 days",
        (name, value) -> OptionChecks.requirePositive(name, value, LONGEST));
  }

  /**
   * Every acknowledged record is on all replicas in sync and was written once. One request in flight: with
   * more, a broker of 4.x may stall the first batches of a new topic until the delivery times out
   * (<a href="https://issues.apache.org/jira/browse/KAFKA-15591">KAFKA-15591</a>).
   */
  static Map<String, Object> producer(KafkaTransportOptions options) {
    int third = (int) (options.getPublishTimeout().toMillis() / 3);
    Map<String, Object> properties = common(options);
    properties.putAll(options.getProducerProperties());
    properties.putIfAbsent(ProducerConfig.LINGER_MS_CONFIG, 0); // clients from 4.0 on wait for 5 ms
    properties.put(ProducerConfig.ACKS_CONFIG, "all");
    properties.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, true);
    properties.put(ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION, 1);
    properties.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, third);
    properties.put(ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, third);
    properties.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, 2 * third);
    return properties;
  }

  static Map<String, Object> admin(KafkaTransportOptions options) {
    Map<String, Object> properties = common(options);
    properties.put(CommonClientConfigs.DEFAULT_API_TIMEOUT_MS_CONFIG, (int)
        options.getStartTimeout().toMillis());
    properties.put(CommonClientConfigs.REQUEST_TIMEOUT_MS_CONFIG, (int)
        options.getStartTimeout().toMillis());
    return properties;
  }

  static Map<String, Object> consumer(
      KafkaTransportOptions transport, KafkaConsumerOptions options) {
    int session = (int) options.getSessionTimeout().toMillis();
    Map<String, Object> properties = common(transport);
    // Consumers that stay keep their partitions when others come and go.
    properties.put(
        ConsumerConfig.PARTITION_ASSIGNMENT_STRATEGY_CONFIG,
        CooperativeStickyAssignor.class.getName());
    // A group that is new must not pass over wakeups that were published before it.
    properties.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
    properties.putAll(options.getProperties());
    properties.put(ConsumerConfig.GROUP_ID_CONFIG, options.getGroupId());
    properties.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
    properties.put(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, false);
    properties.put(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, options.getMaxFetched());
    properties.put(ConsumerConfig.MAX_POLL_INTERVAL_MS_CONFIG, (int)
        options.getMaxPollInterval().toMillis());
    properties.put(ConsumerConfig.SESSION_TIMEOUT_MS_CONFIG, session);
    properties.put(ConsumerConfig.HEARTBEAT_INTERVAL_MS_CONFIG, Math.max(1, session / 4));
    properties.put(ConsumerConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, (int)
        options.getCommitTimeout().toMillis());
    return properties;
  }

  private static Map<String, Object> common(KafkaTransportOptions options) {
    Map<String, Object> properties = new HashMap<>();
    properties.put(
        CommonClientConfigs.RECONNECT_BACKOFF_MAX_MS_CONFIG, LONGEST_RECONNECT_PAUSE_MILLIS);
    properties.putAll(options.getProperties());
    properties.put(CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG, options.getBootstrapServers());
    return properties;
  }
}
