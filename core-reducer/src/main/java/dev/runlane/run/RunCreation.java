package dev.runlane.run;

/** The first event of a run: {@code run.created} and nothing else. */
final class RunCreation implements RunEvent.Visitor<RunRecord> {
  static final RunCreation INSTANCE = new RunCreation();

  private RunCreation() {}

  @Override
  public RunRecord created(RunEvent.Created event) {
    EventHeader header = event.header();
    return new RunRecord(
        header.runId(),
        header.environment(),
        event.taskId(),
        event.queue(),
        event.payload(),
        RunStatus.QUEUED,
        ContractDefaults.NEW_EVENT_SEQUENCE + 1,
        RunCounters.ZERO,
        event.runAt(),
        event.keys(),
        event.source(),
        header.traceCarrier(),
        header.meta(),
        null,
        null,
        null,
        null,
        null,
        header.occurredAt(),
        header.occurredAt(),
        null,
        null);
  }

  @Override
  public RunRecord deliveryRequested(RunEvent.DeliveryRequested event) {
    throw notFirst(event);
  }

  @Override
  public RunRecord leaseClaimed(RunEvent.LeaseClaimed event) {
    throw notFirst(event);
  }

  @Override
  public RunRecord leaseHeartbeat(RunEvent.LeaseHeartbeat event) {
    throw notFirst(event);
  }

  @Override
  public RunRecord started(RunEvent.Started event) {
    throw notFirst(event);
  }

  @Override
  public RunRecord succeeded(RunEvent.Succeeded event) {
    throw notFirst(event);
  }

  @Override
  public RunRecord failed(RunEvent.Failed event) {
    throw notFirst(event);
  }

  @Override
  public RunRecord retryScheduled(RunEvent.RetryScheduled event) {
    throw notFirst(event);
  }

  @Override
  public RunRecord released(RunEvent.Released event) {
    throw notFirst(event);
  }

  @Override
  public RunRecord stepRequested(RunEvent.StepRequested event) {
    throw notFirst(event);
  }

  @Override
  public RunRecord stepCompleted(RunEvent.StepCompleted event) {
    throw notFirst(event);
  }

  @Override
  public RunRecord cancellationRequested(RunEvent.CancellationRequested event) {
    throw notFirst(event);
  }

  @Override
  public RunRecord cancelled(RunEvent.Cancelled event) {
    throw notFirst(event);
  }

  private static RunlaneException notFirst(RunEvent event) {
    return RunlaneException.invariantViolation(
        "run %s: the first event must be run.created, but is %s",
        event.header().runId(), event.type().value());
  }
}
