package dev.runlane.transport.kafka;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentMap;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A Kafka consumer that commits what is settled of a partition while it is being taken away. The Vert.x
 * client tells its handlers of a revocation when that may be over already, and a commit would then hit what
 * another consumer owns; Kafka's own listener, which is called before, is reached by this class alone.
 */
final class SettlingConsumer extends KafkaConsumer<String, byte[]> {
  private static final Logger LOG = LoggerFactory.getLogger(SettlingConsumer.class);

  private final ConcurrentMap<TopicPartition, Long> settled;
  private final Duration commitTimeout;

  /**
   * @param settled the offsets to commit, kept by the event loop and read by the polling thread
   * @param commitTimeout how long a revocation waits for its commit, and closing for the group
   */
  SettlingConsumer(
      Map<String, Object> properties,
      ConcurrentMap<TopicPartition, Long> settled,
      Duration commitTimeout) {
    super(properties, new StringDeserializer(), new ByteArrayDeserializer());
    this.settled = settled;
    this.commitTimeout = commitTimeout;
  }

  @Override
  public void subscribe(Collection<String> topics, ConsumerRebalanceListener listener) {
    super.subscribe(topics, new ConsumerRebalanceListener() {
      @Override
      public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
        commitSettled(partitions);
        listener.onPartitionsRevoked(partitions);
      }

      @Override
      public void onPartitionsLost(Collection<TopicPartition> partitions) {
        listener.onPartitionsLost(partitions); // somebody else may own them: no commit
      }

      @Override
      public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
        listener.onPartitionsAssigned(partitions);
      }
    });
  }

  @Override
  public void close() {
    close(commitTimeout);
  }

  /** Called by the polling thread, which the group waits for. */
  private void commitSettled(Collection<TopicPartition> partitions) {
    Map<TopicPartition, OffsetAndMetadata> offsets = new HashMap<>();
    for (TopicPartition partition : partitions) {
      Long offset = settled.get(partition);
      if (offset != null) {
        offsets.put(partition, new OffsetAndMetadata(offset));
      }
    }
    if (offsets.isEmpty()) {
      return;
    }
    try {
      commitSync(offsets, commitTimeout);
    } catch (KafkaException failure) {
      LOG.warn(
          "what was settled of {} partitions was not committed before they went; it comes again",
          offsets.size(),
          failure);
    }
  }
}
