package dev.runlane.connector.run;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runlane.connector.process.StderrTail;
import dev.runlane.connector.protocol.ConnectorError;
import dev.runlane.connector.protocol.DetailCoverageMessage;
import dev.runlane.connector.protocol.Violation;
import dev.runlane.connector.store.RunHistoryEntry;
import dev.runlane.connector.store.RunResultFacts;
import dev.runlane.connector.store.RunStatus;
import dev.runlane.connector.store.SinkFailure;
import dev.runlane.connector.store.StagedCursor;
import dev.runlane.connector.store.TimelineEvent;
import dev.runlane.connector.store.TimelineEventType;
import dev.runlane.run.Json;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Writes down how a run ended: its last event and its place in the history. */
final class TerminalEvents {
  /** Streams whose facts are told. */
  private static final int MOST_STREAMS = 1_000;

  /** Characters of committed cursors that the history keeps; more are left to the state itself. */
  private static final int MOST_STATE = 1 << 20;

  private final ConnectorRunRequest request;
  private final RunFacts facts;
  private final @Nullable RunFault fault;
  private final List<StagedCursor> committed;

  /**
   * The end of a run.
   *
   * @param fault why it did not complete, or null when it did
   * @param committed the cursors that are, or by this end will be, stored
   */
  TerminalEvents(
      ConnectorRunRequest request,
      RunFacts facts,
      @Nullable RunFault fault,
      List<StagedCursor> committed) {
    this.request = request;
    this.facts = facts;
    this.fault = fault;
    this.committed = committed;
  }

  /** What becomes of staged cursors, as the timeline says it. */
  static String commitIntent(ConnectorRunRequest request) {
    return request.persistState() ? "commit_on_success" : "do_not_persist";
  }

  TimelineEvent event(RunStory story) {
    if (fault == null) {
      return story.event(TimelineEventType.COMPLETED, "succeeded", data());
    }
    return switch (fault.kind()) {
      case CANCELLED -> story.event(TimelineEventType.CANCELLED, "cancelled", data());
      case ABANDONED -> story.event(TimelineEventType.ABANDONED, "abandoned", data());
      case FAILED, FENCED_OUT ->
        story.event(
            TimelineEventType.FAILED, isCancelledByConnector() ? "cancelled" : "failed", data());
    };
  }

  RunHistoryEntry history(Instant now) {
    Instant started = request.active().startedAt();
    SinkFailure refusal = fault == null ? null : fault.refusal();
    return new RunHistoryEntry(
        request.active().run(),
        request.active().trigger(),
        status(),
        started,
        now.isBefore(started) ? started : now,
        fault == null ? null : fault.reason(),
        refusal != null ? refusal.reason() : fault == null ? null : fault.reason(),
        error(),
        refusal == null ? null : refusal.httpStatus(),
        new RunResultFacts(
            facts.batches().counts().emitted,
            facts.differingReport(),
            checkpointSummary(),
            facts.gaps().json(),
            state(),
            connectorError(),
            facts.unanswered()));
  }

  private ObjectNode data() {
    ObjectNode data = RunData.ofSource(request);
    data.put("records_emitted", facts.batches().counts().emitted);
    if (facts.differingReport() != null) {
      data.put("reported_records_emitted", facts.differingReport());
    }
    putCheckpoint(data, "checkpoint_commit_status", "checkpoint_mode");
    data.put("persist_state", request.persistState());
    RunData.put(data, "grant_id", request.active().grantId());
    data.put("trigger_kind", request.active().trigger().kind().value());
    data.put("automation_mode", request.active().trigger().mode().value());
    if (facts.exitCode() != null) {
      data.put("exit_code", facts.exitCode());
    }
    if (fault != null) {
      putFault(data, fault);
    }
    putConnectorError(data);
    if (facts.gaps().count() > 0) {
      RunData.put(data, "known_gaps", facts.gaps().json());
      RunData.put(data, "known_gaps_summary", facts.gaps().summary());
    }
    putCollectionFacts(data.putObject("collection_facts"));
    if (facts.thinnedEvents() > 0) {
      data.put("events_left_out", facts.thinnedEvents());
    }
    return data;
  }

  private void putFault(ObjectNode data, RunFault of) {
    data.put("reason", of.reason());
    if (of.message() != null) {
      data.put("failure_origin", of.origin());
      data.put("failure_message", request.redaction().output(of.message(), RunData.MAX_FAILURE));
    }
    if (of.violation() != null) {
      putViolation(data.putObject("violation"), of.violation());
    }
    if (of.refusal() != null) {
      putRefusal(data.putObject("ingest_failure"), of, of.refusal());
    }
    RunData.put(data, "stdin_closed_at_phase", of.stdinPhase());
    StderrTail tail = facts.stderr();
    if (facts.done() == null && tail != null && tail.bytesObserved() > 0) {
      putStderr(data.putObject("connector_diagnostics").putObject("stderr_tail"), tail);
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

  private static void putRefusal(ObjectNode node, RunFault of, SinkFailure refusal) {
    RunData.put(node, "stream", of.refusedStream());
    if (of.batchSize() > 0) {
      node.put("batch_size", of.batchSize());
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

  private void putConnectorError(ObjectNode data) {
    ConnectorError error = facts.done() == null ? null : facts.done().error();
    if (error == null) {
      return;
    }
    data.put(
        "connector_error_message",
        request.redaction().output(error.message(), RunData.MAX_FAILURE));
    RunData.put(data, "connector_error_code", error.code());
    if (error.retryable() != null) {
      data.put("connector_error_retryable", error.retryable());
    }
  }

  private void putCheckpoint(ObjectNode node, String status, String mode) {
    RecordBatches.Counts counts = facts.batches().counts();
    node.put(mode, TerminalReason.CHECKPOINT_MODE);
    node.put(status, commitStatus());
    node.put("state_streams_staged", facts.cursors().count());
    node.put("state_streams_committed", committed.size());
    node.put("buffered_records_dropped", counts.dropped);
    node.put("records_attempted", counts.attempted);
    node.put("records_accepted", counts.accepted);
    node.put("records_flushed", counts.accepted);
    node.put("records_permanently_rejected", counts.rejected + counts.refused);
    node.put("records_unresolved_retryable", counts.unresolved);
  }

  private void putCollectionFacts(ObjectNode node) {
    node.put("reference_only", true);
    node.put("schema_version", 1);
    ArrayNode streams = node.putArray("streams");
    Set<String> stored = committed.stream().map(StagedCursor::stream).collect(Collectors.toSet());
    request.scope().names().stream().limit(MOST_STREAMS).forEach(name -> {
      ObjectNode stream = streams.addObject();
      stream.put("stream", name);
      stream.put("collected", facts.batches().emitted(name));
      stream.put("checkpoint", checkpoint(name, stored));
      for (DetailCoverageMessage coverage : facts.cursors().coverageOf(name)) {
        stream.put(
            "considered",
            coverage.considered() == null ? coverage.required() : coverage.considered());
        if (coverage.covered() != null) {
          stream.put("covered", coverage.covered());
        }
      }
      stream.put("pending_detail_gaps", facts.gaps().missingDetailsOf(name));
      String skipped = facts.gaps().skipReasonOf(name);
      if (skipped == null) {
        stream.putNull("skipped");
      } else {
        stream.putObject("skipped").put("reason", skipped);
      }
    });
  }

  private String checkpoint(String stream, Set<String> stored) {
    if (!request.persistState()) {
      return "disabled";
    }
    if (stored.contains(stream)) {
      return "committed";
    }
    return facts.cursors().isStaged(stream) ? "not_committed" : "not_staged";
  }

  private String commitStatus() {
    if (!request.persistState()) {
      return "disabled";
    }
    if (fault == null && committed.size() == facts.cursors().count()) {
      return "committed";
    }
    if (committed.isEmpty()) {
      return "not_committed";
    }
    return committed.size() == facts.cursors().count() ? "committed" : "partially_committed";
  }

  private Json checkpointSummary() {
    ObjectNode summary = RunData.object();
    putCheckpoint(summary, "commit_status", "mode");
    return Json.ofChecked(summary.toString());
  }

  private @Nullable Json state() {
    if (!request.persistState() || fault != null) {
      return null;
    }
    long size = committed.stream()
        .mapToLong(cursor -> cursor.cursor().text().length() + cursor.stream().length())
        .sum();
    if (size > MOST_STATE) {
      return null;
    }
    ObjectNode state = RunData.object();
    committed.forEach(cursor -> RunData.put(state, cursor.stream(), cursor.cursor()));
    return Json.ofChecked(state.toString());
  }

  private @Nullable Json connectorError() {
    ConnectorError error = facts.done() == null ? null : facts.done().error();
    if (error == null) {
      return null;
    }
    ObjectNode node = RunData.object();
    node.put("message", request.redaction().output(error.message(), RunData.MAX_FAILURE));
    RunData.put(node, "code", error.code());
    if (error.retryable() != null) {
      node.put("retryable", error.retryable());
    }
    return Json.ofChecked(node.toString());
  }

  private @Nullable String error() {
    if (fault == null) {
      return null;
    }
    ConnectorError error = facts.done() == null ? null : facts.done().error();
    String text =
        fault.message() != null ? fault.message() : error == null ? null : error.message();
    return text == null ? null : request.redaction().output(text, RunData.MAX_FAILURE);
  }

  private RunStatus status() {
    if (fault == null) {
      return RunStatus.SUCCEEDED;
    }
    return fault.kind() == RunFault.Kind.CANCELLED || isCancelledByConnector()
        ? RunStatus.CANCELLED
        : RunStatus.FAILED;
  }

  private boolean isCancelledByConnector() {
    return fault != null && fault.reason().equals(TerminalReason.REPORTED_CANCELLED);
  }

  private @Nullable String name(@Nullable String text) {
    return text == null ? null : request.redaction().name(text);
  }
}
