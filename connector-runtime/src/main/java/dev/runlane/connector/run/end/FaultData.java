package dev.runlane.connector.run.end;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runlane.connector.process.line.StderrTail;
import dev.runlane.connector.protocol.message.ConnectorError;
import dev.runlane.connector.protocol.message.Violation;
import dev.runlane.connector.protocol.redact.Redaction;
import dev.runlane.connector.protocol.text.StorableJson;
import dev.runlane.connector.run.record.RunFacts;
import dev.runlane.connector.run.state.RunData;
import dev.runlane.connector.run.state.RunFault;
import dev.runlane.connector.store.record.SinkFailure;
import dev.runlane.json.StorableText;
import dev.runlane.run.Json;
import org.jspecify.annotations.Nullable;

/** What went wrong in one run, as its last event and its history say it: redacted, bounded. */
final class FaultData {
  private final Redaction redaction;
  private final RunFacts facts;

  FaultData(Redaction redaction, RunFacts facts) {
    this.redaction = redaction;
    this.facts = facts;
  }

  /** The members of the terminal event. */
  void putInto(ObjectNode event, RunFault fault) {
    event.put("reason", fault.reason());
    if (fault.message() != null) {
      event.put("failure_origin", fault.origin());
      event.put("failure_message", bounded(fault.message()));
    }
    if (fault.violation() != null) {
      putViolation(event.putObject("violation"), fault.violation());
    }
    if (fault.refusal() != null) {
      putRefusal(event.putObject("ingest_failure"), fault, fault.refusal());
    }
    RunData.put(event, "stdin_closed_at_phase", fault.stdinPhase());
    StderrTail tail = facts.stderr();
    if (facts.done() == null && tail != null && tail.bytesObserved() > 0) {
      putStderr(event.putObject("connector_diagnostics").putObject("stderr_tail"), tail);
    }
  }

  /** What the connector itself said of its failure, in members of the terminal event. */
  void putConnectorError(ObjectNode event) {
    putError(event, "connector_error_");
  }

  /** The same as an object, or null where it said nothing. */
  @Nullable
  Json connectorError() {
    ObjectNode node = RunData.object();
    putError(node, "");
    return node.isEmpty() ? null : StorableJson.of(node.toString());
  }

  /** The failure in one sentence, or null where nobody has words for it. */
  @Nullable
  String message(RunFault fault) {
    ConnectorError error = error();
    String text =
        fault.message() != null ? fault.message() : error == null ? null : error.message();
    return text == null ? null : bounded(text);
  }

  private void putError(ObjectNode node, String prefix) {
    ConnectorError error = error();
    if (error == null) {
      return;
    }
    node.put(prefix + "message", bounded(error.message()));
    RunData.put(node, prefix + "code", name(error.code()));
    if (error.retryable() != null) {
      node.put(prefix + "retryable", error.retryable());
    }
  }

  private void putViolation(ObjectNode node, Violation violation) {
    node.put("subtype", violation.type().value());
    RunData.put(node, "message_type", name(violation.messageType()));
    RunData.put(node, "stream", name(violation.stream()));
    RunData.put(node, "received", name(violation.received()));
    if (!violation.expected().isEmpty()) {
      violation.expected().forEach(node.putArray("expected")::add);
    }
    if (violation.truncated()) {
      node.put("truncated", true);
    }
    if (violation.line() > 0) {
      node.put("line", violation.line());
    }
    if (facts.lastValid() != null) {
      node.put("last_valid_event_id", facts.lastValid().eventId());
      node.put("last_valid_event_type", facts.lastValid().eventType());
    }
  }

  private static void putRefusal(ObjectNode node, RunFault fault, SinkFailure refusal) {
    RunData.put(node, "stream", fault.refusedStream());
    if (fault.batchSize() > 0) {
      node.put("batch_size", fault.batchSize());
    }
    if (refusal.httpStatus() != null) {
      node.put("http_status", refusal.httpStatus());
    }
    node.put("phase", refusal.phase().value());
    RunData.put(node, "response_content_type", refusal.contentType());
    if (refusal.bodyBytes() != null) {
      node.put("response_body_bytes", refusal.bodyBytes());
    }
  }

  private static void putStderr(ObjectNode node, StderrTail tail) {
    node.put("object", "connector_stderr_tail");
    node.put("encoding", "utf-8");
    node.put("text", tail.text());
    node.put("bytes_observed", tail.bytesObserved());
    node.put("bytes_captured", tail.bytesCaptured());
    node.put("truncated", tail.truncated());
    node.put("redacted", tail.redacted());
  }

  private @Nullable ConnectorError error() {
    return facts.done() == null ? null : facts.done().error();
  }

  private String bounded(String text) {
    return StorableText.repaired(redaction.output(text, RunData.MAX_FAILURE));
  }

  private @Nullable String name(@Nullable String text) {
    return text == null ? null : redaction.name(text);
  }
}
