package dev.runlane.storage.pg;

import dev.runlane.json.RunEventJson;
import dev.runlane.run.Json;
import dev.runlane.run.RunEvent;
import io.vertx.sqlclient.Tuple;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** An event to be written. */
record EventRow(String runId, long sequence, RunEvent event) {
  /** The rows of {@code events}, of which the first has sequence {@code from}. */
  static List<EventRow> of(String runId, long from, List<? extends RunEvent> events) {
    List<EventRow> rows = new ArrayList<>(events.size());
    for (int index = 0; index < events.size(); index++) {
      rows.add(new EventRow(runId, from + index, events.get(index)));
    }
    return rows;
  }

  /** About how much the events hold: the values that come from users. All else of an event is small. */
  static long bytes(List<? extends RunEvent> events) {
    long bytes = 0;
    for (RunEvent event : events) {
      if (event instanceof RunEvent.Created created) {
        bytes += length(created.payload());
      } else if (event instanceof RunEvent.Succeeded succeeded) {
        bytes += length(succeeded.output());
      } else if (event instanceof RunEvent.StepRequested step) {
        bytes += length(step.input());
      } else if (event instanceof RunEvent.StepCompleted step) {
        bytes += length(step.output());
      }
    }
    return bytes;
  }

  private static long length(@Nullable Json value) {
    return value == null ? 0 : value.text().length();
  }

  /** Adds the five columns of a statement's events. */
  static void addTo(Tuple parameters, List<EventRow> rows) {
    new Columns<>(rows, parameters)
        .texts(EventRow::runId)
        .numbers(EventRow::sequence)
        .texts(row -> row.event().type().value())
        .times(row -> row.event().header().occurredAt())
        .texts(row -> RunEventJson.body(row.event()).text());
  }
}
