package dev.runlane.runtime.process;

import dev.runlane.run.Environment;
import dev.runlane.run.QueuePolicy;
import dev.runlane.storage.StorageAdapter;
import dev.runlane.storage.limit.ListPublishedQueues;
import dev.runlane.storage.limit.PublishedQueue;
import dev.runlane.timing.Clock;
import io.vertx.core.Future;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * The policies of queues as living processes have published them: what an operator's runtime goes by, which has no
 * queues of its own.
 *
 * @param environment the scope
 * @param storage where they are published
 * @param clock by which a publication has expired
 */
public record PublishedPolicies(Environment environment, StorageAdapter storage, Clock clock) {
  /** Whether the storage keeps what processes publish; where it does not, no policy is ever found. */
  public boolean areKept() {
    return storage.queueLimits().isPresent();
  }

  /** The queue with the lowest limit of all living processes that have it, or empty: none has been seen. */
  public Future<Optional<QueuePolicy>> find(String queue) {
    return storage
        .queueLimits()
        .map(published -> published
            .listPublishedQueues(new ListPublishedQueues(environment, clock.now(), List.of(queue)))
            .map(all -> strictest(
                queue, all.stream().filter(each -> each.queue().equals(queue)).toList())))
        .orElseGet(() -> Future.succeededFuture(Optional.empty()));
  }

  private static Optional<QueuePolicy> strictest(String queue, List<PublishedQueue> published) {
    return published.isEmpty()
        ? Optional.empty()
        : Optional.of(published.stream()
            .map(PublishedQueue::concurrencyLimit)
            .filter(Objects::nonNull)
            .min(Integer::compare)
            .map(limit -> QueuePolicy.bounded(queue, limit))
            .orElseGet(() -> QueuePolicy.unbounded(queue)));
  }
}
