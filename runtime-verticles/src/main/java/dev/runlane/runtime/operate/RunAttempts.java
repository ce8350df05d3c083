package dev.runlane.runtime.operate;

import dev.runlane.run.EventHeader;
import dev.runlane.run.FailureRecord;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunEventType;
import dev.runlane.storage.read.RunEventRecord;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Reads attempts out of a history, event by event. */
final class RunAttempts implements RunEvent.Visitor<Boolean> {
  /** What this reader looks at: the events of each attempt, but none of those between, such as heartbeats. */
  static final Set<RunEventType> TYPES = Set.of(
      RunEventType.DELIVERY_REQUESTED,
      RunEventType.LEASE_CLAIMED,
      RunEventType.STARTED,
      RunEventType.SUCCEEDED,
      RunEventType.FAILED,
      RunEventType.RETRY_SCHEDULED,
      RunEventType.RELEASED,
      RunEventType.CANCELLED);

  private final List<RunAttempt> attempts = new ArrayList<>();
  private @Nullable String workerId;

  /** The attempts of a history that has all events of {@link #TYPES}, in order. */
  static List<RunAttempt> of(List<RunEventRecord> history) {
    RunAttempts reader = new RunAttempts();
    history.forEach(row -> row.event().accept(reader));
    return List.copyOf(reader.attempts);
  }

  @Override
  public Boolean created(RunEvent.Created event) {
    return false;
  }

  @Override
  public Boolean deliveryRequested(RunEvent.DeliveryRequested event) {
    return lostIfUnderWay();
  }

  @Override
  public Boolean leaseClaimed(RunEvent.LeaseClaimed event) {
    workerId = event.lease().workerId();
    return lostIfUnderWay();
  }

  @Override
  public Boolean leaseHeartbeat(RunEvent.LeaseHeartbeat event) {
    return false;
  }

  @Override
  public Boolean started(RunEvent.Started event) {
    return attempts.add(new RunAttempt(
        event.attempt(),
        workerId,
        event.header().occurredAt(),
        null,
        RunAttempt.Outcome.UNDER_WAY,
        null));
  }

  @Override
  public Boolean succeeded(RunEvent.Succeeded event) {
    return ended(event.header(), RunAttempt.Outcome.SUCCEEDED, null);
  }

  @Override
  public Boolean failed(RunEvent.Failed event) {
    return ended(event.header(), RunAttempt.Outcome.FAILED, event.failure());
  }

  @Override
  public Boolean retryScheduled(RunEvent.RetryScheduled event) {
    return ended(event.header(), RunAttempt.Outcome.RETRIED, event.failure());
  }

  @Override
  public Boolean released(RunEvent.Released event) {
    return ended(event.header(), RunAttempt.Outcome.RELEASED, null);
  }

  @Override
  public Boolean stepRequested(RunEvent.StepRequested event) {
    return false;
  }

  @Override
  public Boolean stepCompleted(RunEvent.StepCompleted event) {
    return false;
  }

  @Override
  public Boolean cancellationRequested(RunEvent.CancellationRequested event) {
    return false;
  }

  @Override
  public Boolean cancelled(RunEvent.Cancelled event) {
    return ended(event.header(), RunAttempt.Outcome.CANCELLED, null);
  }

  private boolean lostIfUnderWay() {
    return replaceLast(last -> new RunAttempt(
        last.attempt(), last.workerId(), last.startedAt(), null, RunAttempt.Outcome.LOST, null));
  }

  private boolean ended(
      EventHeader header, RunAttempt.Outcome outcome, @Nullable FailureRecord failure) {
    return replaceLast(last -> new RunAttempt(
        last.attempt(), last.workerId(), last.startedAt(), header.occurredAt(), outcome, failure));
  }

  private boolean replaceLast(UnaryOperator<RunAttempt> change) {
    int last = attempts.size() - 1;
    if (last < 0 || attempts.get(last).outcome() != RunAttempt.Outcome.UNDER_WAY) {
      return false;
    }
    attempts.set(last, change.apply(attempts.get(last)));
    return true;
  }
}
