package dev.runlane.simulation.history;

import dev.runlane.run.RunRecord;
import dev.runlane.storage.read.RunEventRecord;
import java.util.List;

/**
 * One run as it is stored.
 *
 * @param stored its projection
 * @param events its history, in the order of the sequence
 */
public record RunHistory(RunRecord stored, List<RunEventRecord> events) {
  public RunHistory {
    events = List.copyOf(events);
  }

  public String runId() {
    return stored.id();
  }
}
