package dev.runlane.transport.kafka;

import dev.runlane.transport.IgnoredReason;
import java.util.Map;

/**
 * What the consumers of one transport have done with wakeups since it was made. The numbers are read one after
 * the other, so between themselves they are exact only while nothing happens.
 *
 * @param received records that were fetched, those that came again included
 * @param executed wakeups of which an attempt was made
 * @param ignored wakeups that needed no work, by reason; every reason is there
 * @param failed deliveries that failed; several may be of one record
 * @param deadLettered records that were moved to a dead-letter topic
 * @param deadLettersRefused times that such a topic did not take a record
 * @param revoked fetched records that were let go of because their partition went to another consumer
 * @param deadLettersLost records that were settled without a dead letter, which such a topic refuses for good
 */
public record KafkaDeliveryCounts(
    long received,
    long executed,
    Map<IgnoredReason, Long> ignored,
    long failed,
    long deadLettered,
    long deadLettersRefused,
    long revoked,
    long deadLettersLost) {
  /** Copies the map. */
  public KafkaDeliveryCounts {
    ignored = Map.copyOf(ignored);
  }

  /** All wakeups that needed no work. */
  public long ignoredTotal() {
    return ignored.values().stream().mapToLong(Long::longValue).sum();
  }
}
