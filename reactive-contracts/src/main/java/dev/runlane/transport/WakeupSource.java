package dev.runlane.transport;

import dev.runlane.adapter.Subscription;
import dev.runlane.run.Environment;
import io.vertx.core.Future;

/**
 * Hands every wakeup of an environment to every subscribed process, so that one is a hint to look for
 * work, not an order to run it. Transports whose consumer is a deployment of its own have none.
 */
public interface WakeupSource {
  /**
   * Subscribes until the subscription is closed. The listener is called on the Vert.x context that
   * subscribed. Completes once wakeups published from then on reach the listener.
   */
  Future<Subscription> subscribe(Environment environment, WakeupListener listener);
}
