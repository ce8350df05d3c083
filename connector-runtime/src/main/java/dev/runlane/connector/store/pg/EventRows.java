package dev.runlane.connector.store.pg;

import static dev.runlane.connector.store.pg.PgValues.instant;
import static dev.runlane.connector.store.pg.PgValues.json;

import dev.runlane.connector.store.key.ConnectorRef;
import dev.runlane.connector.store.key.RunIdentity;
import dev.runlane.connector.store.key.StoredValues;
import dev.runlane.connector.store.timeline.RecordedEvent;
import dev.runlane.connector.store.timeline.TimelineActor;
import dev.runlane.connector.store.timeline.TimelineEvent;
import dev.runlane.connector.store.timeline.TimelineEventType;
import dev.runlane.postgres.statement.Columns;
import dev.runlane.postgres.statement.Parameters;
import dev.runlane.postgres.statement.SqlStatement;
import io.vertx.sqlclient.Row;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Events as rows. */
final class EventRows {
  /** Appends events to the timeline of a run. */
  static final SqlStatement<PgSession.Given<Told>> APPEND = PgSession.statement(
      "append_events",
      new Parameters<Told>()
          .of(Told::by, PgStatements.Fenced.PARAMETERS)
          .value("of_interaction", told -> lastOfInteraction(told.events()) != null)
          .value("waiting_interaction", told -> waiting(told.events()))
          .rows(
              Told::events,
              new Columns<TimelineEvent>()
                  .texts("event_ids", TimelineEvent::eventId)
                  .texts("event_types", event -> event.type().value())
                  .texts("statuses", TimelineEvent::status)
                  .times(
                      "occurred_times", event -> event.occurredAt().truncatedTo(ChronoUnit.MICROS))
                  .texts("actor_types", event -> event.actor().value())
                  .texts("stream_ids", TimelineEvent::streamId)
                  .texts("interaction_ids", TimelineEvent::interactionId)
                  .texts("grant_ids", TimelineEvent::grantId)
                  .texts("request_ids", TimelineEvent::requestId)
                  .flags("terminal", event -> event.type().isTerminal())
                  .flags("kept", event -> event.type().isKept())
                  .texts("data", event -> event.data().text())));

  private EventRows() {}

  /** The interaction that the last of the events about one leaves waiting, or null. */
  private static @Nullable String waiting(List<TimelineEvent> events) {
    TimelineEvent last = lastOfInteraction(events);
    return last != null && last.type() == TimelineEventType.INTERACTION_REQUIRED
        ? last.interactionId()
        : null;
  }

  private static @Nullable TimelineEvent lastOfInteraction(List<TimelineEvent> events) {
    TimelineEvent last = null;
    for (TimelineEvent event : events) {
      if (event.type() == TimelineEventType.INTERACTION_REQUIRED
          || event.type() == TimelineEventType.INTERACTION_COMPLETED) {
        last = event;
      }
    }
    return last;
  }

  static RecordedEvent read(Row row) {
    return new RecordedEvent(
        row.getLong("event_seq"),
        identity(row),
        event(row),
        instant(row, "recorded_at"),
        row.getString("event_type"));
  }

  /** Of every table that has a run's ids in columns of these names. */
  static RunIdentity identity(Row row) {
    return new RunIdentity(
        row.getString("run_id"),
        row.getString("trace_id"),
        new ConnectorRef(row.getString("connector_id"), row.getString("connector_instance_id")));
  }

  private static TimelineEvent event(Row row) {
    return new TimelineEvent(
        row.getString("event_id"),
        StoredValues.findOr(
            TimelineEventType.OTHER, TimelineEventType::value, row.getString("event_type")),
        row.getString("status"),
        instant(row, "occurred_at"),
        StoredValues.findOr(
            TimelineActor.RUNTIME, TimelineActor::value, row.getString("actor_type")),
        row.getString("stream_id"),
        row.getString("interaction_id"),
        row.getString("grant_id"),
        row.getString("request_id"),
        json(row, "data"));
  }

  /** Events that a run records. */
  record Told(PgStatements.Fenced by, List<TimelineEvent> events) {}
}
