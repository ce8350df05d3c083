package dev.runlane.json.record;

import dev.runlane.json.JsonWriter;
import dev.runlane.run.EventHeader;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunEventType;

/** The fields of each type of event: written by the visitor, read by {@link #read}. */
final class RunEventBody implements RunEvent.Visitor<JsonWriter> {
  private final JsonWriter writer;

  RunEventBody(JsonWriter writer) {
    this.writer = writer;
  }

  static RunEvent read(RunEventType type, EventHeader header, JsonObjectText body) {
    return switch (type) {
      case CREATED ->
        new RunEvent.Created(
            header,
            body.text("taskId"),
            body.text("queue"),
            body.json("payload"),
            body.instantOrNull("runAt"),
            RecordFields.keys(body),
            RecordFields.source(body.object("source")),
            RecordFields.tags(body));
      case DELIVERY_REQUESTED ->
        new RunEvent.DeliveryRequested(header, RecordFields.delivery(body.object("delivery")));
      case LEASE_CLAIMED ->
        new RunEvent.LeaseClaimed(header, RecordFields.lease(body.object("lease")));
      case LEASE_HEARTBEAT ->
        new RunEvent.LeaseHeartbeat(header, RecordFields.lease(body.object("lease")));
      case STARTED -> new RunEvent.Started(header, body.count("attempt"));
      case SUCCEEDED ->
        new RunEvent.Succeeded(header, body.count("attempt"), body.jsonOrNull("output"));
      case FAILED ->
        new RunEvent.Failed(
            header, body.count("attempt"), RecordFields.failure(body.object("failure")));
      case RETRY_SCHEDULED ->
        new RunEvent.RetryScheduled(
            header,
            body.count("attempt"),
            RecordFields.failure(body.object("failure")),
            body.instant("retryAt"));
      case RELEASED ->
        new RunEvent.Released(
            header,
            body.count("attempt"),
            body.instant("resumeAt"),
            body.textOrNull("reason"),
            RecordFields.awaitingOrNull(body));
      case STEP_REQUESTED ->
        new RunEvent.StepRequested(
            header,
            body.text("stepId"),
            body.text("name"),
            body.textOrNull("group"),
            body.jsonOrNull("input"),
            body.count("attempt"),
            body.instantOrNull("dueAt"),
            RecordFields.dispatchOrNull(body.objectOrNull("dispatch")));
      case STEP_COMPLETED ->
        new RunEvent.StepCompleted(
            header,
            body.text("stepId"),
            body.count("tries"),
            body.instantOrNull("startedAt"),
            body.jsonOrNull("output"),
            RecordFields.failureOrNull(body.objectOrNull("failure")),
            body.instantOrNull("dispatchedAt"));
      case CANCELLATION_REQUESTED ->
        new RunEvent.CancellationRequested(header, body.textOrNull("reason"));
      case CANCELLED -> new RunEvent.Cancelled(header, body.textOrNull("reason"));
    };
  }

  @Override
  public JsonWriter created(RunEvent.Created event) {
    writer.text("taskId", event.taskId());
    writer.text("queue", event.queue());
    writer.json("payload", event.payload());
    writer.instant("runAt", event.runAt());
    RecordFields.keys(writer, event.keys());
    RecordFields.source(writer, event.source());
    writer.texts("tags", event.tags().isEmpty() ? null : event.tags());
    return writer;
  }

  @Override
  public JsonWriter deliveryRequested(RunEvent.DeliveryRequested event) {
    RecordFields.delivery(writer, event.delivery());
    return writer;
  }

  @Override
  public JsonWriter leaseClaimed(RunEvent.LeaseClaimed event) {
    RecordFields.lease(writer, event.lease());
    return writer;
  }

  @Override
  public JsonWriter leaseHeartbeat(RunEvent.LeaseHeartbeat event) {
    RecordFields.lease(writer, event.lease());
    return writer;
  }

  @Override
  public JsonWriter started(RunEvent.Started event) {
    writer.number("attempt", event.attempt());
    return writer;
  }

  @Override
  public JsonWriter succeeded(RunEvent.Succeeded event) {
    writer.number("attempt", event.attempt());
    writer.json("output", event.output());
    return writer;
  }

  @Override
  public JsonWriter failed(RunEvent.Failed event) {
    writer.number("attempt", event.attempt());
    RecordFields.failureOrNull(writer, event.failure());
    return writer;
  }

  @Override
  public JsonWriter retryScheduled(RunEvent.RetryScheduled event) {
    writer.number("attempt", event.attempt());
    RecordFields.failureOrNull(writer, event.failure());
    writer.instant("retryAt", event.retryAt());
    return writer;
  }

  @Override
  public JsonWriter released(RunEvent.Released event) {
    writer.number("attempt", event.attempt());
    writer.instant("resumeAt", event.resumeAt());
    writer.text("reason", event.reason());
    RecordFields.awaiting(writer, event.awaiting());
    return writer;
  }

  @Override
  public JsonWriter stepRequested(RunEvent.StepRequested event) {
    writer.text("stepId", event.stepId());
    writer.text("name", event.name());
    writer.text("group", event.group());
    writer.json("input", event.input());
    writer.number("attempt", event.attempt());
    writer.instant("dueAt", event.dueAt());
    RecordFields.dispatch(writer, event.dispatch());
    return writer;
  }

  /** The outcome is for readers; it follows from whether there is a failure. */
  @Override
  public JsonWriter stepCompleted(RunEvent.StepCompleted event) {
    writer.text("stepId", event.stepId());
    writer.text("outcome", event.isFailed() ? "failed" : "completed");
    writer.number("tries", event.tries());
    writer.instant("dispatchedAt", event.dispatchedAt());
    writer.instant("startedAt", event.startedAt());
    writer.json("output", event.output());
    RecordFields.failureOrNull(writer, event.failure());
    return writer;
  }

  @Override
  public JsonWriter cancellationRequested(RunEvent.CancellationRequested event) {
    writer.text("reason", event.reason());
    return writer;
  }

  @Override
  public JsonWriter cancelled(RunEvent.Cancelled event) {
    writer.text("reason", event.reason());
    return writer;
  }
}
