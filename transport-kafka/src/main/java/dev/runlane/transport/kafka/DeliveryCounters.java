package dev.runlane.transport.kafka;

import dev.runlane.transport.DeliveryResult;
import dev.runlane.transport.IgnoredReason;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import org.apache.kafka.common.TopicPartition;

/** Counts for all consumers of a transport, each of which lives on an event loop of its own. */
final class DeliveryCounters {
  private static final long UNKNOWN = -1;

  private final LongAdder received = new LongAdder();
  private final LongAdder executed = new LongAdder();
  private final LongAdder failed = new LongAdder();
  private final LongAdder deadLettered = new LongAdder();
  private final LongAdder deadLettersRefused = new LongAdder();
  private final LongAdder deadLettersLost = new LongAdder();
  private final LongAdder revoked = new LongAdder();
  private final Map<IgnoredReason, LongAdder> ignored = new EnumMap<>(IgnoredReason.class);
  private final Map<TopicPartition, OfPartition> partitions = new ConcurrentHashMap<>();

  DeliveryCounters() {
    for (IgnoredReason reason : IgnoredReason.values()) {
      ignored.put(reason, new LongAdder());
    }
  }

  void received(int records) {
    received.add(records);
  }

  void delivered(DeliveryResult result) {
    if (result instanceof DeliveryResult.Ignored passedOver) {
      LongAdder counter = ignored.get(passedOver.reason());
      if (counter != null) {
        counter.increment();
      }
    } else {
      executed.increment();
    }
  }

  void failed() {
    failed.increment();
  }

  void deadLettered(TopicPartition partition) {
    deadLettered.increment();
    of(partition).deadLettered.increment();
  }

  /** How many records of a partition of one of the consumers are not settled. */
  void lag(TopicPartition partition, long records) {
    of(partition).lag = records;
  }

  /** The partition is none of the consumers' any more. */
  void gone(TopicPartition partition) {
    of(partition).lag = UNKNOWN;
  }

  private OfPartition of(TopicPartition partition) {
    OfPartition known = partitions.get(partition);
    return known != null
        ? known
        : partitions.computeIfAbsent(partition, added -> new OfPartition());
  }

  /** Those that were one of the consumers' at any time, by topic and number. */
  List<KafkaPartitionCounts> partitions(Map<String, String> queuesByTopic) {
    return partitions.entrySet().stream()
        .map(each -> each.getValue()
            .read(queuesByTopic.getOrDefault(each.getKey().topic(), ""), each.getKey()))
        .sorted(Comparator.comparing(KafkaPartitionCounts::topic)
            .thenComparing(KafkaPartitionCounts::partition))
        .toList();
  }

  void deadLetterRefused() {
    deadLettersRefused.increment();
  }

  void deadLetterLost() {
    deadLettersLost.increment();
  }

  void revoked(int records) {
    revoked.add(records);
  }

  KafkaDeliveryCounts read() {
    Map<IgnoredReason, Long> reasons = new EnumMap<>(IgnoredReason.class);
    ignored.forEach((reason, counter) -> reasons.put(reason, counter.sum()));
    return new KafkaDeliveryCounts(
        received.sum(),
        executed.sum(),
        reasons,
        failed.sum(),
        deadLettered.sum(),
        deadLettersRefused.sum(),
        revoked.sum(),
        deadLettersLost.sum());
  }

  /** Of one partition. */
  private static final class OfPartition {
    private final LongAdder deadLettered = new LongAdder();
    private volatile long lag = UNKNOWN;

    KafkaPartitionCounts read(String queue, TopicPartition name) {
      long last = lag;
      return new KafkaPartitionCounts(
          queue,
          name.topic(),
          name.partition(),
          deadLettered.sum(),
          last == UNKNOWN ? OptionalLong.empty() : OptionalLong.of(last));
    }
  }
}
