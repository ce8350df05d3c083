package dev.runlane.simulation.history;

import dev.runlane.run.RunEvent;
import org.jspecify.annotations.Nullable;

/** The attempt that an event names as ended; null for all other events. */
public final class OutcomeAttempt implements RunEvent.Visitor<@Nullable Integer> {
  @Override
  public @Nullable Integer created(RunEvent.Created event) {
    return null;
  }

  @Override
  public @Nullable Integer deliveryRequested(RunEvent.DeliveryRequested event) {
    return null;
  }

  @Override
  public @Nullable Integer leaseClaimed(RunEvent.LeaseClaimed event) {
    return null;
  }

  @Override
  public @Nullable Integer leaseHeartbeat(RunEvent.LeaseHeartbeat event) {
    return null;
  }

  @Override
  public @Nullable Integer started(RunEvent.Started event) {
    return null;
  }

  @Override
  public @Nullable Integer succeeded(RunEvent.Succeeded event) {
    return event.attempt();
  }

  @Override
  public @Nullable Integer failed(RunEvent.Failed event) {
    return event.attempt();
  }

  @Override
  public @Nullable Integer retryScheduled(RunEvent.RetryScheduled event) {
    return event.attempt();
  }

  @Override
  public @Nullable Integer released(RunEvent.Released event) {
    return event.attempt();
  }

  @Override
  public @Nullable Integer stepRequested(RunEvent.StepRequested event) {
    return null;
  }

  @Override
  public @Nullable Integer stepCompleted(RunEvent.StepCompleted event) {
    return null;
  }

  @Override
  public @Nullable Integer cancellationRequested(RunEvent.CancellationRequested event) {
    return null;
  }

  @Override
  public @Nullable Integer cancelled(RunEvent.Cancelled event) {
    return null;
  }
}
