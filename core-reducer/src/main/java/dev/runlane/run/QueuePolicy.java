package dev.runlane.run;

import java.time.Duration;
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

  /** Whether the queue has a limit. */
  public boolean isBounded() {
    return concurrencyLimit != null;
  }
}
