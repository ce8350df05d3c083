package dev.runlane.storage.memory;

import dev.runlane.storage.CommandChecks;
import dev.runlane.storage.limit.ListPublishedQueues;
import dev.runlane.storage.limit.PublishQueues;
import dev.runlane.storage.limit.PublishedQueue;
import dev.runlane.storage.limit.QueueLimitStorage;
import io.vertx.core.Future;
import java.util.List;

/** Published queues, each command under one hold of the lock. */
final class MemoryQueueLimits implements QueueLimitStorage {
  private final MemoryState state;

  MemoryQueueLimits(MemoryState state) {
    this.state = state;
  }

  @Override
  public Future<List<PublishedQueue>> publishQueues(PublishQueues command) {
    return state.call("publishQueues", () -> {
      CommandChecks.check(command);
      return state.in(command.environment(), scope -> scope.publishedQueues.publish(command));
    });
  }

  @Override
  public Future<List<PublishedQueue>> listPublishedQueues(ListPublishedQueues query) {
    return state.call("listPublishedQueues", () -> {
      CommandChecks.check(query);
      return state.in(
          query.environment(), scope -> scope.publishedQueues.holdingAt(query.now()).stream()
              .filter(each -> query.queues().isEmpty() || query.queues().contains(each.queue()))
              .toList());
    });
  }
}
