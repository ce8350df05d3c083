package dev.runlane.transport.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.testinfra.process.Poll;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.MemberDescription;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.Deserializer;
import org.apache.kafka.common.serialization.StringDeserializer;

/** Looks at a broker, and writes to it, with Kafka's own clients. Blocks. */
final class Topics implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final String servers;
  private final Admin admin;

  Topics(String servers) {
    this.servers = servers;
    admin = Admin.create(Map.of(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, servers));
  }

  Admin admin() {
    return admin;
  }

  void create(String topic, int partitions) {
    answer(
        admin.createTopics(List.of(new NewTopic(topic, partitions, (short) 1))).all());
  }

  void delete(String topic) {
    answer(admin.deleteTopics(List.of(topic)).all());
  }

  /** Whether the broker, and not only its controller, has carried a deletion out. */
  boolean isGone(String topic) {
    return id(topic).isEmpty();
  }

  /** What the broker, and not only its controller, knows a topic by: another one of its name has another. */
  Optional<Uuid> id(String topic) {
    try {
      return Optional.of(admin
          .describeTopics(List.of(topic))
          .allTopicNames()
          .get(30, TimeUnit.SECONDS)
          .get(topic)
          .topicId());
    } catch (ExecutionException failure) {
      assertThat(failure).hasCauseInstanceOf(UnknownTopicOrPartitionException.class);
      return Optional.empty();
    } catch (TimeoutException late) {
      throw new AssertionError(late);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new AssertionError(interrupted);
    }
  }

  /** Sets one property of a topic, and waits until the broker says it. */
  void configure(String topic, String property, String value) {
    ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, topic);
    answer(admin
        .incrementalAlterConfigs(Map.of(
            resource,
            List.of(new AlterConfigOp(new ConfigEntry(property, value), AlterConfigOp.OpType.SET))))
        .all());
    assertThat(Poll.until(
            PATIENCE,
            () -> value.equals(answer(admin.describeConfigs(List.of(resource)).all())
                .get(resource)
                .get(property)
                .value())))
        .as("whether the broker has " + property)
        .isTrue();
  }

  int partitions(String topic) {
    return answer(admin.describeTopics(List.of(topic)).allTopicNames())
        .get(topic)
        .partitions()
        .size();
  }

  /** All records of a topic, those of each partition in order. */
  List<ConsumerRecord<String, byte[]>> records(String topic) {
    return records(topic, new StringDeserializer());
  }

  /** The same, with keys that may be no text. */
  List<ConsumerRecord<byte[], byte[]>> rawRecords(String topic) {
    return records(topic, new ByteArrayDeserializer());
  }

  private <K> List<ConsumerRecord<K, byte[]>> records(String topic, Deserializer<K> keys) {
    try (KafkaConsumer<K, byte[]> reader = new KafkaConsumer<>(
        Map.of(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, servers),
        keys,
        new ByteArrayDeserializer())) {
      List<TopicPartition> all = partitionsOf(topic);
      reader.assign(all);
      reader.seekToBeginning(all);
      Map<TopicPartition, Long> ends = reader.endOffsets(all);
      List<ConsumerRecord<K, byte[]>> records = new ArrayList<>();
      while (all.stream().anyMatch(each -> reader.position(each) < ends.get(each))) {
        reader.poll(Duration.ofMillis(200)).forEach(records::add);
      }
      return records;
    }
  }

  /** Writes values as they are, all to one partition, and waits until the broker has them. */
  void write(String topic, int partition, List<byte[]> values) {
    byte[] key = "key".getBytes(StandardCharsets.UTF_8);
    send(values.stream()
        .map(value -> new ProducerRecord<>(topic, partition, key, value))
        .toList());
  }

  /** Writes a record as it is. */
  void write(ProducerRecord<byte[], byte[]> record) {
    send(List.of(record));
  }

  /**
   * By one request at a time. Of several to a topic that was just made, the first may be refused until its leader
   * knows of it, and a later one was once left unsent until it expired, after two minutes.
   */
  private void send(List<ProducerRecord<byte[], byte[]>> records) {
    try (KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(
        Map.of(
            ProducerConfig.BOOTSTRAP_SERVERS_CONFIG,
            servers,
            ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION,
            1),
        new ByteArraySerializer(),
        new ByteArraySerializer())) {
      List<Future<RecordMetadata>> sent = records.stream().map(producer::send).toList();
      producer.flush();
      assertThat(sent).as("records that the broker took").allSatisfy(each -> assertThat(each)
          .succeedsWithin(Duration.ofSeconds(1)));
    }
  }

  /** Records of the topic that the group has not committed. */
  long lag(String group, String topic) {
    Map<TopicPartition, Long> committed = committed(group);
    Map<TopicPartition, OffsetSpec> ends = partitionsOf(topic).stream()
        .collect(Collectors.toMap(each -> each, each -> OffsetSpec.latest()));
    return answer(admin.listOffsets(ends).all()).entrySet().stream()
        .mapToLong(end -> end.getValue().offset() - committed.getOrDefault(end.getKey(), 0L))
        .sum();
  }

  Map<TopicPartition, Long> committed(String group) {
    Map<TopicPartition, Long> committed = new HashMap<>();
    answer(admin.listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata())
        .forEach((partition, offset) -> {
          if (offset != null) {
            committed.put(partition, offset.offset());
          }
        });
    return committed;
  }

  /** The partitions of each member of a group. */
  Map<String, Set<TopicPartition>> members(String group) {
    Map<String, Set<TopicPartition>> members = new HashMap<>();
    for (MemberDescription member :
        answer(admin.describeConsumerGroups(List.of(group)).all()).get(group).members()) {
      members.put(member.consumerId(), member.assignment().topicPartitions());
    }
    return members;
  }

  private List<TopicPartition> partitionsOf(String topic) {
    List<TopicPartition> all = new ArrayList<>();
    for (int partition = 0; partition < partitions(topic); partition++) {
      all.add(new TopicPartition(topic, partition));
    }
    return all;
  }

  static <T> T answer(KafkaFuture<T> future) {
    try {
      return future.get(30, TimeUnit.SECONDS);
    } catch (ExecutionException | TimeoutException failure) {
      throw new AssertionError(failure);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new AssertionError(interrupted);
    }
  }

  @Override
  public void close() {
    admin.close(Duration.ofSeconds(1));
  }
}
