package dev.runlane.transport;

import java.util.Objects;

/**
 * How far the consumers of a group are behind in one partition of a topic.
 *
 * @param topic the topic
 * @param group who shares the topic's wakeups out among its members
 * @param partition the number of the partition
 * @param queue the queue whose wakeups the topic has
 * @param records how many of them are not settled yet, taken or not
 */
public record PartitionLag(String topic, String group, int partition, String queue, long records) {
  /** Refuses null. */
  public PartitionLag {
    Objects.requireNonNull(topic);
    Objects.requireNonNull(group);
    Objects.requireNonNull(queue);
  }
}
