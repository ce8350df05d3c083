package dev.runlane.json.record;

import dev.runlane.json.JsonWriter;
import dev.runlane.run.ContractDefaults;
import dev.runlane.run.Environment;
import dev.runlane.run.EventHeader;
import dev.runlane.run.Json;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunEventType;
import dev.runlane.run.RunlaneException;
import dev.runlane.storage.read.RunEventRecord;
import java.time.Instant;

/** Run events as JSON: the public form with every field, and the body that storages keep. */
public final class RunEventJson {
  private RunEventJson() {}

  /** The public form: header fields, {@code type}, and the fields of the type. */
  public static Json write(RunEvent event) {
    JsonWriter writer = new JsonWriter();
    writeEvent(writer, event);
    return Json.ofChecked(writer.end());
  }

  /** The public form of a stored event: as {@link #write(RunEvent)}, with {@code id} and {@code sequence}. */
  public static Json write(RunEventRecord row) {
    JsonWriter writer = new JsonWriter();
    writer.text("id", row.id());
    writer.number("sequence", row.sequence());
    writeEvent(writer, row.event());
    return Json.ofChecked(writer.end());
  }

  /** Reads the public form. Fails with {@code InvariantViolation} on an unknown type or missing field. */
  public static RunEvent read(Json json) {
    JsonObjectText object = JsonObjectText.of("run event", json.text());
    EventHeader header = new EventHeader(
        RecordFields.environment(object.object("environment")),
        object.text("runId"),
        RecordFields.actor(object.object("actor")),
        object.instant("occurredAt"),
        object.textsOrNull("traceCarrier"),
        object.jsonOrNull("meta"));
    return RunEventBody.read(type(object.text("type")), header, object);
  }

  /** Reads the public form of a stored event. */
  public static RunEventRecord readRecord(Json json) {
    JsonObjectText object = JsonObjectText.of("run event", json.text());
    return new RunEventRecord(object.text("id"), object.number("sequence"), read(json));
  }

  /**
   * What a storage keeps beside the columns for environment, run, sequence, type and time: the fields of
   * the type, trace, meta, and the actor unless it is the system.
   */
  public static Json body(RunEvent event) {
    JsonWriter writer = new JsonWriter();
    EventHeader header = event.header();
    if (!header.actor().equals(ContractDefaults.SYSTEM_ACTOR)) {
      RecordFields.actor(writer, header.actor());
    }
    writer.texts("traceCarrier", header.traceCarrier());
    writer.json("meta", header.meta());
    event.accept(new RunEventBody(writer));
    return Json.ofChecked(writer.end());
  }

  /** Puts an event together from a storage's columns and the body. */
  public static RunEvent readBody(
      Environment environment, String runId, String type, Instant occurredAt, Json body) {
    JsonObjectText object = JsonObjectText.of("run event", body.text());
    JsonObjectText actor = object.objectOrNull("actor");
    EventHeader header = new EventHeader(
        environment,
        runId,
        actor == null ? ContractDefaults.SYSTEM_ACTOR : RecordFields.actor(actor),
        occurredAt,
        object.textsOrNull("traceCarrier"),
        object.jsonOrNull("meta"));
    return RunEventBody.read(type(type), header, object);
  }

  private static void writeEvent(JsonWriter writer, RunEvent event) {
    EventHeader header = event.header();
    writer.text("type", event.type().value());
    writer.object(
        "environment", fields -> fields.text("name", header.environment().name()));
    writer.text("runId", header.runId());
    RecordFields.actor(writer, header.actor());
    writer.instant("occurredAt", header.occurredAt());
    writer.texts("traceCarrier", header.traceCarrier());
    writer.json("meta", header.meta());
    event.accept(new RunEventBody(writer));
  }

  private static RunEventType type(String value) {
    return RunEventType.ofValue(value)
        .orElseThrow(() ->
            RunlaneException.invariantViolation("stored run event has the unknown type %s", value));
  }
}
