package dev.runlane.transport.kafka;

import dev.runlane.run.RunlaneException;
import io.vertx.core.Future;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;

/**
 * Moves records that cannot be dealt with to the dead-letter topic of their queue: the same key, value and
 * headers, and headers that say why and from where. What Kafka refuses so for good is moved without its content.
 */
final class DeadLetters {
  /** Why: {@value #UNREADABLE}, or the code of the failure. */
  static final String REASON = WakeupRecords.OWN_HEADERS + "dead-letter-reason";

  /** The same for people. */
  static final String DETAIL = WakeupRecords.OWN_HEADERS + "dead-letter-detail";

  /** Deliveries that failed. */
  static final String ATTEMPTS = WakeupRecords.OWN_HEADERS + "dead-letter-attempts";

  /** The topic it was read from. */
  static final String TOPIC = WakeupRecords.OWN_HEADERS + "dead-letter-topic";

  /** The partition it was read from. */
  static final String PARTITION = WakeupRecords.OWN_HEADERS + "dead-letter-partition";

  /** The offset it had there. */
  static final String OFFSET = WakeupRecords.OWN_HEADERS + "dead-letter-offset";

  /** That the record's value and headers are left out, by Kafka's name of the failure with them. */
  static final String LEFT_OUT = WakeupRecords.OWN_HEADERS + "dead-letter-left-out";

  /** The reason of a record that is no wakeup this release can read. */
  static final String UNREADABLE = "unreadable";

  private final KafkaTransport transport;
  private final Map<String, String> topics = new HashMap<>();

  DeadLetters(KafkaTransport transport) {
    this.transport = transport;
    transport
        .options()
        .getQueues()
        .forEach(queue -> topics.put(queue.getTopic(), queue.getDeadLetterTopic()));
  }

  /**
   * Completes when the dead letter is on all replicas in sync.
   *
   * @param leftOut why the record's value and headers are left out; null: they are not
   */
  Future<Void> write(
      ConsumerRecord<byte[], byte[]> record,
      String reason,
      RunlaneException failure,
      int attempts,
      @Nullable String leftOut) {
    String topic = Objects.requireNonNull(topics.get(record.topic()));
    ProducerRecord<byte[], byte[]> letter;
    if (leftOut == null) {
      letter = new ProducerRecord<>(topic, null, record.key(), record.value(), record.headers());
    } else {
      letter = new ProducerRecord<>(topic, keyOrPlace(record), new byte[0]);
      add(letter, LEFT_OUT, leftOut);
    }
    add(letter, REASON, reason);
    add(letter, DETAIL, String.valueOf(failure.getMessage()));
    add(letter, ATTEMPTS, String.valueOf(attempts));
    add(letter, TOPIC, record.topic());
    add(letter, PARTITION, String.valueOf(record.partition()));
    add(letter, OFFSET, String.valueOf(record.offset()));
    return transport.send(letter);
  }

  /** A compacted topic takes no record without a key. */
  private static byte[] keyOrPlace(ConsumerRecord<byte[], byte[]> record) {
    byte[] key = record.key();
    return key == null
        ? (record.topic() + '/' + record.partition() + '/' + record.offset())
            .getBytes(StandardCharsets.UTF_8)
        : key;
  }

  private static void add(ProducerRecord<byte[], byte[]> letter, String name, String value) {
    letter.headers().remove(name).add(name, value.getBytes(StandardCharsets.UTF_8));
  }
}
