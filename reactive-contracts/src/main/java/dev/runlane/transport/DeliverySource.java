package dev.runlane.transport;

import io.vertx.core.Deployable;
import java.util.List;

/**
 * Takes wakeups from a provider that gives each of them to one of its consumers and takes an
 * acknowledgement. Any number of consumers, in any number of processes, share the wakeups.
 */
public interface DeliverySource {
  /**
   * A verticle that is one consumer: while it is deployed it has {@code worker} execute every wakeup it is
   * given and acknowledges those that were dealt with. Undeployed, it takes no more, stops the worker,
   * acknowledges what was settled and completes within a bound. Deploy what it returns once.
   */
  Deployable consumer(DeliveryWorker worker);

  /**
   * How far the consumers of this process are behind in each partition that is theirs now, as far as it is known.
   * Of what is in memory; the provider is asked for nothing. From any thread. Empty where it has no partitions.
   */
  default List<PartitionLag> lags() {
    return List.of();
  }
}
