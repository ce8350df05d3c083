package dev.runlane.drills;

import dev.runlane.run.RunRecord;
import dev.runlane.storage.RunEventRecord;
import java.util.List;

/**
 * One run as it is stored.
 *
 * @param stored its projection
 * @param events its history, in the order of the sequence
 */
record RunHistory(RunRecord stored, List<RunEventRecord> events) {
  RunHistory {
    events = List.copyOf(events);
  }

  String runId() {
    return stored.id();
  }
}
