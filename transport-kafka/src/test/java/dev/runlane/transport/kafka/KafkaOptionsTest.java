package dev.runlane.transport.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.runlane.run.ErrorCode;
import dev.runlane.run.QueuePolicy;
import dev.runlane.run.RunlaneException;
import dev.runlane.timing.Backoff;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
class KafkaOptionsTest {
  private static final QueuePolicy PAYMENTS =
      new QueuePolicy("payments", 10, Duration.ofSeconds(5));

  private static KafkaQueue queue(String name, String topic) {
    return new KafkaQueue(QueuePolicy.unbounded(name), topic);
  }

  @Test
  void options_survive_their_json_form() {
    KafkaTransportOptions options = new KafkaTransportOptions()
        .setBootstrapServers("a:1,b:2")
        .addQueue(new KafkaQueue(PAYMENTS, "orders.payments")
            .setKey(KafkaRecordKey.CONCURRENCY_KEY)
            .setDeadLetterTopic("orders.dead"))
        .addQueue(queue("mail", "orders.mail"))
        .setCreateTopics(new KafkaTopicOptions()
            .setPartitions(3)
            .setReplicationFactor(2)
            .setRetention(Duration.ofHours(5))
            .setDeadLetterRetention(Duration.ofDays(9)))
        .setConsumer(new KafkaConsumerOptions()
            .setGroupId("orders")
            .setMaxInFlight(3)
            .setMaxFetched(5)
            .setMaxUncommitted(7)
            .setCommitInterval(Duration.ofSeconds(2))
            .setPollTimeout(Duration.ofMillis(30))
            .setSessionTimeout(Duration.ofSeconds(6))
            .setMaxPollInterval(Duration.ofSeconds(60))
            .setCommitTimeout(Duration.ofSeconds(3))
            .setMaxAttempts(4)
            .setMaxFutileAttempts(2)
            .setBackoff(new Backoff(Duration.ofMillis(10), Duration.ofSeconds(1), 0.1))
            .setDrainTimeout(Duration.ofSeconds(8))
            .setProperties(Map.of("client.id", "orders")))
        .setPublishTimeout(Duration.ofSeconds(6))
        .setStartTimeout(Duration.ofSeconds(7))
        .setCloseTimeout(Duration.ofSeconds(3))
        .setBrokerRequired(false)
        .setProperties(Map.of("security.protocol", "SSL"))
        .setProducerProperties(Map.of("linger.ms", "5"));

    JsonObject json = options.toJson();

    assertThat(new KafkaTransportOptions(json).toJson()).isEqualTo(json);
    assertThat(new KafkaTransportOptions(options).toJson()).isEqualTo(json);
    assertThat(new KafkaTransportOptions(json).getQueues().get(0).getPolicy()).isEqualTo(PAYMENTS);
    assertThat(json.getJsonObject("consumer").size())
        .as("an option without a value here is one that this test forgot")
        .isEqualTo(new KafkaConsumerOptions().toJson().size());
  }

  @Test
  void topics_are_named_as_kafka_takes_them() {
    queue("mail", "a".repeat(249));
    for (String illegal : List.of("", ".", "..", "a b", "a/b", "\u00e4", "a".repeat(250), "a:b")) {
      assertInvalid(() -> queue("mail", illegal));
      assertInvalid(() -> queue("mail", "mail").setDeadLetterTopic(illegal));
    }
  }

  @Test
  void a_queue_and_a_topic_are_bound_once_and_hold_no_dead_letters_of_others() {
    assertInvalid(() -> options(queue("mail", "a"), queue("mail", "b")));
    assertInvalid(() -> options(queue("mail", "a"), queue("more", "a")));
    assertInvalid(() -> options(queue("mail", "a"), queue("more", "b").setDeadLetterTopic("a")));
    options(
        queue("mail", "a").setDeadLetterTopic("dead"),
        queue("more", "b").setDeadLetterTopic("dead"));
  }

  @Test
  void properties_that_the_promises_rest_on_are_refused() {
    for (String fixed : List.of("acks", "enable.idempotence", "delivery.timeout.ms")) {
      assertInvalid(() -> new KafkaTransportOptions().setProducerProperties(Map.of(fixed, "1")));
      assertInvalid(() -> new KafkaTransportOptions().setProperties(Map.of(fixed, "1")));
    }
    for (String fixed : List.of("enable.auto.commit", "group.id", "max.poll.records")) {
      assertInvalid(() -> new KafkaConsumerOptions().setProperties(Map.of(fixed, "1")));
      assertInvalid(() -> new KafkaTransportOptions().setProperties(Map.of(fixed, "1")));
    }
  }

  @Test
  void publishing_gives_up_in_time_whatever_the_parts_of_it_take() {
    Map<String, Object> properties = ClientProperties.producer(
        new KafkaTransportOptions().setPublishTimeout(Duration.ofSeconds(9)));

    int finding = (int) properties.get(ProducerConfig.MAX_BLOCK_MS_CONFIG);
    int delivering = (int) properties.get(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG);
    assertThat(finding + delivering).isLessThanOrEqualTo(9_000);
    assertThat(KafkaTransportOptions.DEFAULT_PUBLISH_TIMEOUT)
        .as("the outbox publisher's own timeout, which is below the claim")
        .isLessThan(Duration.ofSeconds(20));
  }

  @Test
  void a_wakeup_waits_for_no_others_unless_the_application_says_so() {
    KafkaTransportOptions options = new KafkaTransportOptions();

    assertThat(ClientProperties.producer(options)).containsEntry("linger.ms", 0);
    options.setProducerProperties(Map.of("linger.ms", "5"));
    assertThat(ClientProperties.producer(options)).containsEntry("linger.ms", "5");
  }

  @Test
  void unknown_keys_and_malformed_values_are_refused() {
    JsonObject binding = new JsonObject().put("queue", "mail").put("topic", "mail");
    for (JsonObject malformed : List.of(
        new JsonObject().put("servers", "a:1"),
        new JsonObject().put("bootstrapServers", ""),
        new JsonObject().put("queues", "mail"),
        new JsonObject().put("queues", List.of("mail")),
        new JsonObject().put("queues", List.of(binding.copy().put("key", "payload"))),
        new JsonObject().put("queues", List.of(binding.copy().put("dispatchTimeout", "5s"))),
        new JsonObject().put("queues", List.of(new JsonObject().put("queue", "mail"))),
        new JsonObject().put("createTopics", new JsonObject().put("partitions", 0)),
        new JsonObject().put("createTopics", new JsonObject().put("partition", 1)),
        new JsonObject().put("consumer", new JsonObject().put("group", "a")),
        new JsonObject().put("consumer", new JsonObject().put("maxInFlight", 0)),
        new JsonObject().put("publishTimeout", "200ms"),
        new JsonObject().put("brokerRequired", "no"),
        new JsonObject().put("properties", new JsonObject().put("a", 1)))) {
      assertInvalid(() -> new KafkaTransportOptions(malformed));
    }
  }

  @Test
  void a_policy_that_JSON_cannot_say_is_refused() {
    assertInvalid(
        () -> new KafkaQueue(new QueuePolicy("mail", 1, Duration.ofNanos(1_500_000)), "mail"));
    assertInvalid(() -> new KafkaTransportOptions().setCloseTimeout(Duration.ofNanos(1_500_000)));
  }

  @Test
  void a_transport_needs_a_queue() {
    assertInvalid(() -> KafkaTransport.create(null, new KafkaTransportOptions()));
  }

  private static KafkaTransportOptions options(KafkaQueue... queues) {
    return new KafkaTransportOptions().setQueues(List.of(queues));
  }

  private static void assertInvalid(ThrowingCallable building) {
    assertThatThrownBy(building)
        .isInstanceOfSatisfying(RunlaneException.class, refused -> assertThat(refused.code())
            .isEqualTo(ErrorCode.CONFIGURATION_INVALID));
  }
}
