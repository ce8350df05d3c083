package dev.runlane.connector.store;

import dev.runlane.connector.store.grant.Grant;
import dev.runlane.connector.store.history.HistoryQuery;
import dev.runlane.connector.store.history.RunHistoryEntry;
import dev.runlane.connector.store.key.ConnectorRef;
import dev.runlane.connector.store.key.ControllerProcess;
import dev.runlane.connector.store.key.RunFence;
import dev.runlane.connector.store.key.StoredValues;
import dev.runlane.connector.store.manifest.ActiveManifest;
import dev.runlane.connector.store.record.IngestBatch;
import dev.runlane.connector.store.record.LastBatch;
import dev.runlane.connector.store.record.StagedCursor;
import dev.runlane.connector.store.record.StateScope;
import dev.runlane.connector.store.run.BeginRun;
import dev.runlane.connector.store.run.EndRun;
import dev.runlane.connector.store.run.RequestCancel;
import dev.runlane.connector.store.run.TakeOverRun;
import dev.runlane.connector.store.schedule.PutSchedule;
import dev.runlane.connector.store.timeline.AppendEvents;
import dev.runlane.connector.store.timeline.ReadTimeline;
import dev.runlane.connector.store.timeline.TimelineEvent;
import dev.runlane.connector.store.timeline.TimelineEventType;
import dev.runlane.json.JsonLimits;
import dev.runlane.json.JsonValues;
import dev.runlane.json.StorableText;
import dev.runlane.run.ContractDefaults;
import dev.runlane.run.Identifiers;
import dev.runlane.run.Json;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What every store refuses before anything is stored, each with {@link
 * dev.runlane.run.ErrorCode#VALIDATION_FAILED}.
 */
public final class StoreChecks {
  /** Most bytes of UTF-8 in an event's data or a cursor = 2 MiB. */
  public static final int MOST_JSON_BYTES = 2 << 20;

  /** Most bytes of UTF-8 in the name of a stream = {@value}. */
  public static final int MOST_STREAM_BYTES = ContractDefaults.MAX_KEY_BYTES;

  private static final JsonLimits CURSOR =
      new JsonLimits(MOST_JSON_BYTES, ContractDefaults.MAX_JSON_DEPTH);
  private static final int MOST_RUN_IDS = 1_000;
  private static final int MOST_PRUNED = 10_000;

  private StoreChecks() {}

  /** Refuses an id that cannot be stored. */
  public static void requireRunId(String runId) {
    Identifiers.requireId("runId", runId);
  }

  /** Refuses an id that cannot be stored. */
  public static void requireConnectorId(String connectorId) {
    requireText("connectorId", connectorId, ContractDefaults.MAX_KEY_BYTES);
  }

  /** Refuses texts that cannot be stored. */
  public static void requireManifest(ActiveManifest manifest) {
    requireConnectorId(manifest.connectorId());
    requireText("version", manifest.version(), ContractDefaults.MAX_KEY_BYTES);
    requireText("fingerprint", manifest.fingerprint(), ContractDefaults.MAX_KEY_BYTES);
  }

  /** Refuses ids that cannot be stored. */
  public static void requireConnector(ConnectorRef connector) {
    requireConnectorId(connector.connectorId());
    requireInstance(connector.instanceId());
  }

  /** Refuses an id that cannot be stored. */
  public static void requireInstance(String instanceId) {
    requireText("connectorInstanceId", instanceId, ContractDefaults.MAX_KEY_BYTES);
  }

  /** Refuses a name that cannot be stored. */
  public static void requireStream(String stream) {
    requireText("stream", stream, MOST_STREAM_BYTES);
  }

  /** Refuses a fence whose ids cannot be stored. */
  public static void requireFence(RunFence fence) {
    requireRunId(fence.runId());
    requireInstance(fence.instanceId());
  }

  /** Refuses ids that cannot be stored. */
  public static void requireBegin(BeginRun command) {
    requireRunId(command.run().runId());
    Identifiers.requireId("traceId", command.run().traceId());
    requireConnector(command.run().connector());
    requireTextOrNull("grantId", command.grantId());
    requireController(command.controller());
  }

  /** Refuses what cannot be stored. */
  public static void requireTakeOver(TakeOverRun command) {
    requireRunId(command.runId());
    requireController(command.controller());
  }

  /** Refuses texts that cannot be stored. */
  public static void requireController(ControllerProcess controller) {
    requireText("controllerId", controller.controllerId(), ContractDefaults.MAX_KEY_BYTES);
    requireText("hostId", controller.hostId(), ContractDefaults.MAX_KEY_BYTES);
    requireText("bootId", controller.bootId(), ContractDefaults.MAX_KEY_BYTES);
    requireTextOrNull("address", controller.address());
  }

  /** Refuses no events or too many, terminal ones, and what cannot be stored. */
  public static void requireAppend(AppendEvents command) {
    requireFence(command.fence());
    requireEvents(command.events());
    command
        .events()
        .forEach(event -> StoredValues.require(
            !event.type().isTerminal(),
            "%s ends a run, so it is written with the run's end",
            event.type().value()));
  }

  /** Refuses a list whose last event does not end the run, or another does, and what cannot be stored. */
  public static void requireEnd(EndRun command) {
    requireFence(command.fence());
    requireEvents(command.events());
    int last = command.events().size() - 1;
    for (int index = 0; index <= last; index++) {
      TimelineEventType type = command.events().get(index).type();
      StoredValues.require(
          type.isTerminal() == (index == last),
          "the last event of a run's end is terminal and no other is, but number %d is %s",
          index + 1,
          type.value());
    }
    requireCursors(command.cursors());
    requireTaken(command.taken());
    RunHistoryEntry history = command.history();
    StoredValues.require(
        history.run().runId().equals(command.fence().runId()),
        "the history of run %s ends run %s",
        history.run().runId(),
        command.fence().runId());
  }

  /** Refuses a page that is empty or too large. */
  public static void requireRead(ReadTimeline query) {
    requireRunId(query.runId());
    requireLimit(query.limit(), ReadTimeline.MOST_EVENTS);
    StoredValues.require(
        query.afterSequence() >= 0,
        "afterSequence is at least 0, but was %d",
        query.afterSequence());
  }

  /** Refuses too many ids and ids that cannot be stored. */
  public static void requireRunIds(List<String> runIds) {
    StoredValues.require(
        runIds.size() <= MOST_RUN_IDS,
        "at most %d run ids, but were %d",
        MOST_RUN_IDS,
        runIds.size());
    runIds.forEach(StoreChecks::requireRunId);
  }

  /** Refuses to delete nothing or too much at a time. */
  public static void requirePrune(int limit) {
    requireLimit(limit, MOST_PRUNED);
  }

  /** Refuses ids that cannot be stored. */
  public static void requireScope(StateScope scope) {
    requireConnector(scope.connector());
    requireTextOrNull("grantId", scope.grantId());
  }

  /** Refuses a cursor that is neither an object nor null, or cannot be stored. */
  public static void requireEdit(StateScope scope, String stream, Json cursor) {
    requireScope(scope);
    requireCursors(List.of(new StagedCursor(stream, cursor, 0)));
    JsonValues.parse("the cursor of " + stream, cursor.text(), CURSOR);
    StoredValues.require(
        cursor.text().startsWith("{") || cursor.text().equals("null"),
        "the cursor of %s must be an object or null",
        stream);
  }

  /** Refuses ids that cannot be stored. */
  public static void requireGrant(Grant grant) {
    requireGrantId(grant.grantId());
    requireInstance(grant.instanceId());
  }

  /** Refuses an id that cannot be stored. */
  public static void requireGrantId(String grantId) {
    requireText("grantId", grantId, ContractDefaults.MAX_KEY_BYTES);
  }

  /** Refuses ids that cannot be stored, and times out of range. */
  public static void requireSchedule(PutSchedule command) {
    requireConnector(command.connector());
    requireTextOrNull("grantId", command.grantId());
    requireSeconds("interval", command.interval(), 1);
    requireSeconds("jitter", command.jitter(), 0);
  }

  private static void requireSeconds(String what, Duration duration, long least) {
    StoredValues.require(
        duration.getNano() == 0
            && duration.getSeconds() >= least
            && duration.compareTo(ContractDefaults.LONGEST_DURATION) <= 0,
        "%s must be whole seconds, %d to %d, but was %s",
        what,
        least,
        ContractDefaults.LONGEST_DURATION.toSeconds(),
        duration);
  }

  /** Refuses what cannot be stored. */
  public static void requireCancel(RequestCancel command) {
    requireRunId(command.runId());
    requireEvents(List.of(command.event()));
  }

  /** Refuses a page that is empty or too large, and an id that cannot be stored. */
  public static void requireHistory(HistoryQuery query) {
    requireTextOrNull("connectorInstanceId", query.instanceId());
    requireLimit(query.limit(), HistoryQuery.MOST_ENTRIES);
  }

  /** Refuses a limit that is not between 1 and {@code most}. */
  public static void requireLimit(int limit, int most) {
    StoredValues.require(
        limit >= 1 && limit <= most, "a limit is between 1 and %d, but was %d", most, limit);
  }

  /** Refuses a batch that is empty or too large, or has no valid stream; single records are the sink's to reject. */
  public static void requireBatch(IngestBatch batch) {
    requireFence(batch.fence());
    requireStream(batch.stream());
    StoredValues.require(
        !batch.records().isEmpty() && batch.records().size() <= IngestBatch.MOST_RECORDS,
        "a batch has 1 to %d records, but had %d",
        IngestBatch.MOST_RECORDS,
        batch.records().size());
    requireNumber(batch.number());
  }

  private static void requireNumber(long batch) {
    StoredValues.require(batch >= 1, "batches count from 1, but this was %d", batch);
  }

  private static void requireTaken(List<LastBatch> taken) {
    Set<String> streams = new HashSet<>();
    for (LastBatch batch : taken) {
      requireStream(batch.stream());
      requireNumber(batch.number());
      StoredValues.require(
          streams.add(batch.stream()), "stream %s has two last batches", batch.stream());
    }
  }

  /** Refuses cursors that cannot be stored, and two of one stream. */
  public static void requireCursors(List<StagedCursor> cursors) {
    Set<String> streams = new HashSet<>();
    for (StagedCursor cursor : cursors) {
      requireStream(cursor.stream());
      requireJson("the cursor of " + cursor.stream(), cursor.cursor());
      StoredValues.require(cursor.recordsAccepted() >= 0, "accepted records are at least 0");
      StoredValues.require(
          streams.add(cursor.stream()), "stream %s has two cursors", cursor.stream());
    }
  }

  /** Refuses text that cannot be stored or is too long. */
  public static void requireText(String what, String text, int mostBytes) {
    StoredValues.require(!text.isEmpty(), "%s must not be empty", what);
    StoredValues.require(
        text.length() <= mostBytes && Json.ofChecked(text).sizeInBytes() <= mostBytes,
        "%s must have at most %d bytes of UTF-8",
        what,
        mostBytes);
    StorableText.require(what, text);
  }

  /** Refuses text that cannot be stored or is too long; null can. */
  public static void requireTextOrNull(String what, @Nullable String text) {
    if (text != null) {
      requireText(what, text, ContractDefaults.MAX_KEY_BYTES);
    }
  }

  private static void requireEvents(List<TimelineEvent> events) {
    StoredValues.require(
        !events.isEmpty() && events.size() <= AppendEvents.MOST_EVENTS,
        "1 to %d events are told at a time, but were %d",
        AppendEvents.MOST_EVENTS,
        events.size());
    Set<String> ids = new HashSet<>();
    for (TimelineEvent event : events) {
      Identifiers.requireId("eventId", event.eventId());
      StoredValues.require(ids.add(event.eventId()), "event %s is given twice", event.eventId());
      StoredValues.require(
          event.type() != TimelineEventType.OTHER,
          "event %s is of a type that a later release knows, so only that release tells it",
          event.eventId());
      requireText("status", event.status(), ContractDefaults.MAX_KEY_BYTES);
      requireTextOrNull("streamId", event.streamId());
      requireTextOrNull("interactionId", event.interactionId());
      requireTextOrNull("grantId", event.grantId());
      requireTextOrNull("requestId", event.requestId());
      requireJson("the data of event " + event.eventId(), event.data());
    }
  }

  private static void requireJson(String what, Json json) {
    String text = json.text();
    StoredValues.require(
        text.length() <= MOST_JSON_BYTES
            && (text.length() <= MOST_JSON_BYTES / 3 || json.sizeInBytes() <= MOST_JSON_BYTES),
        "%s must have at most %d bytes of UTF-8",
        what,
        MOST_JSON_BYTES);
    StorableText.require(what, text);
  }
}
