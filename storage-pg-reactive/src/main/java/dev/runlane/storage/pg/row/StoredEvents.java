package dev.runlane.storage.pg.row;

import dev.runlane.run.RunEvent;
import dev.runlane.storage.read.RunEventRecord;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What a gathered statement answered: the ids of the events it wrote, by run. */
public final class StoredEvents {
  private final Map<String, Map<Long, Long>> ids = new HashMap<>();

  /** Reads rows of {@code run_id, sequence, event_id}; a row without an id only names its run. */
  public static StoredEvents of(RowSet<Row> rows) {
    StoredEvents stored = new StoredEvents();
    for (Row row : rows) {
      Map<Long, Long> ofRun = stored.ids.computeIfAbsent(row.getString(0), run -> new HashMap<>());
      Long id = row.getLong(2);
      if (id != null) {
        ofRun.put(row.getLong(1), id);
      }
    }
    return stored;
  }

  /** Whether the statement found the run but wrote nothing for it. */
  public boolean isRefused(String runId) {
    Map<Long, Long> ofRun = ids.get(runId);
    return ofRun != null && ofRun.isEmpty();
  }

  /** The records of a command's events, or empty when the statement wrote none of them. */
  public Optional<List<RunEventRecord>> records(
      String runId, long expectedSequence, List<? extends RunEvent> events) {
    Map<Long, Long> ofRun = ids.get(runId);
    if (ofRun == null || ofRun.isEmpty()) {
      return Optional.empty();
    }
    List<RunEventRecord> records = new ArrayList<>(events.size());
    for (int index = 0; index < events.size(); index++) {
      long sequence = expectedSequence + index + 1;
      records.add(
          new RunEventRecord(String.valueOf(ofRun.get(sequence)), sequence, events.get(index)));
    }
    return Optional.of(records);
  }
}
