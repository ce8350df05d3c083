package dev.runlane.storage.pg;

import dev.runlane.run.QueuePolicy;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunRecord;
import dev.runlane.storage.ClaimRunLease;
import dev.runlane.storage.ReserveRunDispatch;
import java.time.Instant;
import java.util.List;

/**
 * The wish for a named run's lease, or for a dispatch reservation.
 *
 * @param runId the run
 * @param expected its sequence before the events
 * @param events at least one
 * @param run the run after them
 * @param reserving whether a reservation is wanted, not a lease
 * @param policy the run's queue
 * @param now the caller's time
 */
record Acquire(
    String runId,
    long expected,
    List<? extends RunEvent> events,
    RunRecord run,
    boolean reserving,
    QueuePolicy policy,
    Instant now) {
  static Acquire of(ClaimRunLease command) {
    return new Acquire(
        command.runId(),
        command.expectedSequence(),
        command.events(),
        command.projectedRun(),
        false,
        command.queuePolicy(),
        command.now());
  }

  static Acquire of(ReserveRunDispatch command) {
    return new Acquire(
        command.runId(),
        command.expectedSequence(),
        List.of(command.event()),
        command.projectedRun(),
        true,
        command.queuePolicy(),
        command.now());
  }
}
