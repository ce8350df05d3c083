package dev.runlane.conformance.given;

import dev.runlane.conformance.kit.Given;
import dev.runlane.run.Awaiting;
import dev.runlane.run.DeliveryIntent;
import dev.runlane.run.EventHeader;
import dev.runlane.run.Lease;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunRecord;
import dev.runlane.run.StepIds;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Events that follow a run as it is. */
public final class Events {
  private Events() {}

  public static EventHeader header(RunRecord run, Instant occurredAt) {
    return EventHeader.bySystem(run.environment(), run.id(), occurredAt);
  }

  public static RunEvent.DeliveryRequested delivery(
      RunRecord run, Instant at, Instant availableAt) {
    return delivery(run, at, availableAt, null);
  }

  public static RunEvent.DeliveryRequested reservation(
      RunRecord run, Instant at, Instant expiresAt) {
    return delivery(run, at, at, expiresAt);
  }

  public static RunEvent.LeaseClaimed leaseClaimed(RunRecord run, Instant at, Lease lease) {
    return new RunEvent.LeaseClaimed(header(run, at), lease);
  }

  public static RunEvent.LeaseHeartbeat heartbeat(RunRecord run, Instant at, Lease lease) {
    return new RunEvent.LeaseHeartbeat(header(run, at), lease);
  }

  public static RunEvent.Started started(RunRecord run, Instant at) {
    return new RunEvent.Started(header(run, at), run.counters().attempts() + 1);
  }

  public static RunEvent.Succeeded succeeded(RunRecord run, Instant at) {
    return new RunEvent.Succeeded(header(run, at), run.counters().attempts(), null);
  }

  public static RunEvent.Failed failed(RunRecord run, Instant at) {
    return new RunEvent.Failed(header(run, at), run.counters().attempts(), Given.FAILURE);
  }

  public static RunEvent.RetryScheduled retryScheduled(RunRecord run, Instant at, Instant retryAt) {
    return new RunEvent.RetryScheduled(
        header(run, at), run.counters().attempts(), Given.FAILURE, retryAt);
  }

  public static RunEvent.Released released(RunRecord run, Instant at, Instant resumeAt) {
    return new RunEvent.Released(header(run, at), run.counters().attempts(), resumeAt, null);
  }

  public static RunEvent.Released releasedToAwaitSteps(
      RunRecord run, Instant at, Instant resumeAt) {
    return new RunEvent.Released(
        header(run, at), run.counters().attempts(), resumeAt, null, Awaiting.STEPS);
  }

  public static RunEvent.StepCompleted stepCompleted(RunRecord run, Instant at, int position) {
    return new RunEvent.StepCompleted(
        header(run, at), StepIds.of(run.id(), position), 1, at, Given.PAYLOAD, null);
  }

  public static RunEvent.CancellationRequested cancellationRequested(RunRecord run, Instant at) {
    return new RunEvent.CancellationRequested(header(run, at), null);
  }

  public static RunEvent.Cancelled cancelled(RunRecord run, Instant at) {
    return new RunEvent.Cancelled(header(run, at), null);
  }

  private static RunEvent.DeliveryRequested delivery(
      RunRecord run, Instant at, Instant availableAt, @Nullable Instant dispatchExpiresAt) {
    return new RunEvent.DeliveryRequested(
        header(run, at),
        new DeliveryIntent(
            run.environment(), run.id(), run.queue(), at, availableAt, dispatchExpiresAt, null));
  }
}
