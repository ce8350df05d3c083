package dev.runlane.storage.memory.kept;

import dev.runlane.run.RunEvent;
import dev.runlane.storage.read.RunEventRecord;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/** The histories of all runs. Ids come from one sequence, so later events have greater numbers. */
public final class EventLog {
  private final Map<String, List<RunEventRecord>> histories = new HashMap<>();
  private final NavigableMap<EventPosition, RunEventRecord> byTime = new TreeMap<>();
  private final EventIds ids;

  public EventLog(EventIds ids) {
    this.ids = ids;
  }

  /** Adds events behind those the run has, and returns the rows. */
  public List<RunEventRecord> append(String runId, List<? extends RunEvent> events) {
    List<RunEventRecord> history = histories.computeIfAbsent(runId, run -> new ArrayList<>());
    List<RunEventRecord> added = new ArrayList<>(events.size());
    for (RunEvent event : events) {
      RunEventRecord row = new RunEventRecord(ids.next(), history.size() + 1L, event);
      history.add(row);
      byTime.put(EventPosition.of(row), row);
      added.add(row);
    }
    return added;
  }

  /** The history of a run from its beginning; empty when there is none. Not to be kept. */
  public List<RunEventRecord> history(String runId) {
    return Collections.unmodifiableList(histories.getOrDefault(runId, List.of()));
  }

  /** The tags that a run was created with. */
  public Map<String, String> tags(String runId) {
    return history(runId).stream()
        .limit(1)
        .map(RunEventRecord::event)
        .filter(RunEvent.Created.class::isInstance)
        .map(created -> ((RunEvent.Created) created).tags())
        .findFirst()
        .orElse(Map.of());
  }

  /** The events of all runs by the instant at which they occurred. Not to be kept. */
  public NavigableMap<EventPosition, RunEventRecord> byTime() {
    return Collections.unmodifiableNavigableMap(byTime);
  }

  /** Forgets a run's history. */
  public void remove(String runId) {
    List<RunEventRecord> history = histories.remove(runId);
    if (history != null) {
      history.forEach(row -> byTime.remove(EventPosition.of(row)));
    }
  }
}
