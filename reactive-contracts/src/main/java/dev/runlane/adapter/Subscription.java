package dev.runlane.adapter;

import io.vertx.core.Future;

/** A listener's registration. */
public interface Subscription {
  /** Ends it; afterwards the listener is not called any more. Closing twice is harmless. */
  Future<Void> close();
}
