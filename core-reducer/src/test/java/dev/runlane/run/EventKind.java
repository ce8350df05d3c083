package dev.runlane.run;

import static dev.runlane.run.SampleEvents.FAILURE;

import java.time.Instant;

/**
 * One column of the transition table: a type of event, and for a delivery request whether its wakeup
 * is available {@code now} or {@code later}.
 */
record EventKind(RunEventType type, String variant) {

  /** The event of this kind that only a run's status and condition can make impossible. */
  RunEvent fitting(RunRecord run, Instant now) {
    EventHeader header = EventHeader.bySystem(SampleEvents.PRODUCTION, SampleEvents.RUN, now);
    Instant later = now.plusSeconds(20);
    int attempt = run == null ? 1 : Math.max(1, run.counters().attempts());
    int nextAttempt = run == null ? 1 : run.counters().attempts() + 1;
    return switch (type) {
      case CREATED -> SampleEvents.created(header, null);
      case DELIVERY_REQUESTED ->
        new RunEvent.DeliveryRequested(
            header,
            new DeliveryIntent(
                SampleEvents.PRODUCTION,
                SampleEvents.RUN,
                SampleEvents.QUEUE,
                now,
                variant.equals("later") ? later : now,
                null,
                null));
      case LEASE_CLAIMED ->
        new RunEvent.LeaseClaimed(
            header, new Lease("tok_" + now, "worker_1", now.plus(SampleEvents.LEASE)));
      case LEASE_HEARTBEAT -> new RunEvent.LeaseHeartbeat(header, renewed(run, now));
      case STARTED -> new RunEvent.Started(header, nextAttempt);
      case SUCCEEDED -> new RunEvent.Succeeded(header, attempt, null);
      case FAILED -> new RunEvent.Failed(header, attempt, FAILURE);
      case RETRY_SCHEDULED -> new RunEvent.RetryScheduled(header, attempt, FAILURE, later);
      case RELEASED -> new RunEvent.Released(header, attempt, later, null, awaiting(attempt));
      case STEP_REQUESTED ->
        new RunEvent.StepRequested(
            header, StepIds.of(SampleEvents.RUN, 0), "charge", null, null, 1, null);
      case STEP_COMPLETED ->
        new RunEvent.StepCompleted(header, StepIds.of(SampleEvents.RUN, 0), 1, now, null, null);
      case CANCELLATION_REQUESTED -> new RunEvent.CancellationRequested(header, null);
      case CANCELLED -> new RunEvent.Cancelled(header, null);
    };
  }

  /** Every other release is one to await steps, so that histories hold both. */
  private static Awaiting awaiting(int attempt) {
    return attempt % 2 == 0 ? Awaiting.STEPS : null;
  }

  private static Lease renewed(RunRecord run, Instant now) {
    Lease current = run == null ? null : run.lease();
    return (current == null ? SampleEvents.lease(0) : current).until(now.plus(SampleEvents.LEASE));
  }

  @Override
  public String toString() {
    return type.value() + (variant.equals("-") ? "" : " " + variant);
  }
}
