package dev.runlane.operator.process;

import dev.runlane.transport.PartitionLag;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/**
 * How far the consumers of a group are behind in a topic, as the processes told that consume it.
 *
 * @param topic the topic
 * @param group the group
 * @param queue the queue whose wakeups the topic has
 * @param partitions those that a process has told of within a day, by number; a partition that nobody consumed is none
 *     of them
 */
public record TopicLag(String topic, String group, String queue, List<Partition> partitions) {
  /** Refuses null and copies the list. */
  public TopicLag {
    Objects.requireNonNull(topic);
    Objects.requireNonNull(group);
    Objects.requireNonNull(queue);
    partitions = List.copyOf(partitions);
  }

  /** What processes told, by topic and group. Of a partition that several told of, who told last is right. */
  public static List<TopicLag> of(Collection<KnownProcess> processes, Instant now) {
    Map<String, PartitionLag> topics = new TreeMap<>();
    Map<String, Map<Integer, Partition>> partitions = new TreeMap<>();
    for (KnownProcess known : processes) {
      for (PartitionLag lag : known.process().lags()) {
        String topic = lag.topic() + '\0' + lag.group();
        topics.putIfAbsent(topic, lag);
        partitions
            .computeIfAbsent(topic, added -> new TreeMap<>())
            .merge(
                lag.partition(),
                new Partition(
                    lag.partition(),
                    lag.records(),
                    known.process().processId(),
                    known.lastSeen(),
                    known.isGoneAt(now)),
                (one, other) -> one.toldAt().isAfter(other.toldAt()) ? one : other);
      }
    }
    List<TopicLag> found = new ArrayList<>();
    partitions.forEach((topic, told) -> {
      PartitionLag any = Objects.requireNonNull(topics.get(topic));
      found.add(new TopicLag(any.topic(), any.group(), any.queue(), List.copyOf(told.values())));
    });
    return List.copyOf(found);
  }

  /** How many wakeups of the topic are not settled yet. */
  public long records() {
    return partitions.stream().mapToLong(Partition::records).sum();
  }

  /** The partition that is behind most. */
  public long mostRecords() {
    return partitions.stream()
        .max(Comparator.comparingLong(Partition::records))
        .map(Partition::records)
        .orElse(0L);
  }

  /** The partitions whose consumer is gone, and that nobody else has told of since. */
  public List<Partition> left() {
    return partitions.stream().filter(Partition::isLeft).toList();
  }

  /**
   * How far one partition is behind.
   *
   * @param partition its number
   * @param records how many of its wakeups are not settled yet, as its consumer told last
   * @param processId the process that consumes it
   * @param toldAt when that process told so
   * @param isLeft whether that process is gone: nobody may be consuming the partition
   */
  public record Partition(
      int partition, long records, String processId, Instant toldAt, boolean isLeft) {
    /** Refuses null and cuts the instant to microseconds. */
    public Partition {
      Objects.requireNonNull(processId);
      toldAt = toldAt.truncatedTo(ChronoUnit.MICROS);
    }
  }
}
