package dev.runlane.simulation.history;

import dev.runlane.run.Awaiting;
import dev.runlane.run.DeliveryIntent;
import dev.runlane.run.Lease;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunRecord;
import dev.runlane.simulation.history.Violation.Rule;
import dev.runlane.storage.read.RunEventRecord;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Walks through one history by the table of the lifecycle, without the reducer, which may be what is wrong: each event
 * stands where it may, no attempt begins before it is due, and no lease is taken over or renewed by another worker
 * while it lasts. Each visit answers whether its event may stand there, and goes on as if it did.
 */
final class TransitionRules implements RunEvent.Visitor<Boolean> {
  private final RunHistory history;
  private final List<Violation> found;
  private Status status = Status.NEW;
  private Instant due = Instant.MIN; // of what waits
  private @Nullable Lease lease; // of what is owned
  private int attempts;
  private boolean awaitsSteps;

  TransitionRules(RunHistory history, List<Violation> found) {
    this.history = history;
    this.found = found;
  }

  /** Reports the first event that may not stand where it does; what follows cannot be judged. */
  void check() {
    for (RunEventRecord row : history.events()) {
      String before = toString();
      if (!row.event().accept(this)) {
        found.add(new Violation(
            Rule.LIFECYCLE,
            history.runId(),
            "event " + row.sequence() + " is " + row.event().type().value() + " at "
                + row.event().header().occurredAt() + " of a run that is " + before));
        return;
      }
      if (status == Status.ENDED) {
        return; // that nothing follows is a rule of its own
      }
    }
  }

  @Override
  public Boolean created(RunEvent.Created event) {
    boolean isLegal = status == Status.NEW;
    waits(Status.QUEUED, event.runAt() == null ? event.header().occurredAt() : event.runAt());
    return isLegal;
  }

  @Override
  public Boolean deliveryRequested(RunEvent.DeliveryRequested event) {
    DeliveryIntent delivery = event.delivery();
    RunRecord run = history.stored();
    boolean isLegal = (status == Status.QUEUED || isDue(event))
        && delivery.environment().equals(run.environment())
        && delivery.runId().equals(run.id())
        && delivery.queue().equals(run.queue());
    boolean isLater = delivery.availableAt().isAfter(event.header().occurredAt());
    waits(isLater ? Status.WAITING : Status.QUEUED, delivery.availableAt());
    return isLegal;
  }

  @Override
  public Boolean leaseClaimed(RunEvent.LeaseClaimed event) {
    boolean isLegal = isDue(event);
    status = Status.LEASED;
    lease = event.lease();
    awaitsSteps = false;
    return isLegal;
  }

  @Override
  public Boolean leaseHeartbeat(RunEvent.LeaseHeartbeat event) {
    Lease before = lease;
    lease = event.lease();
    return before != null
        && before.token().equals(event.lease().token())
        && before.workerId().equals(event.lease().workerId());
  }

  @Override
  public Boolean started(RunEvent.Started event) {
    attempts++;
    return status == Status.LEASED
        && lease != null
        && !lease.isExpiredAt(event.header().occurredAt())
        && event.attempt() == attempts;
  }

  @Override
  public Boolean succeeded(RunEvent.Succeeded event) {
    return ends(event.attempt());
  }

  @Override
  public Boolean failed(RunEvent.Failed event) {
    return ends(event.attempt());
  }

  @Override
  public Boolean retryScheduled(RunEvent.RetryScheduled event) {
    boolean isLegal = isOfAttempt(event.attempt());
    waits(Status.WAITING, event.retryAt());
    return isLegal;
  }

  @Override
  public Boolean released(RunEvent.Released event) {
    boolean isLegal = isOfAttempt(event.attempt());
    waits(Status.WAITING, event.resumeAt());
    awaitsSteps = event.awaiting() == Awaiting.STEPS;
    return isLegal;
  }

  @Override
  public Boolean stepRequested(RunEvent.StepRequested event) {
    return lease != null && attempts > 0;
  }

  /** It comes at any time, and what awaits it is due by it. */
  @Override
  public Boolean stepCompleted(RunEvent.StepCompleted event) {
    if (awaitsSteps) {
      due = event.header().occurredAt();
    }
    return attempts > 0;
  }

  @Override
  public Boolean cancellationRequested(RunEvent.CancellationRequested event) {
    boolean isLegal = status == Status.LEASED;
    status = Status.CANCELLING;
    return isLegal;
  }

  @Override
  public Boolean cancelled(RunEvent.Cancelled event) {
    boolean isLegal =
        status == Status.QUEUED || status == Status.WAITING || status == Status.CANCELLING;
    status = Status.ENDED;
    return isLegal;
  }

  private void waits(Status as, Instant until) {
    status = as;
    due = until;
    lease = null;
    awaitsSteps = false;
  }

  private boolean ends(int attempt) {
    boolean isLegal = isOfAttempt(attempt);
    status = Status.ENDED;
    return isLegal;
  }

  private boolean isOfAttempt(int attempt) {
    return lease != null && attempts > 0 && attempt == attempts;
  }

  /** Whether somebody may own it from this event on: nothing owns it, or did until then. */
  private boolean isDue(RunEvent event) {
    Instant at = event.header().occurredAt();
    return switch (status) {
      case QUEUED, WAITING -> !due.isAfter(at);
      case LEASED -> lease != null && lease.isExpiredAt(at);
      case NEW, CANCELLING, ENDED -> false;
    };
  }

  @Override
  public String toString() {
    return status + (lease == null ? ", due at " + due : ", " + lease) + ", after " + attempts
        + " attempts";
  }

  /** Where a run is, as far as it matters to what may follow. */
  private enum Status {
    NEW,
    QUEUED,
    WAITING,
    LEASED,
    CANCELLING,
    ENDED
  }
}
