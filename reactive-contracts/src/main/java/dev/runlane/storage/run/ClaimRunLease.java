package dev.runlane.storage.run;

import dev.runlane.run.Environment;
import dev.runlane.run.QueuePolicy;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunRecord;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Objects;

/**
 * Claims the lease of a run and, usually, starts its next attempt.
 *
 * @param environment scope
 * @param runId the run
 * @param expectedSequence the sequence the projection was made from
 * @param events {@code run.lease_claimed}, then optionally {@code run.started}
 * @param projectedRun the run after the events
 * @param queuePolicy the run's queue, with its limit
 * @param now the caller's time
 */
public record ClaimRunLease(
    Environment environment,
    String runId,
    long expectedSequence,
    List<RunEvent> events,
    RunRecord projectedRun,
    QueuePolicy queuePolicy,
    Instant now) {
  /** Copies the events, refuses null and cuts instants to microseconds. */
  public ClaimRunLease {
    Objects.requireNonNull(environment);
    Objects.requireNonNull(runId);
    Objects.requireNonNull(projectedRun);
    Objects.requireNonNull(queuePolicy);
    Objects.requireNonNull(now);
    events = List.copyOf(events);
    now = now.truncatedTo(ChronoUnit.MICROS);
  }
}
