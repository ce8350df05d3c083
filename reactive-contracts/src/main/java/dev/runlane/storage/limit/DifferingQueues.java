package dev.runlane.storage.limit;

import dev.runlane.run.QueuePolicy;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BinaryOperator;
import java.util.stream.Stream;

/** Where other processes give a queue another limit than the one that publishes. */
final class DifferingQueues {
  private static final Comparator<PublishedQueue> BY_LIMIT = Comparator.comparingInt(
      each -> Objects.requireNonNullElse(each.concurrencyLimit(), Integer.MAX_VALUE));

  private DifferingQueues() {}

  /** Of each queue the one with the lowest and the one with the highest limit. */
  static List<PublishedQueue> of(PublishQueues command, List<PublishedQueue> all) {
    Map<String, QueuePolicy> own = new HashMap<>();
    command.queues().forEach(policy -> own.put(policy.queue(), policy));
    Map<String, PublishedQueue> lowest = new LinkedHashMap<>();
    Map<String, PublishedQueue> highest = new LinkedHashMap<>();
    for (PublishedQueue other : all) {
      QueuePolicy mine = own.get(other.queue());
      if (mine != null
          && !other.processId().equals(command.processId())
          && !Objects.equals(mine.concurrencyLimit(), other.concurrencyLimit())) {
        lowest.merge(other.queue(), other, BinaryOperator.minBy(BY_LIMIT));
        highest.merge(other.queue(), other, BinaryOperator.maxBy(BY_LIMIT));
      }
    }
    return Stream.concat(lowest.values().stream(), highest.values().stream())
        .distinct()
        .toList();
  }
}
