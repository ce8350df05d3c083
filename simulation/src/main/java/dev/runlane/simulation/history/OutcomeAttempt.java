package dev.runlane.simulation.history;

import dev.runlane.run.RunEvent;
import java.util.OptionalInt;

/** The attempt that an event names as ended; empty for all other events. */
public final class OutcomeAttempt implements RunEvent.Visitor<OptionalInt> {
  private static final OutcomeAttempt VISITOR = new OutcomeAttempt();

  private OutcomeAttempt() {}

  /** The attempt that ended with this event; empty when none did. */
  public static OptionalInt of(RunEvent event) {
    return event.accept(VISITOR);
  }

  @Override
  public OptionalInt created(RunEvent.Created event) {
    return OptionalInt.empty();
  }

  @Override
  public OptionalInt deliveryRequested(RunEvent.DeliveryRequested event) {
    return OptionalInt.empty();
  }

  @Override
  public OptionalInt leaseClaimed(RunEvent.LeaseClaimed event) {
    return OptionalInt.empty();
  }

  @Override
  public OptionalInt leaseHeartbeat(RunEvent.LeaseHeartbeat event) {
    return OptionalInt.empty();
  }

  @Override
  public OptionalInt started(RunEvent.Started event) {
    return OptionalInt.empty();
  }

  @Override
  public OptionalInt succeeded(RunEvent.Succeeded event) {
    return OptionalInt.of(event.attempt());
  }

  @Override
  public OptionalInt failed(RunEvent.Failed event) {
    return OptionalInt.of(event.attempt());
  }

  @Override
  public OptionalInt retryScheduled(RunEvent.RetryScheduled event) {
    return OptionalInt.of(event.attempt());
  }

  @Override
  public OptionalInt released(RunEvent.Released event) {
    return OptionalInt.of(event.attempt());
  }

  @Override
  public OptionalInt stepRequested(RunEvent.StepRequested event) {
    return OptionalInt.empty();
  }

  @Override
  public OptionalInt stepCompleted(RunEvent.StepCompleted event) {
    return OptionalInt.empty();
  }

  @Override
  public OptionalInt cancellationRequested(RunEvent.CancellationRequested event) {
    return OptionalInt.empty();
  }

  @Override
  public OptionalInt cancelled(RunEvent.Cancelled event) {
    return OptionalInt.empty();
  }
}
