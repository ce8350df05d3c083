package dev.runlane.run;

import java.util.ArrayList;
import java.util.List;

/** From one possible event, the same event with one thing in it that belongs to something else. */
final class StrangeEvents implements RunEvent.Visitor<List<RunEvent>> {
  private static final Environment STAGING = new Environment("staging");

  private final int attemptsOff;

  StrangeEvents(int attemptsOff) {
    this.attemptsOff = attemptsOff;
  }

  @Override
  public List<RunEvent> created(RunEvent.Created event) {
    return List.of(event); // never possible again
  }

  @Override
  public List<RunEvent> deliveryRequested(RunEvent.DeliveryRequested event) {
    DeliveryIntent good = event.delivery();
    List<RunEvent> strange =
        strangers(event.header(), header -> new RunEvent.DeliveryRequested(header, good));
    strange.add(to(event, STAGING, good.runId(), good.queue()));
    strange.add(to(event, good.environment(), "run_2", good.queue()));
    strange.add(to(event, good.environment(), good.runId(), "sms"));
    return strange;
  }

  private static RunEvent to(
      RunEvent.DeliveryRequested event, Environment environment, String runId, String queue) {
    DeliveryIntent good = event.delivery();
    return new RunEvent.DeliveryRequested(
        event.header(),
        new DeliveryIntent(
            environment, runId, queue, good.requestedAt(), good.availableAt(), null, null));
  }

  @Override
  public List<RunEvent> leaseClaimed(RunEvent.LeaseClaimed event) {
    return strangers(event.header(), header -> new RunEvent.LeaseClaimed(header, event.lease()));
  }

  @Override
  public List<RunEvent> leaseHeartbeat(RunEvent.LeaseHeartbeat event) {
    Lease good = event.lease();
    List<RunEvent> strange =
        strangers(event.header(), header -> new RunEvent.LeaseHeartbeat(header, good));
    strange.add(new RunEvent.LeaseHeartbeat(
        event.header(), new Lease("tok_stolen", good.workerId(), good.expiresAt())));
    strange.add(new RunEvent.LeaseHeartbeat(
        event.header(), new Lease(good.token(), "worker_2", good.expiresAt())));
    return strange;
  }

  @Override
  public List<RunEvent> started(RunEvent.Started event) {
    return ofAttempts(event.header(), event.attempt(), RunEvent.Started::new);
  }

  @Override
  public List<RunEvent> succeeded(RunEvent.Succeeded event) {
    return ofAttempts(
        event.header(),
        event.attempt(),
        (header, attempt) -> new RunEvent.Succeeded(header, attempt, event.output()));
  }

  @Override
  public List<RunEvent> failed(RunEvent.Failed event) {
    return ofAttempts(
        event.header(),
        event.attempt(),
        (header, attempt) -> new RunEvent.Failed(header, attempt, event.failure()));
  }

  @Override
  public List<RunEvent> retryScheduled(RunEvent.RetryScheduled event) {
    return ofAttempts(
        event.header(),
        event.attempt(),
        (header, attempt) ->
            new RunEvent.RetryScheduled(header, attempt, event.failure(), event.retryAt()));
  }

  @Override
  public List<RunEvent> released(RunEvent.Released event) {
    return ofAttempts(
        event.header(),
        event.attempt(),
        (header, attempt) -> new RunEvent.Released(
            header, attempt, event.resumeAt(), event.reason(), event.awaiting()));
  }

  @Override
  public List<RunEvent> stepRequested(RunEvent.StepRequested event) {
    List<RunEvent> strange = strangers(event.header(), header -> requested(header, event.stepId()));
    strange.add(requested(event.header(), "run_2:0"));
    strange.add(requested(event.header(), event.header().runId()));
    return strange;
  }

  @Override
  public List<RunEvent> stepCompleted(RunEvent.StepCompleted event) {
    List<RunEvent> strange = strangers(event.header(), header -> completed(header, event.stepId()));
    strange.add(completed(event.header(), "run_2:0"));
    strange.add(completed(event.header(), event.header().runId() + ":"));
    return strange;
  }

  private static RunEvent requested(EventHeader header, String stepId) {
    return new RunEvent.StepRequested(header, stepId, "charge", null, null, 1, null);
  }

  private static RunEvent completed(EventHeader header, String stepId) {
    return new RunEvent.StepCompleted(header, stepId, 1, null, null, null);
  }

  @Override
  public List<RunEvent> cancellationRequested(RunEvent.CancellationRequested event) {
    return strangers(
        event.header(), header -> new RunEvent.CancellationRequested(header, event.reason()));
  }

  @Override
  public List<RunEvent> cancelled(RunEvent.Cancelled event) {
    return strangers(event.header(), header -> new RunEvent.Cancelled(header, event.reason()));
  }

  private interface AttemptEvent {
    RunEvent of(EventHeader header, int attempt);
  }

  private interface AnyEvent {
    RunEvent of(EventHeader header);
  }

  private List<RunEvent> ofAttempts(EventHeader good, int attempt, AttemptEvent event) {
    List<RunEvent> strange = strangers(good, header -> event.of(header, attempt));
    strange.add(event.of(good, attempt + attemptsOff));
    return strange;
  }

  private static List<RunEvent> strangers(EventHeader good, AnyEvent event) {
    return new ArrayList<>(List.of(
        event.of(EventHeader.bySystem(good.environment(), "run_2", good.occurredAt())),
        event.of(EventHeader.bySystem(STAGING, good.runId(), good.occurredAt()))));
  }
}
