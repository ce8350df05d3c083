package dev.runlane.storage.memory.kept;

import dev.runlane.storage.limit.PublishQueues;
import dev.runlane.storage.limit.PublishedQueue;
import dev.runlane.storage.limit.QueueLimitStorage;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What processes have published of their queues, in one environment. */
public final class PublishedQueues {
  private final Map<String, List<PublishedQueue>> ofProcess = new TreeMap<>();

  public List<PublishedQueue> publish(PublishQueues command) {
    Instant expiresAt = command.now().plus(command.validFor());
    ofProcess.put(
        command.processId(),
        command.queues().stream()
            .map(policy -> new PublishedQueue(
                command.processId(), policy.queue(), policy.concurrencyLimit(), expiresAt))
            .toList());
    Instant kept = command.now().minus(QueueLimitStorage.KEPT_AFTER_EXPIRY);
    ofProcess.values().removeIf(queues -> queues.stream()
        .allMatch(each -> each.expiresAt().isBefore(kept)));
    return holdingAt(command.now());
  }

  public List<PublishedQueue> holdingAt(Instant now) {
    return ofProcess.values().stream()
        .flatMap(List::stream)
        .filter(each -> holds(each, now))
        .toList();
  }

  private static boolean holds(PublishedQueue queue, Instant now) {
    return queue.expiresAt().isAfter(now);
  }
}
