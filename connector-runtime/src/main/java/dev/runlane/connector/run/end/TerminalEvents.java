package dev.runlane.connector.run.end;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runlane.connector.run.record.CheckpointData;
import dev.runlane.connector.run.record.RunFacts;
import dev.runlane.connector.run.request.ConnectorRunRequest;
import dev.runlane.connector.run.request.TerminalReason;
import dev.runlane.connector.run.state.RunData;
import dev.runlane.connector.run.state.RunFault;
import dev.runlane.connector.run.state.TimelineWriter;
import dev.runlane.connector.store.history.RunHistoryEntry;
import dev.runlane.connector.store.history.RunResultFacts;
import dev.runlane.connector.store.history.RunStatus;
import dev.runlane.connector.store.record.SinkFailure;
import dev.runlane.connector.store.record.StagedCursor;
import dev.runlane.connector.store.timeline.TimelineEvent;
import dev.runlane.connector.store.timeline.TimelineEventType;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Writes down how a run ended: its last event and its place in the history. */
final class TerminalEvents {
  private final ConnectorRunRequest request;
  private final RunFacts facts;
  private final @Nullable RunFault fault;
  private final CheckpointData checkpoint;
  private final FaultData faults;

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
    this.checkpoint = new CheckpointData(request, facts, fault == null, committed);
    this.faults = new FaultData(request.redaction(), facts);
  }

  TimelineEvent event(TimelineWriter timelineWriter) {
    ObjectNode data = data();
    if (timelineWriter.thinned() > 0) {
      data.put("events_left_out", timelineWriter.thinned());
    }
    if (fault == null) {
      return timelineWriter.event(TimelineEventType.COMPLETED, "succeeded", data);
    }
    return switch (fault.kind()) {
      case CANCELLED -> timelineWriter.event(TimelineEventType.CANCELLED, "cancelled", data);
      case ABANDONED -> timelineWriter.event(TimelineEventType.ABANDONED, "abandoned", data);
      case FAILED, FENCED_OUT ->
        timelineWriter.event(
            TimelineEventType.FAILED, isCancelledByConnector() ? "cancelled" : "failed", data);
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
        failureReason(),
        fault == null ? null : faults.message(fault),
        refusal == null ? null : refusal.httpStatus(),
        new RunResultFacts(
            facts.batches().counts().emitted,
            facts.differingReport(),
            checkpoint.summary(),
            facts.gaps().json(),
            checkpoint.state(),
            faults.connectorError(),
            facts.unanswered()));
  }

  private @Nullable String failureReason() {
    if (fault == null) {
      return null;
    }
    SinkFailure refusal = fault.refusal();
    if (refusal != null) {
      return refusal.reason();
    }
    return fault.kind() == RunFault.Kind.ABANDONED
        ? TerminalReason.CONTROLLER_STOPPED
        : fault.reason();
  }

  private ObjectNode data() {
    ObjectNode data = RunData.ofSource(request);
    data.put("records_emitted", facts.batches().counts().emitted);
    if (facts.differingReport() != null) {
      data.put("reported_records_emitted", facts.differingReport());
    }
    checkpoint.putInto(data);
    data.put("persist_state", request.persistState());
    RunData.put(data, "grant_id", request.active().grantId());
    data.put("trigger_kind", request.active().trigger().names().kind());
    data.put("automation_mode", request.active().trigger().names().mode());
    if (facts.exitCode() != null) {
      data.put("exit_code", facts.exitCode());
    }
    if (fault != null) {
      faults.putInto(data, fault);
    }
    faults.putConnectorError(data);
    if (facts.gaps().count() > 0) {
      RunData.put(data, "known_gaps", facts.gaps().json());
      RunData.put(data, "known_gaps_summary", facts.gaps().summary());
    }
    new CollectionFacts(request, facts, checkpoint.committedStreams())
        .putInto(data.putObject("collection_facts"));
    return data;
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
}
