package dev.runlane.transport;

import dev.runlane.run.ErrorCode;
import io.vertx.core.Future;

/** What a consumer of wakeups calls for each one it takes from its provider. */
public interface DeliveryExecutor {
  /**
   * Runs one attempt of the run that the wakeup names, if storage still says that it is due. A result,
   * executed or ignored, means the wakeup may be acknowledged; outcomes of user code are results.
   *
   * <p>A failed future means the wakeup was not dealt with and should come again: {@link
   * ErrorCode#STORAGE_UNAVAILABLE} and other storage failures, {@link ErrorCode#TASK_NOT_FOUND} when the
   * run's task is not registered here, in which case the run is untouched, and {@link ErrorCode#OPERATION_CANCELLED}
   * while the worker stops or its clock disagrees with the storage's: nobody has tried then, so it counts as no try.
   */
  Future<DeliveryResult> executeDelivery(DeliveryMessage message);
}
