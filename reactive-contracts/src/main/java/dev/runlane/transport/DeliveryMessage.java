package dev.runlane.transport;

import dev.runlane.run.Environment;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A wakeup: look at this run now. Carries no payload.
 *
 * @param environment scope of the run
 * @param runId the run
 * @param queue the queue the run was in when the wakeup was asked for
 * @param requestedAt when it was asked for
 * @param traceCarrier the trace it belongs to, or null
 */
public record DeliveryMessage(
    Environment environment,
    String runId,
    String queue,
    Instant requestedAt,
    @Nullable Map<String, String> traceCarrier) {
  /** Copies the trace carrier. */
  public DeliveryMessage {
    Objects.requireNonNull(environment);
    Objects.requireNonNull(runId);
    Objects.requireNonNull(queue);
    Objects.requireNonNull(requestedAt);
    traceCarrier = traceCarrier == null ? null : Map.copyOf(traceCarrier);
  }
}
