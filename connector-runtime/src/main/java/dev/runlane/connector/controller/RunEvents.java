package dev.runlane.connector.controller;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.util.RawValue;
import dev.runlane.connector.protocol.gap.GapFactory;
import dev.runlane.connector.protocol.gap.KnownGaps;
import dev.runlane.connector.protocol.redact.Redaction;
import dev.runlane.connector.run.request.TerminalReason;
import dev.runlane.connector.store.history.RunHistoryEntry;
import dev.runlane.connector.store.history.RunResultFacts;
import dev.runlane.connector.store.history.RunStatus;
import dev.runlane.connector.store.run.ActiveRun;
import dev.runlane.connector.store.run.EndRun;
import dev.runlane.connector.store.run.RequestCancel;
import dev.runlane.connector.store.timeline.TimelineEvent;
import dev.runlane.connector.store.timeline.TimelineEventType;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.Json;
import dev.runlane.run.RunlaneException;
import dev.runlane.timing.Clock;
import dev.runlane.timing.Ids;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What the controller itself writes to the timeline: of runs that have no child of this process. */
final class RunEvents {
  private static final int MOST_MESSAGE_CHARACTERS = 500;

  private final Clock clock;
  private final Ids ids;

  RunEvents(Clock clock, Ids ids) {
    this.clock = clock;
    this.ids = ids;
  }

  /** The end of a run that failed before or beside its child. */
  EndRun failed(ActiveRun run, RunTally kept, String reason, @Nullable String message) {
    return end(run, kept, TimelineEventType.FAILED, reason, message);
  }

  /**
   * The end of a run that {@code failure} kept from its connector. A connector that cannot be used is known by its code
   * in the history: it stays so, however often it is tried.
   */
  EndRun failed(ActiveRun run, RunTally kept, String reason, Throwable failure) {
    EndRun end = failed(run, kept, reason, message(failure));
    return failure instanceof RunlaneException known && known.code() == ErrorCode.CONNECTOR_INVALID
        ? because(end, known.code().value())
        : end;
  }

  private static EndRun because(EndRun end, String reason) {
    return new EndRun(
        end.fence(), end.events(), end.cursors(), end.history().because(reason), end.now());
  }

  /** The end of a run whose process is gone. */
  EndRun abandoned(ActiveRun run, RunTally kept) {
    return end(run, kept, TimelineEventType.ABANDONED, TerminalReason.CONTROLLER_TERMINATED, null);
  }

  /** The end of a run whose process stops as it was asked to. */
  EndRun stopped(ActiveRun run, RunTally kept) {
    return because(abandoned(run, kept), TerminalReason.CONTROLLER_STOPPED);
  }

  /** The end of a run that was cancelled before it began. */
  EndRun cancelled(ActiveRun run, RunTally kept) {
    return end(run, kept, TimelineEventType.CANCELLED, TerminalReason.OWNER_CANCELLED, null);
  }

  /** The owner's request, recorded once. */
  RequestCancel cancelRequested(String runId, @Nullable String requestId) {
    Instant now = clock.now();
    TimelineEvent event = TimelineEvent.of(
            ids, TimelineEventType.CANCEL_REQUESTED, "cancel_requested", now, Json.ofChecked("{}"))
        .byOwner(requestId);
    return new RequestCancel(runId, event, now);
  }

  /** What is reported of a failure: our own messages hold no secrets, others may. */
  static String message(Throwable failure) {
    String text = failure instanceof RunlaneException own
        ? String.valueOf(own.getMessage())
        : failure.getClass().getSimpleName();
    return text.length() <= MOST_MESSAGE_CHARACTERS
        ? text
        : text.substring(0, MOST_MESSAGE_CHARACTERS);
  }

  private EndRun end(
      ActiveRun run,
      RunTally kept,
      TimelineEventType type,
      String reason,
      @Nullable String message) {
    Instant now = clock.now();
    KnownGaps gaps = new KnownGaps();
    if (type == TimelineEventType.FAILED) {
      gaps.addOfRuntime(new GapFactory(new Redaction(), false).failed(reason, null));
    }
    String status = type.value().substring(type.value().indexOf('.') + 1);
    TimelineEvent terminal = TimelineEvent.of(
            ids, type, status, now, data(run, kept, gaps, reason, message))
        .underGrant(run.grantId());
    return new EndRun(
        run.fence(),
        List.of(terminal),
        List.of(),
        history(run, kept, gaps, type, reason, message, now),
        now);
  }

  private static Json data(
      ActiveRun run, RunTally kept, KnownGaps gaps, String reason, @Nullable String message) {
    ObjectNode data = JsonNodeFactory.instance.objectNode();
    data.putObject("source")
        .put("kind", "connector")
        .put("id", run.run().connector().connectorId());
    data.put("reason", reason);
    kept.write(data);
    data.put("failure_origin", "runtime");
    data.put("trigger_kind", run.trigger().names().kind());
    data.put("automation_mode", run.trigger().names().mode());
    if (message != null) {
      data.put("failure_message", message);
    }
    if (run.grantId() != null) {
      data.put("grant_id", run.grantId());
    }
    if (gaps.count() > 0) {
      data.putRawValue("known_gaps", new RawValue(gaps.json().text()));
      data.putRawValue("known_gaps_summary", new RawValue(gaps.summary().text()));
    }
    return Json.ofChecked(data.toString());
  }

  private static RunHistoryEntry history(
      ActiveRun run,
      RunTally kept,
      KnownGaps gaps,
      TimelineEventType type,
      String reason,
      @Nullable String message,
      Instant now) {
    Instant completed = now.isBefore(run.startedAt()) ? run.startedAt() : now;
    RunStatus status = type == TimelineEventType.CANCELLED ? RunStatus.CANCELLED : RunStatus.FAILED;
    return new RunHistoryEntry(
        run.run(),
        run.trigger(),
        status,
        run.startedAt(),
        completed,
        reason,
        reason,
        message,
        null,
        new RunResultFacts(
            kept.recordsEmitted(),
            null,
            kept.checkpointSummary(),
            gaps.json(),
            null,
            null,
            run.pendingInteraction() != null));
  }
}
