package dev.runlane.drills.kafka;

import dev.runlane.drills.fleet.DrillTopics;
import io.vertx.core.json.JsonObject;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.jspecify.annotations.Nullable;

/**
 * Reads all wakeups beside the group and writes them again: several times, in another order, to other
 * partitions, much later, with names changed, or broken. What it wrote carries a header, so that it is not
 * read and multiplied again. Blocks.
 */
final class StrayWakeups implements AutoCloseable {
  private static final String COPY = "runlane-drill-copy";
  private static final Duration LOOK = Duration.ofMillis(50);

  private final Random random;
  private final KafkaConsumer<String, byte[]> reader;
  private final KafkaProducer<String, byte[]> producer;
  private final List<ConsumerRecord<String, byte[]>> held = new ArrayList<>();
  private final List<Future<RecordMetadata>> sent = new ArrayList<>();

  StrayWakeups(String servers, Random random) {
    this.random = random;
    reader = new KafkaConsumer<>(
        Map.of(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, servers),
        new StringDeserializer(),
        new ByteArrayDeserializer());
    producer = new KafkaProducer<>(
        Map.of(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, servers),
        new StringSerializer(),
        new ByteArraySerializer());
    List<TopicPartition> all = DrillTopics.wakeups().stream()
        .flatMap(topic -> reader.partitionsFor(topic).stream())
        .map(each -> new TopicPartition(each.topic(), each.partition()))
        .toList();
    reader.assign(all);
    reader.seekToBeginning(all);
  }

  /**
   * Repeats what was published since the last time, up to three times and shuffled, some with another queue's
   * name or in another queue's topic; keeps every wakeup for later too. Answers how many were written.
   */
  int repeatNews() {
    List<ConsumerRecord<String, byte[]>> copies = new ArrayList<>();
    for (ConsumerRecord<String, byte[]> record : reader.poll(LOOK)) {
      if (record.headers().lastHeader(COPY) == null) {
        held.add(record);
        copies.addAll(Collections.nCopies(random.nextInt(4), record));
      }
    }
    Collections.shuffle(copies, random);
    for (ConsumerRecord<String, byte[]> copy : copies) {
      switch (random.nextInt(10)) {
        case 0 -> writeElsewhere(copy);
        case 1 -> writeChanged(copy, "queue", otherTopic(copy));
        default -> write(copy.topic(), copy.key(), copy.value());
      }
    }
    return copies.size();
  }

  /** Writes every wakeup once more, in another order; answers how many. */
  int repeatAll() {
    Collections.shuffle(held, random);
    held.forEach(record -> write(record.topic(), record.key(), record.value()));
    return held.size();
  }

  /** Writes some wakeups again with one field changed. */
  void writeChanged(String field, String value, int count) {
    for (int index = 0; index < count; index++) {
      writeChanged(anyOfThem(), field, value);
    }
  }

  /** Writes some wakeups to the topic of another queue. */
  void writeElsewhere(int count) {
    for (int index = 0; index < count; index++) {
      writeElsewhere(anyOfThem());
    }
  }

  private void writeChanged(ConsumerRecord<String, byte[]> record, String field, String value) {
    JsonObject body = new JsonObject(new String(record.value(), StandardCharsets.UTF_8));
    write(record.topic(), record.key(), bytes(body.put(field, value).encode()));
  }

  private void writeElsewhere(ConsumerRecord<String, byte[]> record) {
    write(otherTopic(record), record.key(), record.value());
  }

  private ConsumerRecord<String, byte[]> anyOfThem() {
    return held.get(random.nextInt(held.size()));
  }

  /** Topics are named like their queues. */
  private static String otherTopic(ConsumerRecord<String, byte[]> record) {
    List<String> topics = DrillTopics.wakeups();
    return topics.get((topics.indexOf(record.topic()) + 1) % topics.size());
  }

  /** Writes records that are no wakeups; answers how many. */
  int writeUnreadable() {
    JsonObject whole = new JsonObject(new String(held.get(0).value(), StandardCharsets.UTF_8));
    List<byte[]> values = new ArrayList<>(List.of(
        new byte[0],
        new byte[] {(byte) 0xC3, 0x28},
        bytes("no JSON"),
        bytes("[]"),
        bytes("{}"),
        bytes(whole.copy().put("v", 99).encode()),
        bytes(whole.copy().put("v", "1").encode()),
        bytes(whole.copy().put("runId", "").encode()),
        bytes(whole.copy().put("runId", 7).encode()),
        bytes(whole.copy().put("queue", "q".repeat(1_000)).encode()),
        bytes(whole.copy().put("requestedAt", "soon").encode())));
    for (String field : List.of("v", "environment", "runId", "queue", "requestedAt")) {
      JsonObject part = whole.copy();
      part.remove(field);
      values.add(bytes(part.encode()));
    }
    for (String topic : DrillTopics.wakeups()) {
      values.forEach(value -> write(topic, "stray", value));
      sent.add(producer.send(copy(topic, null, null))); // a tombstone
    }
    return (values.size() + 1) * DrillTopics.wakeups().size();
  }

  /** Completes once the broker has everything that was written. */
  void flush() {
    producer.flush();
    try {
      for (Future<RecordMetadata> each : sent) {
        each.get();
      }
    } catch (ExecutionException refused) {
      throw new AssertionError("the broker did not take a stray record", refused);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted while stray records are written", interrupted);
    }
    sent.clear();
  }

  private void write(String topic, String key, byte[] value) {
    sent.add(producer.send(copy(topic, key, value)));
  }

  private ProducerRecord<String, byte[]> copy(
      String topic, @Nullable String key, byte @Nullable [] value) {
    ProducerRecord<String, byte[]> record =
        new ProducerRecord<>(topic, random.nextInt(DrillTopics.PARTITIONS), key, value);
    record.headers().add(COPY, new byte[0]);
    return record;
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  @Override
  public void close() {
    producer.close(Duration.ofSeconds(5));
    reader.close(Duration.ofSeconds(5));
  }
}
