package dev.runlane.run;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/** Events of one run, with everything filled in that most cases do not care about. */
final class SampleEvents {
  static final Environment PRODUCTION = new Environment("production");
  static final String RUN = "run_1";
  static final String QUEUE = "emails";
  static final Json PAYLOAD = Json.ofChecked("{\"userId\":\"user_1\"}");
  static final FailureRecord FAILURE =
      new FailureRecord(ErrorCode.TASK_FAILED, "Task failed.", true, null);
  static final Duration LEASE = Duration.ofSeconds(30);

  private SampleEvents() {}

  /** Seconds after noon. */
  static Instant at(long seconds) {
    return Instant.parse("2026-01-01T12:00:00Z").plusSeconds(seconds);
  }

  static EventHeader header(long seconds) {
    return EventHeader.bySystem(PRODUCTION, RUN, at(seconds));
  }

  static RunEvent.Created created(long seconds) {
    return created(header(seconds), null);
  }

  static RunEvent.Created createdFor(long seconds, long runAt) {
    return created(header(seconds), at(runAt));
  }

  static RunEvent.Created created(EventHeader header, Instant runAt) {
    return new RunEvent.Created(
        header, "emails.send", QUEUE, PAYLOAD, runAt, RunKeys.NONE, RunSource.TRIGGER);
  }

  static RunEvent.DeliveryRequested deliveryRequested(long seconds, long availableAt) {
    return new RunEvent.DeliveryRequested(header(seconds), delivery(seconds, availableAt));
  }

  static DeliveryIntent delivery(long seconds, long availableAt) {
    return new DeliveryIntent(PRODUCTION, RUN, QUEUE, at(seconds), at(availableAt), null, null);
  }

  static RunEvent.DeliveryRequested dispatchReserved(long seconds, long dispatchExpiresAt) {
    return new RunEvent.DeliveryRequested(
        header(seconds),
        new DeliveryIntent(
            PRODUCTION, RUN, QUEUE, at(seconds), at(seconds), at(dispatchExpiresAt), null));
  }

  static Lease lease(long from) {
    return new Lease("tok_" + from, "worker_1", at(from).plus(LEASE));
  }

  static RunEvent.LeaseClaimed claimed(long seconds) {
    return new RunEvent.LeaseClaimed(header(seconds), lease(seconds));
  }

  static RunEvent.LeaseHeartbeat heartbeat(long seconds, Lease lease) {
    return new RunEvent.LeaseHeartbeat(header(seconds), lease);
  }

  static RunEvent.Started started(long seconds, int attempt) {
    return new RunEvent.Started(header(seconds), attempt);
  }

  static RunEvent.Succeeded succeeded(long seconds, int attempt) {
    return new RunEvent.Succeeded(header(seconds), attempt, null);
  }

  static RunEvent.Failed failed(long seconds, int attempt) {
    return new RunEvent.Failed(header(seconds), attempt, FAILURE);
  }

  static RunEvent.RetryScheduled retryScheduled(long seconds, int attempt, long retryAt) {
    return new RunEvent.RetryScheduled(header(seconds), attempt, FAILURE, at(retryAt));
  }

  static RunEvent.Released released(long seconds, int attempt, long resumeAt) {
    return new RunEvent.Released(header(seconds), attempt, at(resumeAt), null);
  }

  static RunEvent.Released releasedToAwaitSteps(long seconds, int attempt, long resumeAt) {
    return new RunEvent.Released(header(seconds), attempt, at(resumeAt), null, Awaiting.STEPS);
  }

  static RunEvent.StepRequested stepRequested(long seconds, int position) {
    return new RunEvent.StepRequested(
        header(seconds), StepIds.of(RUN, position), "charge", null, null, 1, null);
  }

  static RunEvent.StepCompleted stepCompleted(long seconds, int position) {
    return new RunEvent.StepCompleted(
        header(seconds), StepIds.of(RUN, position), 1, at(seconds), PAYLOAD, null);
  }

  static RunEvent.CancellationRequested cancellationRequested(long seconds) {
    return new RunEvent.CancellationRequested(header(seconds), null);
  }

  static RunEvent.Cancelled cancelled(long seconds) {
    return new RunEvent.Cancelled(header(seconds), null);
  }

  static Map<String, String> trace(String id) {
    return Map.of("traceparent", id);
  }

  /** The record of a new run after these events. */
  static RunRecord project(RunEvent... events) {
    return RunReducer.projectRunEvents(null, ContractDefaults.NEW_EVENT_SEQUENCE, List.of(events));
  }

  /** The record after one command with these events. */
  static RunRecord append(RunRecord run, RunEvent... events) {
    return RunReducer.projectRunEvents(run, run.eventSequence(), List.of(events));
  }
}
