package dev.runlane.runtime.operate;

import dev.runlane.run.RunEvent;
import dev.runlane.timing.Durations;
import java.time.Duration;

/** What a history shows people of each event, beside its name and time: one line, empty where there is no more. */
public final class EventText implements RunEvent.Visitor<String> {
  /** A reader of events; it keeps nothing. */
  public EventText() {}

  @Override
  public String created(RunEvent.Created event) {
    return event.taskId() + " on queue " + event.queue()
        + (event.keys().idempotencyKey() == null ? "" : ", key " + event.keys().idempotencyKey());
  }

  @Override
  public String deliveryRequested(RunEvent.DeliveryRequested event) {
    return event.delivery().dispatchExpiresAt() == null ? "" : "a slot of the queue is reserved";
  }

  @Override
  public String leaseClaimed(RunEvent.LeaseClaimed event) {
    return "by " + event.lease().workerId();
  }

  @Override
  public String leaseHeartbeat(RunEvent.LeaseHeartbeat event) {
    return "";
  }

  @Override
  public String started(RunEvent.Started event) {
    return "attempt " + event.attempt();
  }

  @Override
  public String succeeded(RunEvent.Succeeded event) {
    return event.output() == null ? "" : event.output().text();
  }

  @Override
  public String failed(RunEvent.Failed event) {
    return event.failure().message();
  }

  @Override
  public String retryScheduled(RunEvent.RetryScheduled event) {
    Duration pause = Duration.between(event.header().occurredAt(), event.retryAt());
    return event.failure().message() + "; again in "
        + Durations.format(Duration.ofMillis(pause.toMillis()));
  }

  @Override
  public String released(RunEvent.Released event) {
    return event.reason() == null ? "" : event.reason();
  }

  @Override
  public String stepRequested(RunEvent.StepRequested event) {
    return event.dueAt() == null ? event.name() : "until " + event.dueAt();
  }

  @Override
  public String stepCompleted(RunEvent.StepCompleted event) {
    if (event.failure() != null) {
      return event.stepId() + ": " + event.failure().message();
    }
    return event.output() == null
        ? event.stepId()
        : event.stepId() + ": " + event.output().text();
  }

  @Override
  public String cancellationRequested(RunEvent.CancellationRequested event) {
    return event.reason() == null ? "" : event.reason();
  }

  @Override
  public String cancelled(RunEvent.Cancelled event) {
    return event.reason() == null ? "" : event.reason();
  }
}
