package dev.runlane.transport.kafka;

import java.util.Objects;
import java.util.OptionalLong;

/**
 * What the consumers of one transport know of a partition that is or was one of theirs.
 *
 * @param queue the queue that is bound to the topic
 * @param topic the topic
 * @param partition the number of the partition
 * @param deadLettered records that they moved to the dead-letter topic
 * @param lag how many records of it are not settled yet, fetched or not, when it was last polled, or
 *     a few seconds before where its consumer fetches none for now; empty while it belongs to the consumer of another
 *     transport, or Kafka has not said
 */
public record KafkaPartitionCounts(
    String queue, String topic, int partition, long deadLettered, OptionalLong lag) {
  /** Refuses null. */
  public KafkaPartitionCounts {
    Objects.requireNonNull(queue);
    Objects.requireNonNull(topic);
    Objects.requireNonNull(lag);
  }
}
