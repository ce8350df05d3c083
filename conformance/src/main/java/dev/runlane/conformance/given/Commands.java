package dev.runlane.conformance.given;

import dev.runlane.run.Lease;
import dev.runlane.run.QueuePolicy;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunReducer;
import dev.runlane.storage.run.AppendRunEvents;
import dev.runlane.storage.run.ClaimRunLease;
import dev.runlane.storage.run.HeartbeatRunLease;
import dev.runlane.storage.run.ReserveRunDispatch;
import java.time.Instant;
import java.util.List;

/** Commands as a correct caller makes them: projected by the reducer from the run it read. */
public final class Commands {
  private Commands() {}

  public static AppendRunEvents append(RunRecord run, Instant now, RunEvent... events) {
    return AppendRunEvents.of(project(run, List.of(events)), List.of(events), now);
  }

  /** A claim that also starts the next attempt. */
  public static ClaimRunLease claim(RunRecord run, QueuePolicy queue, Lease lease, Instant now) {
    return claimOccurring(run, queue, lease, now, laterOf(now, run));
  }

  /**
   * A claim whose events say another time than its caller's {@code now}: the reducer lets it pass, so
   * that storage alone can refuse it.
   */
  public static ClaimRunLease claimOccurring(
      RunRecord run, QueuePolicy queue, Lease lease, Instant now, Instant occurredAt) {
    List<RunEvent> events =
        List.of(Events.leaseClaimed(run, occurredAt, lease), Events.started(run, occurredAt));
    return new ClaimRunLease(
        run.environment(), run.id(), run.eventSequence(), events, project(run, events), queue, now);
  }

  /** A heartbeat of the run's own lease. */
  public static HeartbeatRunLease heartbeat(RunRecord run, Instant until, Instant now) {
    Lease lease = run.lease();
    if (lease == null) {
      throw new AssertionError("run " + run.id() + " has no lease to extend");
    }
    return heartbeat(run, lease.until(until), now);
  }

  /** A heartbeat that names any lease, whether or not the run has it. */
  public static HeartbeatRunLease heartbeat(RunRecord run, Lease lease, Instant now) {
    RunEvent.LeaseHeartbeat event = Events.heartbeat(run, laterOf(now, run), lease);
    RunRecord leased = run.toBuilder().lease(lease).build();
    return new HeartbeatRunLease(
        run.environment(),
        run.id(),
        run.eventSequence(),
        event,
        project(leased, List.of(event)),
        now);
  }

  public static ReserveRunDispatch reserve(
      RunRecord run, QueuePolicy queue, Instant until, Instant now) {
    return reserveOccurring(run, queue, until, now, laterOf(now, run));
  }

  /** A reservation whose event says another time than its caller's {@code now}. */
  public static ReserveRunDispatch reserveOccurring(
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

  public static RunRecord project(RunRecord run, List<? extends RunEvent> events) {
    return RunReducer.projectRunEvents(run, run.eventSequence(), events);
  }

  private static Instant laterOf(Instant now, RunRecord run) {
    return now.isAfter(run.updatedAt()) ? now : run.updatedAt();
  }
}
