package dev.runlane.transport;

import dev.runlane.run.ErrorCode;
import io.vertx.core.Future;
import java.util.Set;

/** Executes the deliveries of one consumer, until it is stopped. */
public interface DeliveryWorker extends DeliveryExecutor {
  /** Who owns the leases it takes. */
  String workerId();

  /** The names of the queues whose wakeups it executes; those of others it ignores. */
  Set<String> queues();

  /**
   * Begins nothing any more, asks the attempts under way to give up, and waits for them within a bound of
   * its own. A delivery that had not begun fails with a retryable {@link ErrorCode#OPERATION_CANCELLED}: its
   * wakeup is another consumer's. Calling it again changes nothing.
   *
   * @return completes when nothing is under way any more, or the bound is over; always the same future
   */
  Future<Void> stop();
}
