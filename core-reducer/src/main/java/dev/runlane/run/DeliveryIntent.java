package dev.runlane.run;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The request to wake a worker for a run, carried by {@link RunEvent.DeliveryRequested}.
 *
 * @param environment the run's
 * @param runId the run's
 * @param queue the run's
 * @param requestedAt when the wish was written down
 * @param availableAt the wakeup is not sent before this instant
 * @param dispatchExpiresAt end of the dispatch reservation this request makes; null on unbounded queues
 * @param traceCarrier the trace the wakeup belongs to; null: the event's or the run's
 */
public record DeliveryIntent(
    Environment environment,
    String runId,
    String queue,
    Instant requestedAt,
    Instant availableAt,
    @Nullable Instant dispatchExpiresAt,
    @Nullable Map<String, String> traceCarrier) {
  /** Refuses null, cuts the instants to microseconds and copies the trace carrier. */
  public DeliveryIntent {
    Objects.requireNonNull(environment);
    Objects.requireNonNull(runId);
    Objects.requireNonNull(queue);
    requestedAt = requestedAt.truncatedTo(ChronoUnit.MICROS);
    availableAt = availableAt.truncatedTo(ChronoUnit.MICROS);
    dispatchExpiresAt =
        dispatchExpiresAt == null ? null : dispatchExpiresAt.truncatedTo(ChronoUnit.MICROS);
    traceCarrier = traceCarrier == null ? null : Map.copyOf(traceCarrier);
  }
}
