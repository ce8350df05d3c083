package dev.runlane.storage.pg.row;

import dev.runlane.run.RunEvent;
import dev.runlane.run.RunlaneException;
import dev.runlane.storage.read.RunEventRecord;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What a gathered statement answered: the ids of the events it wrote, by run. */
public final class StoredEvents {
  private final Map<String, OfRun> byRun;

  private StoredEvents(int rows) {
    byRun = new HashMap<>(2 * rows);
  }

  /** Reads rows of {@code run_id, sequence, event_id}; a row without an id only names its run. */
  public static StoredEvents of(RowSet<Row> rows) {
    StoredEvents stored = new StoredEvents(rows.size());
    for (Row row : rows) {
      OfRun ofRun = stored.byRun.computeIfAbsent(row.getString(0), run -> new OfRun());
      Long id = row.getLong(2);
      if (id != null) {
        ofRun.add(row.getLong(1), id);
      }
    }
    return stored;
  }

  /** Whether the statement found the run but wrote nothing for it. */
  public boolean isRefused(String runId) {
    OfRun ofRun = byRun.get(runId);
    return ofRun != null && ofRun.count == 0;
  }

  /** The records of a command's events, or empty when the statement wrote none of them. */
  public Optional<List<RunEventRecord>> records(
      String runId, long expectedSequence, List<? extends RunEvent> events) {
    OfRun ofRun = byRun.get(runId);
    if (ofRun == null || ofRun.count == 0) {
      return Optional.empty();
    }
    List<RunEventRecord> records = new ArrayList<>(events.size());
    for (int index = 0; index < events.size(); index++) {
      long sequence = expectedSequence + index + 1;
      records.add(
          new RunEventRecord(Long.toString(ofRun.id(sequence)), sequence, events.get(index)));
    }
    return Optional.of(records);
  }

  /** Of most runs one or two events are written, in the order of their sequences. */
  private static final class OfRun {
    private long[] sequences = new long[2];
    private long[] ids = new long[2];
    private int count;

    void add(long sequence, long id) {
      if (count == ids.length) {
        sequences = Arrays.copyOf(sequences, 2 * count);
        ids = Arrays.copyOf(ids, 2 * count);
      }
      sequences[count] = sequence;
      ids[count++] = id;
    }

    long id(long sequence) {
      for (int index = 0; index < count; index++) {
        if (sequences[index] == sequence) {
          return ids[index];
        }
      }
      throw RunlaneException.invariantViolation("no event was stored at sequence %d", sequence);
    }
  }
}
