package dev.runlane.storage.run;

import dev.runlane.run.Environment;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunRecord;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Objects;

/**
 * Extends a lease.
 *
 * @param environment scope
 * @param runId the run
 * @param expectedSequence the sequence the projection was made from
 * @param event the heartbeat; its lease names the token and worker that must own the run
 * @param projectedRun the run after the event
 * @param now the caller's time
 */
public record HeartbeatRunLease(
    Environment environment,
    String runId,
    long expectedSequence,
    RunEvent.LeaseHeartbeat event,
    RunRecord projectedRun,
    Instant now) {
  /** Refuses null and cuts instants to microseconds. */
  public HeartbeatRunLease {
    Objects.requireNonNull(environment);
    Objects.requireNonNull(runId);
    Objects.requireNonNull(event);
    Objects.requireNonNull(projectedRun);
    Objects.requireNonNull(now);
    now = now.truncatedTo(ChronoUnit.MICROS);
  }
}
