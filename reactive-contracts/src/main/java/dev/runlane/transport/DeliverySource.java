package dev.runlane.transport;

import io.vertx.core.Deployable;

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
}
