package dev.runlane.conformance.given;

import static dev.runlane.conformance.kit.Given.FAILURE;
import static dev.runlane.conformance.kit.Given.NOON;
import static dev.runlane.conformance.kit.Given.PAYLOAD;
import static dev.runlane.conformance.kit.Given.lease;
import static dev.runlane.conformance.kit.Given.minutes;

import dev.runlane.conformance.kit.Given;
import dev.runlane.conformance.kit.Outcomes;
import dev.runlane.run.Awaiting;
import dev.runlane.run.DeliveryIntent;
import dev.runlane.run.EventHeader;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunRecord;
import dev.runlane.run.StepIds;
import dev.runlane.storage.StorageAdapter;
import dev.runlane.storage.run.AppendedRun;
import dev.runlane.storage.run.ClaimRunLease;
import dev.runlane.storage.run.HeartbeatRunLease;
import java.util.List;
import java.util.Map;

/** One possible life of a run that holds every type of event which may follow its creation. */
public final class EventChain {
  /** Events at one instant: a delivery, then attempts that are retried, released and cancelled. */
  public static final List<Link> WITH_EVERY_TYPE = List.of(
      (run, header) -> new RunEvent.DeliveryRequested(
          header,
          new DeliveryIntent(
              run.environment(),
              run.id(),
              run.queue(),
              NOON,
              NOON,
              null,
              Map.of("traceparent", "00-delivery-01"))),
      (run, header) -> new RunEvent.LeaseClaimed(header, lease("tok_1", minutes(1))),
      (run, header) -> new RunEvent.Started(header, 1),
      (run, header) -> new RunEvent.LeaseHeartbeat(header, lease("tok_1", minutes(2))),
      (run, header) -> new RunEvent.RetryScheduled(header, 1, FAILURE, NOON),
      (run, header) -> new RunEvent.LeaseClaimed(header, lease("tok_2", minutes(1))),
      (run, header) -> new RunEvent.Started(header, 2),
      (run, header) -> new RunEvent.StepRequested(
          header, StepIds.of(run.id(), 0), "fetch: all", "fetchers@eu", PAYLOAD, 1, minutes(3)),
      (run, header) ->
          new RunEvent.StepCompleted(header, StepIds.of(run.id(), 0), 2, minutes(4), PAYLOAD, null),
      (run, header) -> new RunEvent.StepRequested(
          header, StepIds.of(run.id(), 1), "charge", null, null, 1, null),
      (run, header) ->
          new RunEvent.StepCompleted(header, StepIds.of(run.id(), 1), 1, null, null, FAILURE),
      (run, header) -> new RunEvent.Released(header, 2, NOON, "waiting for the bank"),
      (run, header) -> new RunEvent.LeaseClaimed(header, lease("tok_3", minutes(1))),
      (run, header) -> new RunEvent.Started(header, 3),
      (run, header) -> new RunEvent.Released(header, 3, minutes(9), null, Awaiting.STEPS),
      (run, header) ->
          new RunEvent.StepCompleted(header, StepIds.of(run.id(), 2), 1, NOON, PAYLOAD, null),
      (run, header) -> new RunEvent.LeaseClaimed(header, lease("tok_4", minutes(1))),
      (run, header) -> new RunEvent.Started(header, 4),
      (run, header) -> new RunEvent.CancellationRequested(header, "customer called"),
      (run, header) -> new RunEvent.Cancelled(header, "customer called"));

  private EventChain() {}

  /** Stores one event by the method that is meant for it; answers the run after it. */
  public static RunRecord store(StorageAdapter storage, RunRecord run, RunEvent event) {
    RunRecord projected = Commands.project(run, List.of(event));
    if (event instanceof RunEvent.LeaseClaimed) {
      return Outcomes.done(storage.claimRunLease(new ClaimRunLease(
              run.environment(),
              run.id(),
              run.eventSequence(),
              List.of(event),
              projected,
              Given.UNBOUNDED,
              NOON)))
          .map(AppendedRun::run)
          .orElseThrow(() -> new AssertionError("run " + run.id() + " was not claimed"));
    }
    if (event instanceof RunEvent.LeaseHeartbeat heartbeat) {
      return Outcomes.done(storage.heartbeatRunLease(new HeartbeatRunLease(
              run.environment(), run.id(), run.eventSequence(), heartbeat, projected, NOON)))
          .run();
    }
    return Outcomes.done(storage.appendRunEvents(Commands.append(run, NOON, event)))
        .run();
  }

  /** Makes the next event. */
  public interface Link {
    RunEvent follow(RunRecord run, EventHeader header);
  }
}
