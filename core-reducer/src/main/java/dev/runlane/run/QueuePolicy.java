package dev.runlane.run;

import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A queue as storages and transports know it.
 *
 * @param queue its name
 * @param concurrencyLimit most occupied slots in each partition, at least 1; null: unbounded
 * @param dispatchTimeout how long a dispatch reservation may stay unclaimed; null: {@link
 *     ContractDefaults#DISPATCH_RESERVATION}, and always null on unbounded queues
 */
public record QueuePolicy(
    String queue,
    @Nullable Integer concurrencyLimit,
    @Nullable Duration dispatchTimeout) {
  /** A queue without a limit. */
  public static QueuePolicy unbounded(String queue) {
    return new QueuePolicy(queue, null, null);
  }

  /** A queue with at most {@code limit} occupied slots in each partition. */
  public static QueuePolicy bounded(String queue, int limit) {
    return new QueuePolicy(queue, limit, null);
  }

  /** The first policy of each queue that is named, in their order. */
  public static List<QueuePolicy> firstOfEach(Collection<QueuePolicy> policies) {
    Map<String, QueuePolicy> first = new LinkedHashMap<>();
    policies.forEach(policy -> first.putIfAbsent(policy.queue(), policy));
    return List.copyOf(first.values());
  }

  /** Whether the queue has a limit. */
  public boolean isBounded() {
    return concurrencyLimit != null;
  }
}
