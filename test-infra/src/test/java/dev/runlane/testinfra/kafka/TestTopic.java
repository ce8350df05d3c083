package dev.runlane.testinfra.kafka;

import dev.runlane.testinfra.Bounds;
import dev.runlane.testinfra.process.Poll;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/** A topic of one test, used by the client that Vert.x applications have. */
record TestTopic(String bootstrapServers, String name) {
  private static final Duration POLL = Duration.ofMillis(200);

  static TestTopic create(KafkaServer server) throws Exception {
    TestTopic topic = new TestTopic(server.bootstrapServers(), "test-" + UUID.randomUUID());
    try (Admin admin = Admin.create(topic.client())) {
      admin
          .createTopics(List.of(new NewTopic(topic.name(), 1, (short) 1)))
          .all()
          .get(Bounds.OF_A_WAIT.toSeconds(), TimeUnit.SECONDS);
    }
    return topic;
  }

  private Map<String, Object> client() {
    return Map.of("bootstrap.servers", bootstrapServers);
  }

  /** Returns once the record is acknowledged. */
  void send(String value) throws Exception {
    try (KafkaProducer<String, String> producer =
        new KafkaProducer<>(client(), new StringSerializer(), new StringSerializer())) {
      producer
          .send(new ProducerRecord<>(name, value))
          .get(Bounds.OF_A_WAIT.toSeconds(), TimeUnit.SECONDS);
    }
  }

  /** The first records of the topic, as a group that is new gets them. */
  List<String> read(int count) {
    Map<String, Object> member = Map.of(
        "bootstrap.servers",
        bootstrapServers,
        "group.id",
        "group-" + UUID.randomUUID(),
        "auto.offset.reset",
        "earliest");
    List<String> values = new ArrayList<>();
    try (KafkaConsumer<String, String> consumer =
        new KafkaConsumer<>(member, new StringDeserializer(), new StringDeserializer())) {
      consumer.subscribe(List.of(name));
      Poll.until(Bounds.OF_A_WAIT, () -> {
        consumer.poll(POLL).forEach(record -> values.add(record.value()));
        return values.size() >= count;
      });
      consumer.commitSync();
    }
    return values;
  }
}
