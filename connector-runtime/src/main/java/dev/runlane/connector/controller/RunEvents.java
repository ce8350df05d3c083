package dev.runlane.connector.controller;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runlane.connector.store.ActiveRun;
import dev.runlane.connector.store.EndRun;
import dev.runlane.connector.store.RequestCancel;
import dev.runlane.connector.store.RunHistoryEntry;
import dev.runlane.connector.store.RunResultFacts;
import dev.runlane.connector.store.RunStatus;
import dev.runlane.connector.store.TimelineEvent;
import dev.runlane.connector.store.TimelineEventType;
import dev.runlane.run.Json;
import dev.runlane.run.RunlaneException;
import dev.runlane.timing.Clock;
import dev.runlane.timing.Ids;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What the controller itself tells the timeline: of runs that have no child of this process. */
final class RunEvents {
  /** A throw between the acknowledgement and the child. */
  static final String LAUNCH_FAILED = "launch_failed";

  /** The process of the run is gone. */
  static final String ABANDONED = "controller_terminated_before_run_finished";

  /** The owner's cancellation came before there was a child to end. */
  static final String OWNER_CANCELLED = "owner_cancelled";

  /** The run's durable owner ended without it. */
  static final String RUNTIME_ERROR = "runtime_error";

  private static final int MOST_MESSAGE_CHARACTERS = 500;

  private final Clock clock;
  private final Ids ids;

  RunEvents(Clock clock, Ids ids) {
    this.clock = clock;
    this.ids = ids;
  }

  /** The end of a run that failed before or beside its child. */
  EndRun failed(ActiveRun run, String reason, @Nullable String message) {
    return end(run, TimelineEventType.FAILED, "failed", reason, message);
  }

  /** The end of a run whose process is gone. */
  EndRun abandoned(ActiveRun run) {
    return end(run, TimelineEventType.ABANDONED, "abandoned", ABANDONED, null);
  }

  /** The end of a run that was cancelled before it began. */
  EndRun cancelled(ActiveRun run) {
    return end(run, TimelineEventType.CANCELLED, "cancelled", OWNER_CANCELLED, null);
  }

  /** The owner's wish, told once. */
  RequestCancel cancelRequested(String runId, @Nullable String requestId) {
    Instant now = clock.now();
    TimelineEvent event = TimelineEvent.of(
            ids, TimelineEventType.CANCEL_REQUESTED, "cancel_requested", now, Json.ofChecked("{}"))
        .byOwner(requestId);
    return new RequestCancel(runId, event, now);
  }

  /** What is told of a failure: our own messages hold no secrets, others may. */
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
      TimelineEventType type,
      String status,
      String reason,
      @Nullable String message) {
    Instant now = clock.now();
    TimelineEvent terminal = TimelineEvent.of(ids, type, status, now, data(run, reason, message))
        .underGrant(run.grantId());
    return new EndRun(
        run.fence(), List.of(terminal), List.of(), history(run, type, reason, message, now), now);
  }

  private static Json data(ActiveRun run, String reason, @Nullable String message) {
    ObjectNode data = JsonNodeFactory.instance.objectNode();
    data.put("reason", reason);
    data.put("records_emitted", 0);
    data.put("checkpoint_commit_status", "not_committed");
    data.put("state_streams_staged", 0);
    data.put("state_streams_committed", 0);
    data.put("failure_origin", "runtime");
    data.put("trigger_kind", run.trigger().kind().value());
    data.put("automation_mode", run.trigger().mode().value());
    if (message != null) {
      data.put("failure_message", message);
    }
    if (run.grantId() != null) {
      data.put("grant_id", run.grantId());
    }
    return Json.ofChecked(data.toString());
  }

  private static RunHistoryEntry history(
      ActiveRun run, TimelineEventType type, String reason, @Nullable String message, Instant now) {
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
        RunResultFacts.NOTHING);
  }
}
