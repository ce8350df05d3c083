package dev.runlane.storage.run;

import dev.runlane.run.Environment;
import dev.runlane.run.QueuePolicy;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunRecord;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Objects;

/**
 * Reserves a slot of a bounded queue for a run and asks for its delivery.
 *
 * @param environment scope
 * @param runId the run
 * @param expectedSequence the sequence the projection was made from
 * @param event the delivery request, with {@code dispatchExpiresAt}
 * @param projectedRun the run after the event
 * @param queuePolicy the run's queue, bounded
 * @param now the caller's time
 */
public record ReserveRunDispatch(
    Environment environment,
    String runId,
    long expectedSequence,
    RunEvent.DeliveryRequested event,
    RunRecord projectedRun,
    QueuePolicy queuePolicy,
    Instant now) {
  /** Refuses null and cuts instants to microseconds. */
  public ReserveRunDispatch {
    Objects.requireNonNull(environment);
    Objects.requireNonNull(runId);
    Objects.requireNonNull(event);
    Objects.requireNonNull(projectedRun);
    Objects.requireNonNull(queuePolicy);
    Objects.requireNonNull(now);
    now = now.truncatedTo(ChronoUnit.MICROS);
  }
}
