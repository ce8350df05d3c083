package dev.runlane.storage.pg.row;

import dev.runlane.json.record.RunEventJson;
import dev.runlane.postgres.statement.Columns;
import dev.runlane.run.Json;
import dev.runlane.run.RunEvent;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** An event to be written. */
public record EventRow(String runId, long sequence, RunEvent event) {
  /** The parameters of the fragment {@code event_rows}. */
  public static final Columns<EventRow> COLUMNS = new Columns<EventRow>()
      .texts("event_run_ids", EventRow::runId)
      .longs("event_sequences", EventRow::sequence)
      .texts("event_types", row -> row.event().type().value())
      .times("event_times", row -> row.event().header().occurredAt())
      .texts("event_bodies", row -> RunEventJson.body(row.event()).text());

  /** The rows of {@code events}, of which the first has sequence {@code from}. */
  public static List<EventRow> of(String runId, long from, List<? extends RunEvent> events) {
    List<EventRow> rows = new ArrayList<>(events.size());
    for (int index = 0; index < events.size(); index++) {
      rows.add(new EventRow(runId, from + index, events.get(index)));
    }
    return rows;
  }

  /** About how much the events hold: the values that come from users. All else of an event is small. */
  public static long bytes(List<? extends RunEvent> events) {
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
}
