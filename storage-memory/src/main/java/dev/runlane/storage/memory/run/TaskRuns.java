package dev.runlane.storage.memory.run;

import dev.runlane.run.RunRecord;
import java.util.HashMap;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What waits for workers of one task in one queue: one line for each partition, in order of due time,
 * and the runs that hold a slot already, which no full partition keeps back.
 */
public final class TaskRuns {
  private final SortedMap<Position, RunRecord> holding = new TreeMap<>();
  private final SortedMap<Position, Line> heads = new TreeMap<>();
  private final Map<PartitionKey, Line> lines = new HashMap<>();

  void add(Position position, RunRecord run) {
    if (Slots.mayOccupy(run)) {
      holding.put(position, run);
    } else {
      PartitionKey key = PartitionKey.of(run);
      Line line = lines.computeIfAbsent(key, partition -> new Line(partition, new TreeMap<>()));
      moveHead(line, () -> line.runs().put(position, run));
    }
  }

  void remove(Position position, RunRecord run) {
    Line line = lines.get(PartitionKey.of(run));
    if (Slots.mayOccupy(run)) {
      holding.remove(position);
    } else if (line != null) {
      moveHead(line, () -> line.runs().remove(position));
    }
  }

  boolean isEmpty() {
    return holding.isEmpty() && lines.isEmpty();
  }

  /** Leased runs and reserved ones, by the instant from which they are due. */
  SortedMap<Position, RunRecord> holding() {
    return holding;
  }

  /** The lines by their first run. */
  SortedMap<Position, Line> heads() {
    return heads;
  }

  private void moveHead(Line line, Runnable change) {
    if (!line.runs().isEmpty()) {
      heads.remove(line.runs().firstKey());
    }
    change.run();
    if (line.runs().isEmpty()) {
      lines.remove(line.partition());
    } else {
      heads.put(line.runs().firstKey(), line);
    }
  }

  /**
   * Runs of one task and one partition that hold no slot.
   *
   * @param partition the partition
   * @param runs by the instant from which they are due; empty only while it changes
   */
  record Line(PartitionKey partition, SortedMap<Position, RunRecord> runs) {}
}
