package dev.runlane.transport.kafka;

import dev.runlane.run.RunlaneException;
import io.vertx.core.Future;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * Moves records that cannot be dealt with to the dead-letter topic of their queue: the same key, value and
 * headers, and headers that say why and from where.
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

  /** Completes when the dead letter is on all replicas in sync. */
  Future<Void> write(
      ConsumerRecord<byte[], byte[]> record,
      String reason,
      RunlaneException failure,
      int attempts) {
    ProducerRecord<byte[], byte[]> letter = new ProducerRecord<>(
        Objects.requireNonNull(topics.get(record.topic())),
        null,
        record.key(),
        record.value(),
        record.headers());
    add(letter, REASON, reason);
    add(letter, DETAIL, String.valueOf(failure.getMessage()));
    add(letter, ATTEMPTS, String.valueOf(attempts));
    add(letter, TOPIC, record.topic());
    add(letter, PARTITION, String.valueOf(record.partition()));
    add(letter, OFFSET, String.valueOf(record.offset()));
    return transport.send(letter);
  }

  private static void add(ProducerRecord<byte[], byte[]> letter, String name, String value) {
    letter.headers().remove(name).add(name, value.getBytes(StandardCharsets.UTF_8));
  }
}
