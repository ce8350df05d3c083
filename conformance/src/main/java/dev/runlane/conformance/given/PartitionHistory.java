package dev.runlane.conformance.given;

import dev.runlane.run.RunRecord;
import dev.runlane.run.RunReducer;
import dev.runlane.storage.read.RunEventRecord;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** How full a partition was over time, replayed from the events in the order of their ids. */
public final class PartitionHistory {
  private PartitionHistory() {}

  /** The most slots that were occupied after any event, as the events' own instants tell. */
  public static long mostOccupied(List<RunEventRecord> events) {
    Map<String, RunRecord> runs = new HashMap<>();
    long most = 0;
    for (RunEventRecord event : events) {
      String runId = event.event().header().runId();
      RunRecord before = runs.get(runId);
      runs.put(
          runId, RunReducer.projectRunEvents(before, event.sequence() - 1, List.of(event.event())));
      long occupied = runs.values().stream()
          .filter(run -> run.occupiesSlotAt(event.event().header().occurredAt()))
          .count();
      most = Math.max(most, occupied);
    }
    return most;
  }
}
