package dev.runlane.storage.memory;

import static dev.runlane.conformance.broken.BrokenAdapter.that;

import dev.runlane.conformance.broken.BrokenAdapter;
import dev.runlane.storage.StorageAdapter;
import dev.runlane.storage.limit.ListPublishedQueues;
import dev.runlane.storage.limit.PublishQueues;
import dev.runlane.storage.limit.PublishedQueue;
import dev.runlane.storage.limit.QueueLimitStorage;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.UnaryOperator;

/** Storages that keep the queues of processes wrongly. */
final class BrokenQueueLimits {
  static final List<BrokenAdapter<StorageAdapter>> ALL = List.of(
      that(
          "forgets no process",
          publishing((real, command) -> real.publishQueues(new PublishQueues(
              command.environment(),
              command.processId(),
              command.queues(),
              command.now(),
              Duration.ofDays(10_000)))),
          "QueueLimits.what_a_process_said_holds_until_it_expires"),
      that(
          "answers a process only what it said itself",
          publishing((real, command) -> real.publishQueues(command).map(all -> all.stream()
              .filter(each -> each.processId().equals(command.processId()))
              .toList())),
          "QueueLimits.a_process_is_answered_its_own_queues_and_those_of_every_living_one"),
      that(
          "answers a process that compares all that others say",
          comparing((real, command) -> real.publishQueues(command)),
          "QueueLimits.a_process_that_compares_is_answered_the_lowest_and_the_highest_limit_that_others_have"),
      that(
          "ignores a process that takes its queues back",
          publishing((real, command) -> command.queues().isEmpty()
              ? real.listPublishedQueues(
                  new ListPublishedQueues(command.environment(), command.now()))
              : real.publishQueues(command)),
          "QueueLimits.a_process_that_names_no_queue_takes_back_what_it_said"));

  private BrokenQueueLimits() {}

  private static UnaryOperator<StorageAdapter> publishing(
      BiFunction<QueueLimitStorage, PublishQueues, Future<List<PublishedQueue>>> breaking) {
    return broken(breaking, QueueLimitStorage::publishAndCompare);
  }

  private static UnaryOperator<StorageAdapter> comparing(
      BiFunction<QueueLimitStorage, PublishQueues, Future<List<PublishedQueue>>> breaking) {
    return broken(QueueLimitStorage::publishQueues, breaking);
  }

  private static UnaryOperator<StorageAdapter> broken(
      BiFunction<QueueLimitStorage, PublishQueues, Future<List<PublishedQueue>>> publishing,
      BiFunction<QueueLimitStorage, PublishQueues, Future<List<PublishedQueue>>> comparing) {
    return real -> new ForwardingStorage(real) {
      @Override
      public Optional<QueueLimitStorage> queueLimits() {
        QueueLimitStorage limits = real.queueLimits().orElseThrow();
        return Optional.of(new QueueLimitStorage() {
          @Override
          public Future<List<PublishedQueue>> publishQueues(PublishQueues command) {
            return publishing.apply(limits, command);
          }

          @Override
          public Future<List<PublishedQueue>> publishAndCompare(PublishQueues command) {
            return comparing.apply(limits, command);
          }

          @Override
          public Future<List<PublishedQueue>> listPublishedQueues(ListPublishedQueues query) {
            return limits.listPublishedQueues(query);
          }
        });
      }
    };
  }
}
