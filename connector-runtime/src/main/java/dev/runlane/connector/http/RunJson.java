package dev.runlane.connector.http;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runlane.connector.controller.RunView;
import dev.runlane.connector.protocol.text.JsonTrees;
import dev.runlane.connector.store.history.RecordedRun;
import dev.runlane.connector.store.history.RunHistoryEntry;
import dev.runlane.connector.store.history.RunResultFacts;
import dev.runlane.connector.store.history.RunStatus;
import dev.runlane.connector.store.key.RunIdentity;
import dev.runlane.connector.store.run.ActiveRun;
import dev.runlane.connector.store.timeline.RecordedEvent;
import dev.runlane.connector.store.timeline.TimelineActor;
import dev.runlane.connector.store.timeline.TimelineEvent;
import dev.runlane.run.Json;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** How runs look from outside. */
final class RunJson {
  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

  private RunJson() {}

  /** A run's handle. What it shows of a failure is what the terminal event holds, which is bounded and redacted. */
  static ObjectNode status(RunView view) {
    ObjectNode body = NODES.objectNode();
    body.put("object", "run_status");
    identity(body, view.run());
    body.put("status", view.status().value());
    body.put("started_at", view.startedAt().toString());
    Optional<RecordedEvent> terminal = view.terminal();
    body.put(
        "completed_at",
        terminal.map(event -> event.event().occurredAt().toString()).orElse(null));
    JsonNode data = terminal.map(event -> tree(event.event().data())).orElse(NODES.objectNode());
    body.set("terminal_reason", orNull(data, "reason"));
    boolean failed =
        view.status() == RunView.Status.FAILED || view.status() == RunView.Status.ABANDONED;
    body.set("failure", failed ? failure(data) : NODES.nullNode());
    copy(data, body, "known_gaps");
    copy(data, body, "known_gaps_summary");
    body.putObject("links").put("timeline", "/_ref/runs/" + view.run().runId() + "/timeline");
    return body;
  }

  static ObjectNode event(RecordedEvent recorded) {
    TimelineEvent event = recorded.event();
    RunIdentity run = recorded.run();
    ObjectNode body = NODES.objectNode();
    body.put("event_id", event.eventId());
    body.put("event_type", recorded.typeName());
    body.put("event_seq", recorded.sequence());
    body.put("occurred_at", event.occurredAt().toString());
    body.put("recorded_at", recorded.recordedAt().toString());
    body.put("trace_id", run.traceId());
    body.put("scenario_id", "scn_reference_default");
    body.put("request_id", event.requestId());
    body.put("actor_type", event.actor().value());
    boolean runtime = event.actor() == TimelineActor.RUNTIME;
    body.put("actor_id", runtime ? run.connector().connectorId() : "owner");
    body.put("object_type", "run");
    body.put("object_id", run.runId());
    body.put("run_id", run.runId());
    body.put("status", event.status());
    body.put("source_kind", "connector");
    body.put("source_id", run.connector().connectorId());
    put(body, "stream_id", event.streamId());
    put(body, "interaction_id", event.interactionId());
    put(body, "grant_id", event.grantId());
    body.set("data", data(event, run));
    body.put("version", "reference.spine.v1");
    return body;
  }

  static ObjectNode history(RecordedRun recorded) {
    RunHistoryEntry entry = recorded.entry();
    RunResultFacts result = entry.result();
    ObjectNode body = NODES.objectNode();
    body.put("object", "run");
    identity(body, entry.run());
    if (entry.status() == RunStatus.SKIPPED) {
      body.putNull("run_id"); // it never was a run: no handle resolves it
      body.putNull("trace_id");
    }
    body.put("source", entry.trigger().names().source());
    body.put("trigger_kind", entry.trigger().names().kind());
    body.put("automation_mode", entry.trigger().names().mode());
    body.put("attempt", entry.trigger().attempt());
    body.put("status", entry.status().value());
    body.put("started_at", entry.startedAt().toString());
    body.put("completed_at", entry.completedAt().toString());
    body.put("records_emitted", result.recordsEmitted());
    body.put("reported_records_emitted", result.reportedRecordsEmitted());
    body.set("checkpoint_summary", treeOrNull(result.checkpointSummary()));
    body.set("known_gaps", tree(result.knownGaps()));
    body.set("state", treeOrNull(result.state()));
    body.set("connector_error", treeOrNull(result.connectorError()));
    body.put("error", entry.error());
    body.put("failure_reason", entry.failureReason());
    body.put("terminal_reason", entry.terminalReason());
    return body;
  }

  static ObjectNode active(ActiveRun run) {
    ObjectNode body = NODES.objectNode();
    body.put("object", "run");
    identity(body, run.run());
    body.put("source", run.trigger().names().source());
    body.put("trigger_kind", run.trigger().names().kind());
    body.put("automation_mode", run.trigger().names().mode());
    body.put("attempt", run.trigger().attempt());
    body.put("status", "active");
    body.put("started_at", run.startedAt().toString());
    body.putNull("completed_at");
    body.put("pending_interaction_id", run.pendingInteraction());
    return body;
  }

  /** Text that was checked when it came in. */
  static JsonNode tree(Json json) {
    try {
      return JsonTrees.STORED.readTree(json.text());
    } catch (JsonProcessingException impossible) {
      throw new IllegalStateException("stored JSON can be read");
    }
  }

  private static JsonNode treeOrNull(@Nullable Json json) {
    return json == null ? NODES.nullNode() : tree(json);
  }

  private static JsonNode failure(JsonNode data) {
    ObjectNode failure = NODES.objectNode();
    failure.set("reason", orNull(data, "reason"));
    failure.set("message", orNull(data, "failure_message"));
    failure.set("origin", orNull(data, "failure_origin"));
    failure.set("connector_error_message", orNull(data, "connector_error_message"));
    return failure;
  }

  private static JsonNode data(TimelineEvent event, RunIdentity run) {
    JsonNode data = tree(event.data());
    if (data instanceof ObjectNode object) {
      object.put("connection_id", run.connector().instanceId());
      object.put("connector_instance_id", run.connector().instanceId());
    }
    return data;
  }

  private static void identity(ObjectNode body, RunIdentity run) {
    body.put("run_id", run.runId());
    body.put("trace_id", run.traceId());
    body.put("connector_id", run.connector().connectorId());
    body.put("connector_instance_id", run.connector().instanceId());
  }

  private static JsonNode orNull(JsonNode data, String member) {
    JsonNode value = data.path(member);
    return value.isMissingNode() ? NODES.nullNode() : value;
  }

  private static void copy(JsonNode from, ObjectNode to, String member) {
    if (from.has(member)) {
      to.set(member, from.get(member));
    }
  }

  private static void put(ObjectNode body, String member, @Nullable String value) {
    if (value != null) {
      body.put(member, value);
    }
  }
}
