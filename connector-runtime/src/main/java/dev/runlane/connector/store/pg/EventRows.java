package dev.runlane.connector.store.pg;

import static dev.runlane.connector.store.pg.PgValues.instant;
import static dev.runlane.connector.store.pg.PgValues.json;
import static dev.runlane.connector.store.pg.PgValues.utc;

import dev.runlane.connector.store.ConnectorRef;
import dev.runlane.connector.store.RecordedEvent;
import dev.runlane.connector.store.RunIdentity;
import dev.runlane.connector.store.TimelineActor;
import dev.runlane.connector.store.TimelineEvent;
import dev.runlane.connector.store.TimelineEventType;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Events as rows. */
final class EventRows {
  private EventRows() {}

  /** Adds what the statement notes of interactions, then one array a column. */
  static Tuple add(Tuple parameters, List<TimelineEvent> events) {
    TimelineEvent last = lastOfInteraction(events);
    boolean waits = last != null && last.type() == TimelineEventType.INTERACTION_REQUIRED;
    parameters.addBoolean(last != null);
    parameters.addString(waits && last != null ? last.interactionId() : null);
    parameters.addArrayOfString(texts(events, TimelineEvent::eventId));
    parameters.addArrayOfString(texts(events, event -> event.type().value()));
    parameters.addArrayOfString(texts(events, TimelineEvent::status));
    parameters.addArrayOfOffsetDateTime(
        events.stream().map(event -> utc(event.occurredAt())).toArray(OffsetDateTime[]::new));
    parameters.addArrayOfString(texts(events, event -> event.actor().value()));
    parameters.addArrayOfString(texts(events, TimelineEvent::streamId));
    parameters.addArrayOfString(texts(events, TimelineEvent::interactionId));
    parameters.addArrayOfString(texts(events, TimelineEvent::grantId));
    parameters.addArrayOfString(texts(events, TimelineEvent::requestId));
    parameters.addArrayOfBoolean(flags(events, event -> event.type().isTerminal()));
    parameters.addArrayOfBoolean(flags(events, event -> event.type().isKept()));
    return parameters.addArrayOfString(texts(events, event -> event.data().text()));
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

  private static @Nullable String[] texts(
      List<TimelineEvent> events, Function<TimelineEvent, @Nullable String> column) {
    @Nullable String[] values = new String[events.size()];
    for (int row = 0; row < values.length; row++) {
      values[row] = column.apply(events.get(row));
    }
    return values;
  }

  private static Boolean[] flags(
      List<TimelineEvent> events, Function<TimelineEvent, Boolean> column) {
    return events.stream().map(column).toArray(Boolean[]::new);
  }

  static RecordedEvent read(Row row) {
    return new RecordedEvent(
        row.getLong("event_seq"), identity(row), event(row), instant(row, "recorded_at"));
  }

  /** Of every table that tells a run's ids in columns of these names. */
  static RunIdentity identity(Row row) {
    return new RunIdentity(
        row.getString("run_id"),
        row.getString("trace_id"),
        new ConnectorRef(row.getString("connector_id"), row.getString("connector_instance_id")));
  }

  private static TimelineEvent event(Row row) {
    return new TimelineEvent(
        row.getString("event_id"),
        TimelineEventType.ofValue(row.getString("event_type")),
        row.getString("status"),
        instant(row, "occurred_at"),
        TimelineActor.ofValue(row.getString("actor_type")),
        row.getString("stream_id"),
        row.getString("interaction_id"),
        row.getString("grant_id"),
        row.getString("request_id"),
        json(row, "data"));
  }
}
