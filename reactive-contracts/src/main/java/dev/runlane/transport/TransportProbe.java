package dev.runlane.transport;

import dev.runlane.run.ErrorCode;
import io.vertx.core.Future;

/**
 * Asks whether a transport's provider can be reached: a capability beside {@link TransportAdapter}, for health checks.
 */
public interface TransportProbe {
  /**
   * Completes once the provider has answered, asked anew each time. Changes nothing and publishes nothing. Fails with a
   * retryable {@link ErrorCode#TRANSPORT_UNAVAILABLE}.
   */
  Future<Void> probe();
}
