package dev.runlane.storage.pg.write;

import dev.runlane.run.QueuePolicy;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunRecord;
import dev.runlane.storage.run.ClaimRunLease;
import dev.runlane.storage.run.ReserveRunDispatch;
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
 * @param dueBy when the run must be due: the caller's time, except of runs that are created with their lease
 * @param now the caller's time
 */
public record Acquire(
    String runId,
    long expected,
    List<? extends RunEvent> events,
    RunRecord run,
    boolean reserving,
    QueuePolicy policy,
    Instant dueBy,
    Instant now) {
  public static Acquire of(ClaimRunLease command) {
    return new Acquire(
        command.runId(),
        command.expectedSequence(),
        command.events(),
        command.projectedRun(),
        false,
        command.queuePolicy(),
        command.now(),
        command.now());
  }

  public static Acquire of(ReserveRunDispatch command) {
    return new Acquire(
        command.runId(),
        command.expectedSequence(),
        List.of(command.event()),
        command.projectedRun(),
        true,
        command.queuePolicy(),
        command.now(),
        command.now());
  }
}
