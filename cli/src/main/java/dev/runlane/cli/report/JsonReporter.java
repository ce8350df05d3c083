package dev.runlane.cli.report;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.ValueNode;
import com.fasterxml.jackson.databind.util.RawValue;
import dev.runlane.connector.protocol.message.RecordMessage;
import dev.runlane.connector.protocol.message.Violation;
import dev.runlane.connector.store.timeline.TimelineEvent;
import dev.runlane.run.Json;
import java.io.PrintStream;
import java.util.List;

/** Writes a run as JSON: one object a line, the member {@code kind} says which. */
final class JsonReporter implements RunReporter {
  private static final ObjectMapper JSON = new ObjectMapper();

  private final PrintStream out;

  JsonReporter(PrintStream out) {
    this.out = out;
  }

  @Override
  public void event(TimelineEvent event) {
    ObjectNode line = line("event");
    line.put("event_type", event.type().value());
    line.put("status", event.status());
    line.put("occurred_at", event.occurredAt().toString());
    line.put("stream_id", event.streamId());
    line.put("interaction_id", event.interactionId());
    line.set("data", raw(event.data()));
    print(line);
  }

  @Override
  public void records(List<RecordMessage> records) {
    for (RecordMessage record : records) {
      ObjectNode line = line("record");
      line.put("stream", record.stream());
      line.put("key", record.key());
      line.put("emitted_at", record.emittedAt());
      line.put("deleted", record.deletion());
      Json data = record.data();
      line.set("data", data == null ? JSON.nullNode() : raw(data));
      print(line);
    }
  }

  @Override
  public void rejected(Rejected rejected) {
    ObjectNode line = line("rejected");
    line.put("stream", rejected.stream());
    line.put("key", rejected.key());
    line.put("code", rejected.code());
    print(line);
  }

  @Override
  public void violation(Violation violation) {
    ObjectNode line = line("violation");
    line.put("subtype", violation.type().value());
    line.put("line", violation.line());
    line.put("message", violation.message());
    line.put("message_type", violation.messageType());
    line.put("stream", violation.stream());
    line.put("received", violation.received());
    violation.expected().forEach(line.withArray("expected")::add);
    print(line);
  }

  @Override
  public void diagnostics(String line) {
    print(line("stderr").put("text", line));
  }

  @Override
  public void summary(RunSummary summary) {
    ObjectNode line = line("summary");
    line.put("status", summary.status().word());
    line.put("reason", summary.reason());
    ObjectNode records = line.putObject("records");
    summary.records().forEach((stream, count) -> records
        .putObject(stream)
        .put("accepted", count.accepted())
        .put("deleted", count.deleted())
        .put("rejected", count.rejected())
        .put("bytes", count.bytes()));
    ObjectNode cursors = line.putObject("state");
    summary.cursors().forEach((stream, cursor) -> cursors.set(stream, raw(cursor)));
    line.set("terminal", raw(summary.terminal()));
    print(line);
    out.flush();
  }

  private static ObjectNode line(String kind) {
    return JSON.createObjectNode().put("kind", kind);
  }

  private static ValueNode raw(Json json) {
    return JSON.getNodeFactory().rawValueNode(new RawValue(json.text()));
  }

  private void print(ObjectNode line) {
    out.println(line);
  }
}
