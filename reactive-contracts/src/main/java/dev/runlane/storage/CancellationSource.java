package dev.runlane.storage;

import dev.runlane.adapter.Subscription;
import dev.runlane.run.Environment;
import io.vertx.core.Future;
import java.util.function.Consumer;

/**
 * Notifies every process of an environment soon after a {@code run.cancellation_requested} was stored, so
 * that the run's owner need not wait for its next heartbeat; and of any other change that a run's owner is
 * to read at once. A hint: it may be lost or doubled.
 */
public interface CancellationSource {
  /**
   * Subscribes until the subscription is closed. The listener gets run ids on the Vert.x context that
   * subscribed, and must neither block nor throw.
   */
  Future<Subscription> subscribe(Environment environment, Consumer<String> listener);

  /**
   * Notifies all that subscribed to the environment of a run that was written to, such as with the result of a step,
   * after that was stored. A source that cannot does nothing, and owners find out when they read the run next.
   */
  default Future<Void> notifyRunOwner(Environment environment, String runId) {
    return Future.succeededFuture();
  }
}
