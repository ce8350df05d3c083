package dev.runlane.storage.memory;

import dev.runlane.storage.PublishQueues;
import dev.runlane.storage.PublishedQueue;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What processes have published of their queues, in one environment. */
final class PublishedQueues {
  private final Map<String, List<PublishedQueue>> ofProcess = new TreeMap<>();

  /** Forgets what has expired, as it goes. */
  List<PublishedQueue> publish(PublishQueues command) {
    Instant expiresAt = command.now().plus(command.validFor());
    ofProcess.put(
        command.processId(),
        command.queues().stream()
            .map(policy -> new PublishedQueue(
                command.processId(), policy.queue(), policy.concurrencyLimit(), expiresAt))
            .toList());
    ofProcess.values().removeIf(queues -> queues.stream()
        .noneMatch(each -> holds(each, command.now())));
    return holdingAt(command.now());
  }

  List<PublishedQueue> holdingAt(Instant now) {
    return ofProcess.values().stream()
        .flatMap(List::stream)
        .filter(each -> holds(each, now))
        .toList();
  }

  private static boolean holds(PublishedQueue queue, Instant now) {
    return queue.expiresAt().isAfter(now);
  }
}
