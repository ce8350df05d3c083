package dev.runlane.json;

import dev.runlane.run.EventHeader;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunEventType;
import org.jspecify.annotations.Nullable;

/** The fields of each type of event: written by the visitor, read by {@link #read}. */
@SuppressWarnings("NullAway") // does not see that Visitor<@Nullable Void> answers null
final class RunEventBody implements RunEvent.Visitor<@Nullable Void> {
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
            RecordFields.source(body.object("source")));
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
            header, body.count("attempt"), body.instant("resumeAt"), body.textOrNull("reason"));
      case CANCELLATION_REQUESTED ->
        new RunEvent.CancellationRequested(header, body.textOrNull("reason"));
      case CANCELLED -> new RunEvent.Cancelled(header, body.textOrNull("reason"));
    };
  }

  @Override
  public @Nullable Void created(RunEvent.Created event) {
    writer.text("taskId", event.taskId());
    writer.text("queue", event.queue());
    writer.json("payload", event.payload());
    writer.instant("runAt", event.runAt());
    RecordFields.keys(writer, event.keys());
    RecordFields.source(writer, event.source());
    return null;
  }

  @Override
  public @Nullable Void deliveryRequested(RunEvent.DeliveryRequested event) {
    RecordFields.delivery(writer, event.delivery());
    return null;
  }

  @Override
  public @Nullable Void leaseClaimed(RunEvent.LeaseClaimed event) {
    RecordFields.lease(writer, event.lease());
    return null;
  }

  @Override
  public @Nullable Void leaseHeartbeat(RunEvent.LeaseHeartbeat event) {
    RecordFields.lease(writer, event.lease());
    return null;
  }

  @Override
  public @Nullable Void started(RunEvent.Started event) {
    writer.number("attempt", event.attempt());
    return null;
  }

  @Override
  public @Nullable Void succeeded(RunEvent.Succeeded event) {
    writer.number("attempt", event.attempt());
    writer.json("output", event.output());
    return null;
  }

  @Override
  public @Nullable Void failed(RunEvent.Failed event) {
    writer.number("attempt", event.attempt());
    RecordFields.failureOrNull(writer, event.failure());
    return null;
  }

  @Override
  public @Nullable Void retryScheduled(RunEvent.RetryScheduled event) {
    writer.number("attempt", event.attempt());
    RecordFields.failureOrNull(writer, event.failure());
    writer.instant("retryAt", event.retryAt());
    return null;
  }

  @Override
  public @Nullable Void released(RunEvent.Released event) {
    writer.number("attempt", event.attempt());
    writer.instant("resumeAt", event.resumeAt());
    writer.text("reason", event.reason());
    return null;
  }

  @Override
  public @Nullable Void cancellationRequested(RunEvent.CancellationRequested event) {
    writer.text("reason", event.reason());
    return null;
  }

  @Override
  public @Nullable Void cancelled(RunEvent.Cancelled event) {
    writer.text("reason", event.reason());
    return null;
  }
}
