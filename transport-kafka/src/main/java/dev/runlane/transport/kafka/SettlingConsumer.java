package dev.runlane.transport.kafka;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A Kafka consumer that commits what is settled of a partition while it is being taken away. The Vert.x
 * client tells its handlers of a revocation when that may be over already, and a commit would then hit what
 * another consumer owns; Kafka's own listener, which is called before, is reached by this class alone.
 */
final class SettlingConsumer extends KafkaConsumer<byte[], byte[]> {
  private static final Logger LOG = LoggerFactory.getLogger(SettlingConsumer.class);

  /** How long closing waits for its commit, and again for the group: nothing is lost if it cannot. */
  private static final Duration LONGEST_LEAVE = Duration.ofSeconds(2);

  /** How often the ends of paused partitions are asked for. */
  private static final Duration PAUSED_ASKED_EVERY = Duration.ofSeconds(5);

  /** How often it is said how much is left. */
  private static final Duration LEFT_SAID_EVERY = Duration.ofMillis(500);

  private final ConcurrentMap<TopicPartition, Long> settled;
  private final ConcurrentMap<TopicPartition, Long> unread;
  private final Duration commitTimeout;
  private final Duration leaveTimeout;
  private volatile boolean leaving;
  private long pausedAskedNanos = System.nanoTime(); // touched by the polling thread
  private long leftSaidNanos = pausedAskedNanos - LEFT_SAID_EVERY.toNanos(); // as well

  /**
   * @param settled the offsets to commit, kept by the event loop and read by the polling thread
   * @param unread where it says how many records of each of its partitions it has not fetched
   * @param commitTimeout how long a revocation waits for its commit; closing waits as long, but at most 2 s
   */
  SettlingConsumer(
      Map<String, Object> properties,
      ConcurrentMap<TopicPartition, Long> settled,
      ConcurrentMap<TopicPartition, Long> unread,
      Duration commitTimeout) {
    super(properties, new ByteArrayDeserializer(), new ByteArrayDeserializer());
    this.settled = settled;
    this.unread = unread;
    this.commitTimeout = commitTimeout;
    leaveTimeout = commitTimeout.compareTo(LONGEST_LEAVE) < 0 ? commitTimeout : LONGEST_LEAVE;
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

  /**
   * Afterwards it says, twice a second, what is left: what the last fetches said, and of paused partitions, of which
   * there are none, what a broker said in the last seconds. An error, as for want of memory, is thrown as a
   * {@code KafkaException}.
   */
  @Override
  public ConsumerRecords<byte[], byte[]> poll(Duration timeout) {
    ConsumerRecords<byte[], byte[]> records = passing("a poll", () -> super.poll(timeout));
    askOfPaused();
    if (System.nanoTime() - leftSaidNanos >= LEFT_SAID_EVERY.toNanos()) {
      leftSaidNanos = System.nanoTime();
      sayWhatIsLeft();
    }
    return records;
  }

  private void sayWhatIsLeft() {
    Set<TopicPartition> own = assignment();
    unread.keySet().retainAll(own);
    for (TopicPartition each : own) {
      currentLag(each).ifPresent(lag -> unread.put(each, lag));
    }
  }

  /** With no time to wait, so that only the request is sent: a later poll takes the answer. */
  private void askOfPaused() {
    Set<TopicPartition> paused = paused();
    if (paused.isEmpty() || System.nanoTime() - pausedAskedNanos < PAUSED_ASKED_EVERY.toNanos()) {
      return;
    }
    pausedAskedNanos = System.nanoTime();
    try {
      passing("asking for ends", () -> endOffsets(paused, Duration.ZERO));
    } catch (KafkaException failure) {
      LOG.debug("the ends of paused partitions were not asked for", failure);
    }
  }

  @Override
  public void commitSync(Map<TopicPartition, OffsetAndMetadata> offsets) {
    passing("a commit", () -> {
      super.commitSync(offsets);
      return true;
    });
  }

  @Override
  public void pause(Collection<TopicPartition> partitions) {
    passing("a pause", () -> {
      super.pause(partitions);
      return true;
    });
  }

  @Override
  public void resume(Collection<TopicPartition> partitions) {
    passing("a resumption", () -> {
      super.resume(partitions);
      return true;
    });
  }

  /** Nobody above answers an error, as for want of memory: the consumer would stand still for ever. */
  private static <T> T passing(String what, Supplier<T> call) {
    try {
      return call.get();
    } catch (Error passing) {
      throw new KafkaException(what + " failed with " + passing.getClass().getName(), passing);
    }
  }

  /** Commits what was settled and leaves the group. */
  @Override
  public void close() {
    leaving = true;
    close(leaveTimeout);
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
      commitSync(offsets, leaving ? leaveTimeout : commitTimeout);
    } catch (KafkaException failure) {
      LOG.warn(
          "what was settled of {} partitions was not committed before they went; it comes again",
          offsets.size(),
          failure);
    }
  }
}
