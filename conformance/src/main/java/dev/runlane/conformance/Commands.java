package dev.runlane.conformance;

import dev.runlane.run.Lease;
import dev.runlane.run.QueuePolicy;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunReducer;
import dev.runlane.storage.AppendRunEvents;
import dev.runlane.storage.ClaimRunLease;
import dev.runlane.storage.HeartbeatRunLease;
import dev.runlane.storage.ReserveRunDispatch;
import java.time.Instant;
import java.util.List;

/** Commands as a correct caller makes them: projected by the reducer from the run it read. */
final class Commands {
  private Commands() {}

  static AppendRunEvents append(RunRecord run, Instant now, RunEvent... events) {
    return AppendRunEvents.of(project(run, List.of(events)), List.of(events), now);
  }

  /** A claim that also starts the next attempt. */
  static ClaimRunLease claim(RunRecord run, QueuePolicy queue, Lease lease, Instant now) {
    return claimOccurring(run, queue, lease, now, laterOf(now, run));
  }

  /**
   * A claim whose events say another time than its caller's {@code now}: the reducer lets it pass, so
   * that storage alone can refuse it.
   */
  static ClaimRunLease claimOccurring(
      RunRecord run, QueuePolicy queue, Lease lease, Instant now, Instant occurredAt) {
    List<RunEvent> events =
        List.of(Events.leaseClaimed(run, occurredAt, lease), Events.started(run, occurredAt));
    return new ClaimRunLease(
        run.environment(), run.id(), run.eventSequence(), events, project(run, events), queue, now);
  }

  /** A heartbeat of the run's own lease. */
  static HeartbeatRunLease heartbeat(RunRecord run, Instant until, Instant now) {
    Lease lease = run.lease();
    if (lease == null) {
      throw new AssertionError("run " + run.id() + " has no lease to extend");
    }
    return heartbeat(run, lease.until(until), now);
  }

  /** A heartbeat that names any lease, whether or not the run has it. */
  static HeartbeatRunLease heartbeat(RunRecord run, Lease lease, Instant now) {
    RunEvent.LeaseHeartbeat event = Events.heartbeat(run, laterOf(now, run), lease);
    RunRecord leased = Forged.withLease(run, lease);
    return new HeartbeatRunLease(
        run.environment(),
        run.id(),
        run.eventSequence(),
        event,
        project(leased, List.of(event)),
        now);
  }

  static ReserveRunDispatch reserve(RunRecord run, QueuePolicy queue, Instant until, Instant now) {
    return reserveOccurring(run, queue, until, now, laterOf(now, run));
  }

  /** A reservation whose event says another time than its caller's {@code now}. */
  static ReserveRunDispatch reserveOccurring(
      RunRecord run, QueuePolicy queue, Instant until, Instant now, Instant occurredAt) {
    RunEvent.DeliveryRequested event = Events.reservation(run, occurredAt, until);
    return new ReserveRunDispatch(
        run.environment(),
        run.id(),
        run.eventSequence(),
        event,
        project(run, List.of(event)),
        queue,
        now);
  }

  static RunRecord project(RunRecord run, List<? extends RunEvent> events) {
    return RunReducer.projectRunEvents(run, run.eventSequence(), events);
  }

  private static Instant laterOf(Instant now, RunRecord run) {
    return now.isAfter(run.updatedAt()) ? now : run.updatedAt();
  }
}
