package dev.runlane.transport.kafka;

import dev.runlane.transport.DeliveryResult;
import dev.runlane.transport.IgnoredReason;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/** Counts for all consumers of a transport, each of which lives on an event loop of its own. */
final class DeliveryCounters {
  private final LongAdder received = new LongAdder();
  private final LongAdder executed = new LongAdder();
  private final LongAdder failed = new LongAdder();
  private final LongAdder deadLettered = new LongAdder();
  private final LongAdder deadLettersRefused = new LongAdder();
  private final LongAdder revoked = new LongAdder();
  private final Map<IgnoredReason, LongAdder> ignored = new EnumMap<>(IgnoredReason.class);

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

  void deadLettered() {
    deadLettered.increment();
  }

  void deadLetterRefused() {
    deadLettersRefused.increment();
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
        revoked.sum());
  }
}
