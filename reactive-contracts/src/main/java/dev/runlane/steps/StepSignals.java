package dev.runlane.steps;

import dev.runlane.adapter.Subscription;
import io.vertx.core.Future;

/** Notifies a process that tasks or results may be available. A hint: it may come late, twice or never. */
public interface StepSignals {
  /**
   * Listens until the subscription is closed. The listener is called on the Vert.x context that listens.
   * Completes once signals sent from then on reach the listener; fails with a retryable {@code
   * StorageUnavailable} while the backend cannot be reached.
   */
  Future<Subscription> listen(StepListener listener);
}
