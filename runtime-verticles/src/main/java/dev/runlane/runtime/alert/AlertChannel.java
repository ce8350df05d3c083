package dev.runlane.runtime.alert;

import io.vertx.core.Future;
import io.vertx.core.Vertx;

/**
 * Somebody who is told of alerts. Rules name it; its address and its secrets stay in the process that tells. A failure
 * is tried again, so the same notice may be told more than once.
 */
public interface AlertChannel {
  /** The name by which rules call it. */
  String name();

  /** Tells of a change, on the context of the verticle that tells. A failed future is tried again. */
  Future<Void> tell(Vertx vertx, AlertNotice notice);

  /** Gives back what it holds. A verticle that is deployed with the channel afterwards tells it as before. */
  default Future<Void> close() {
    return Future.succeededFuture();
  }
}
