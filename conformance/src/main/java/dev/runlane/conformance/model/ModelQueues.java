package dev.runlane.conformance.model;

import dev.runlane.storage.CommandChecks;
import dev.runlane.storage.limit.ListPublishedQueues;
import dev.runlane.storage.limit.PublishQueues;
import dev.runlane.storage.limit.PublishedQueue;
import dev.runlane.storage.limit.QueueLimitStorage;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** What the model answers about the queues that processes have published. */
public final class ModelQueues {
  private final List<PublishQueues> published = new ArrayList<>(); // the latest of each process

  public Set<PublishedQueue> publish(PublishQueues command) {
    CommandChecks.check(command);
    Instant kept = command.now().minus(QueueLimitStorage.KEPT_AFTER_EXPIRY);
    published.removeIf(other -> other.environment().equals(command.environment())
        && (other.processId().equals(command.processId()) || expiresAt(other).isBefore(kept)));
    published.add(command);
    return list(new ListPublishedQueues(command.environment(), command.now()));
  }

  /** In no order that anybody promises. */
  public Set<PublishedQueue> list(ListPublishedQueues query) {
    CommandChecks.check(query);
    Set<PublishedQueue> holding = new HashSet<>();
    for (PublishQueues each : published) {
      Instant expiresAt = expiresAt(each);
      if (each.environment().equals(query.environment()) && expiresAt.isAfter(query.now())) {
        each.queues().stream()
            .filter(queue -> query.queues().isEmpty() || query.queues().contains(queue.queue()))
            .forEach(queue -> holding.add(new PublishedQueue(
                each.processId(), queue.queue(), queue.concurrencyLimit(), expiresAt)));
      }
    }
    return holding;
  }

  private static Instant expiresAt(PublishQueues command) {
    return command.now().plus(command.validFor()).truncatedTo(ChronoUnit.MICROS);
  }
}
