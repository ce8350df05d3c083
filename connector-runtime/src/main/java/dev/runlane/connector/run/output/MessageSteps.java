package dev.runlane.connector.run.output;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runlane.connector.protocol.gap.GapFactory;
import dev.runlane.connector.protocol.gap.KnownGap;
import dev.runlane.connector.protocol.gap.KnownGaps;
import dev.runlane.connector.protocol.message.AssistanceMessage;
import dev.runlane.connector.protocol.message.AssistanceStatusMessage;
import dev.runlane.connector.protocol.message.DetailCoverageMessage;
import dev.runlane.connector.protocol.message.DetailGapMessage;
import dev.runlane.connector.protocol.message.DetailGapProgressMessage;
import dev.runlane.connector.protocol.message.DoneMessage;
import dev.runlane.connector.protocol.message.GapsPageRequestMessage;
import dev.runlane.connector.protocol.message.InteractionMessage;
import dev.runlane.connector.protocol.message.ProgressMessage;
import dev.runlane.connector.protocol.message.Received;
import dev.runlane.connector.protocol.message.RecordMessage;
import dev.runlane.connector.protocol.message.SkipMessage;
import dev.runlane.connector.protocol.message.StateMessage;
import dev.runlane.connector.protocol.message.Violation;
import dev.runlane.connector.protocol.redact.Redaction;
import dev.runlane.connector.protocol.start.RuntimeReplies;
import dev.runlane.connector.run.record.CheckpointData;
import dev.runlane.connector.run.record.RecordBatches;
import dev.runlane.connector.run.record.RunProgress;
import dev.runlane.connector.run.record.StagedCursors;
import dev.runlane.connector.run.request.ConnectorRunRequest;
import dev.runlane.connector.run.request.TerminalReason;
import dev.runlane.connector.run.state.RunData;
import dev.runlane.connector.run.state.TimelineWriter;
import dev.runlane.connector.store.record.StagedCursor;
import dev.runlane.connector.store.timeline.TimelineEventType;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

/**
 * What each message of a connector does. A step answers a future
 * to wait for before the next message is handled. Belongs to the run's context.
 */
final class MessageSteps implements Received.Visitor<Future<Void>> {
  /** Characters of the staged cursors that a run's timeline shows; the last of each stream is staged in any case. */
  private static final int MOST_STAGED_CHARACTERS = 4 << 20;

  private final ConnectorRunRequest request;
  private final TimelineWriter timelineWriter;
  private final RecordBatches batches;
  private final StagedCursors cursors;
  private final KnownGaps gaps;
  private final GapFactory gapFactory;
  private final AssistanceNotices notes;
  private final Control control;

  private long stagedCharacters;

  /** What only the run itself can do. */
  interface Control {
    /** Asks the owner, and waits. */
    void ask(InteractionMessage question);

    /** The connector said its last. */
    void done(DoneMessage message);

    /** Sends a line to the connector. */
    void reply(String line, String phase);

    /** Ends the run. */
    void violated(Violation violation);
  }

  MessageSteps(
      ConnectorRunRequest request, RunProgress progress, GapFactory gapFactory, Control control) {
    this.request = request;
    this.timelineWriter = progress.timelineWriter();
    this.batches = progress.batches();
    this.cursors = progress.cursors();
    this.gaps = progress.gaps();
    this.gapFactory = gapFactory;
    this.notes = new AssistanceNotices(timelineWriter, request.redaction());
    this.control = control;
  }

  @Override
  public Future<Void> record(RecordMessage message) {
    return batches.add(message);
  }

  @Override
  public Future<Void> state(StateMessage message) {
    return batches.flush(message.stream()).compose(sent -> {
      if (!batches.isUnknown(message.stream())) {
        stage(message);
      }
      return timelineWriter.room();
    });
  }

  @Override
  public Future<Void> progress(ProgressMessage message) {
    ObjectNode data = RunData.object();
    data.put("message", redaction().name(message.message(), RunData.MAX_MESSAGE));
    RunData.put(data, "stream_id", message.stream());
    RunData.put(data, "count", message.count());
    RunData.put(data, "total", message.total());
    timelineWriter.append(
        TimelineEventType.PROGRESS_REPORTED, "in_progress", message.stream(), data);
    return timelineWriter.room();
  }

  @Override
  public Future<Void> skip(SkipMessage message) {
    KnownGap gap = gapFactory.skipped(message);
    gaps.add(gap);
    appendSkipped(gap);
    return timelineWriter.room();
  }

  @Override
  public Future<Void> interaction(InteractionMessage message) {
    control.ask(message);
    return RecordBatches.NOTHING_TO_WAIT_FOR;
  }

  @Override
  public Future<Void> done(DoneMessage message) {
    control.done(message);
    return RecordBatches.NOTHING_TO_WAIT_FOR;
  }

  @Override
  public Future<Void> detailGap(DetailGapMessage message) {
    KnownGap gap = gapFactory.missingDetail(message);
    gaps.add(gap);
    ObjectNode data = RunData.object();
    data.put("reference_only", true);
    data.put("stream", message.stream());
    data.put("reason", gap.reason());
    data.put("status", "pending");
    RunData.put(data, "known_gap", gap.json());
    timelineWriter.append(
        TimelineEventType.DETAIL_GAP_RECORDED, "succeeded", message.stream(), data);
    return timelineWriter.room();
  }

  @Override
  public Future<Void> detailGapProgress(DetailGapProgressMessage message) {
    if (message.recovered()) {
      ObjectNode data = RunData.object();
      data.put("reference_only", true);
      RunData.put(data, "gap_id", name(message.gapId()));
      RunData.put(data, "stream", message.stream());
      RunData.put(data, "record_key", name(message.recordKey()));
      timelineWriter.append(
          TimelineEventType.DETAIL_GAP_RECOVERED, "succeeded", message.stream(), data);
    }
    return timelineWriter.room();
  }

  @Override
  public Future<Void> detailCoverage(DetailCoverageMessage message) {
    cursors.cover(message);
    ObjectNode data = RunData.object();
    data.put("reference_only", true);
    data.put("stream", message.stream());
    data.put("state_stream", message.stateStream());
    data.put("required_keys", message.required());
    data.put("hydrated_keys", message.hydrated());
    data.put("missing_keys", message.missing());
    if (message.considered() != null) {
      data.put("considered", message.considered());
    }
    if (message.covered() != null) {
      data.put("covered", message.covered());
    }
    timelineWriter.append(
        TimelineEventType.DETAIL_COVERAGE_DECLARED, "succeeded", message.stream(), data);
    return timelineWriter.room();
  }

  @Override
  public Future<Void> gapsPageRequest(GapsPageRequestMessage message) {
    control.reply(RuntimeReplies.emptyGapsPage(message.requestId()), "unknown");
    return RecordBatches.NOTHING_TO_WAIT_FOR;
  }

  @Override
  public Future<Void> assistance(AssistanceMessage message) {
    notes.report(message);
    return timelineWriter.room();
  }

  @Override
  public Future<Void> assistanceStatus(AssistanceStatusMessage message) {
    notes.report(message);
    return timelineWriter.room();
  }

  @Override
  public Future<Void> violation(Violation violation) {
    control.violated(violation);
    return RecordBatches.NOTHING_TO_WAIT_FOR;
  }

  /** No message comes any more: what was open is over. */
  void end(boolean succeeded) {
    notes.end(succeeded);
  }

  /** Appends the event of a gap that is a skip. */
  void appendSkipped(KnownGap gap) {
    ObjectNode data = RunData.object();
    RunData.put(data, "stream", gap.stream());
    data.put("reason", gap.reason());
    RunData.put(data, "message", gap.message());
    RunData.put(data, "known_gap", gap.json());
    RunData.put(data, "diagnostics", gap.diagnostics());
    timelineWriter.append(TimelineEventType.STREAM_SKIPPED, "skipped", gap.stream(), data);
  }

  private void stage(StateMessage message) {
    String stream = message.stream();
    cursors.stage(new StagedCursor(stream, message.cursor(), batches.accepted(stream)));
    ObjectNode data = RunData.object();
    data.put("stream_id", stream);
    stagedCharacters += message.cursor().text().length();
    if (stagedCharacters <= MOST_STAGED_CHARACTERS) {
      RunData.putCursor(data, message.cursor(), redaction());
    } else {
      data.put("cursor_omitted", true);
    }
    data.put("checkpoint_mode", TerminalReason.CHECKPOINT_MODE);
    data.put("state_streams_staged", cursors.count());
    data.put("state_commit_intent", CheckpointData.commitIntent(request));
    data.put("records_accepted", batches.accepted(stream));
    timelineWriter.append(TimelineEventType.STATE_STAGED, "succeeded", stream, data);
  }

  private @Nullable String name(@Nullable String text) {
    return text == null ? null : redaction().name(text, KnownGap.MAX_TEXT);
  }

  private Redaction redaction() {
    return request.redaction();
  }
}
