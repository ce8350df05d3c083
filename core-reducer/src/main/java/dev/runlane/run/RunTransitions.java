package dev.runlane.run;

import java.time.Instant;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** One method per lifecycle rule: check, then copy. Reads no clock, does no I/O, logs nothing. */
final class RunTransitions implements RunEvent.Visitor<RunRecord.Builder> {
  private final RunRecord run; // before the event

  private RunTransitions(RunRecord run) {
    this.run = run;
  }

  /** The state of {@code run} after {@code event}. */
  static RunRecord apply(RunRecord run, RunEvent event) {
    RunTransitions transitions = new RunTransitions(run);
    transitions.requireSameRun(event);
    return event
        .accept(transitions)
        .eventSequence(run.eventSequence() + 1)
        .updatedAt(event.header().occurredAt())
        .build();
  }

  @Override
  public RunRecord.Builder created(RunEvent.Created event) {
    throw violation(
        event,
        "is valid only as the first event, but the run is at sequence %d",
        run.eventSequence());
  }

  @Override
  public RunRecord.Builder deliveryRequested(RunEvent.DeliveryRequested event) {
    if (run.status() != RunStatus.QUEUED) {
      requireDue(event);
    }
    DeliveryIntent delivery = event.delivery();
    requireEqual(event, "environment", run.environment(), delivery.environment());
    requireEqual(event, "run", run.id(), delivery.runId());
    requireEqual(event, "queue", run.queue(), delivery.queue());
    Instant occurredAt = event.header().occurredAt();
    return entered(
            delivery.availableAt().isAfter(occurredAt) ? RunStatus.SCHEDULED : RunStatus.QUEUED)
        .runAt(delivery.availableAt())
        .lease(null)
        .reservation(
            delivery.dispatchExpiresAt() == null
                ? null
                : new DispatchReservation(occurredAt, delivery.dispatchExpiresAt()))
        .traceCarrier(firstPresent(
            delivery.traceCarrier(),
            firstPresent(event.header().traceCarrier(), run.traceCarrier())));
  }

  @Override
  public RunRecord.Builder leaseClaimed(RunEvent.LeaseClaimed event) {
    requireDue(event);
    return entered(RunStatus.RUNNING).lease(event.lease()).reservation(null);
  }

  @Override
  public RunRecord.Builder leaseHeartbeat(RunEvent.LeaseHeartbeat event) {
    Lease current = requireLeased(event);
    Lease next = event.lease();
    requireEqual(event, "worker", current.workerId(), next.workerId());
    if (!run.isLeasedWith(next.token())) {
      throw violation(
          event,
          "must carry the token of the current lease of worker %s, but carries another one",
          current.workerId());
    }
    return run.toBuilder().lease(next);
  }

  @Override
  public RunRecord.Builder started(RunEvent.Started event) {
    requireStatus(event, run.status() == RunStatus.RUNNING, "running");
    Lease lease = requireLeased(event);
    if (lease.isExpiredAt(event.header().occurredAt())) {
      throw violation(
          event,
          "needs an active lease at %s, but it expired at %s",
          event.header().occurredAt(),
          lease.expiresAt());
    }
    RunCounters counters = run.counters().plusAttempt();
    if (event.attempt() != counters.attempts()) {
      throw violation(
          event, "must carry attempt %d, but carries %d", counters.attempts(), event.attempt());
    }
    return run.toBuilder()
        .counters(counters)
        .failure(null)
        .startedAt(event.header().occurredAt());
  }

  @Override
  public RunRecord.Builder succeeded(RunEvent.Succeeded event) {
    requireCurrentAttempt(event, event.attempt());
    return finished(event, RunStatus.SUCCEEDED).failure(null).output(event.output());
  }

  @Override
  public RunRecord.Builder failed(RunEvent.Failed event) {
    requireCurrentAttempt(event, event.attempt());
    return finished(event, RunStatus.FAILED)
        .counters(run.counters().plusFailure())
        .failure(event.failure());
  }

  @Override
  public RunRecord.Builder retryScheduled(RunEvent.RetryScheduled event) {
    requireCurrentAttempt(event, event.attempt());
    return waiting(RunStatus.RETRYING, event.retryAt())
        .counters(run.counters().plusRetry())
        .failure(event.failure());
  }

  @Override
  public RunRecord.Builder released(RunEvent.Released event) {
    requireCurrentAttempt(event, event.attempt());
    return waiting(RunStatus.RELEASED, event.resumeAt())
        .awaiting(event.awaiting())
        .counters(run.counters().plusRelease());
  }

  /** Only the owner of a run asks for steps, in an attempt. */
  @Override
  public RunRecord.Builder stepRequested(RunEvent.StepRequested event) {
    requireLeased(event);
    requireStep(event, event.stepId());
    return run.toBuilder();
  }

  /** A result may come at any time, and makes a run due that was released to await it. */
  @Override
  public RunRecord.Builder stepCompleted(RunEvent.StepCompleted event) {
    requireStep(event, event.stepId());
    return run.awaiting() == Awaiting.STEPS
        ? run.toBuilder().runAt(event.header().occurredAt())
        : run.toBuilder();
  }

  @Override
  public RunRecord.Builder cancellationRequested(RunEvent.CancellationRequested event) {
    requireStatus(event, run.status() == RunStatus.RUNNING, "running");
    requireLeased(event);
    return entered(RunStatus.CANCELLATION_REQUESTED);
  }

  @Override
  public RunRecord.Builder cancelled(RunEvent.Cancelled event) {
    requireStatus(
        event,
        run.status() != RunStatus.RUNNING,
        "queued, scheduled, retrying, released or cancellation_requested");
    return finished(event, RunStatus.CANCELLED).failure(null);
  }

  private RunRecord.Builder finished(RunEvent event, RunStatus status) {
    return entered(status)
        .lease(null)
        .reservation(null)
        .finishedAt(event.header().occurredAt());
  }

  private RunRecord.Builder waiting(RunStatus status, Instant runAt) {
    return entered(status).runAt(runAt).lease(null).reservation(null);
  }

  /** A status that is entered, from another or anew: whatever the run awaited, it awaits no more. */
  private RunRecord.Builder entered(RunStatus status) {
    return run.toBuilder().status(status).awaiting(null);
  }

  private void requireSameRun(RunEvent event) {
    requireEqual(event, "run", run.id(), event.header().runId());
    requireEqual(event, "environment", run.environment(), event.header().environment());
    requireStatus(event, run.status().isActive(), "not terminal");
  }

  /** A run that is being cancelled is never due. */
  private void requireDue(RunEvent event) {
    Instant occurredAt = event.header().occurredAt();
    if (!RunDueTimes.isRunnableAt(run, occurredAt)) {
      throw violation(
          event,
          "needs a run that is due at %s, but it is %s and due at %s",
          occurredAt,
          run.status().value(),
          RunDueTimes.runnableAvailableAt(run).map(Instant::toString).orElse("no time"));
    }
  }

  private Lease requireLeased(RunEvent event) {
    requireStatus(event, run.status().isLeased(), "running or cancellation_requested");
    Lease lease = run.lease();
    if (lease == null) {
      throw violation(
          event,
          "needs a run with a lease, but it is %s without a lease",
          run.status().value());
    }
    return lease;
  }

  private void requireStep(RunEvent event, String stepId) {
    requireStarted(event);
    if (!StepIds.isOfRun(run.id(), stepId)) {
      throw violation(event, "must name a step of run %s, but names %s", run.id(), stepId);
    }
  }

  private void requireStarted(RunEvent event) {
    if (run.counters().attempts() < 1) {
      throw violation(event, "needs a started attempt, but none was started");
    }
  }

  private void requireCurrentAttempt(RunEvent event, int attempt) {
    requireLeased(event);
    requireStarted(event);
    if (attempt != run.counters().attempts()) {
      throw violation(
          event, "must carry attempt %d, but carries %d", run.counters().attempts(), attempt);
    }
  }

  private void requireStatus(RunEvent event, boolean possible, String expected) {
    if (!possible) {
      throw violation(
          event, "needs a run that is %s, but it is %s", expected, run.status().value());
    }
  }

  private void requireEqual(RunEvent event, String what, Object expected, Object found) {
    if (!expected.equals(found)) {
      throw violation(event, "must name %s %s, but names %s", what, expected, found);
    }
  }

  private RunlaneException violation(RunEvent event, String format, Object... args) {
    return RunlaneException.invariantViolation(
        "run %s: %s %s", run.id(), event.type().value(), String.format(Locale.ROOT, format, args));
  }

  private static @Nullable Map<String, String> firstPresent(
      @Nullable Map<String, String> carrier, @Nullable Map<String, String> fallback) {
    return carrier == null ? fallback : carrier;
  }
}
