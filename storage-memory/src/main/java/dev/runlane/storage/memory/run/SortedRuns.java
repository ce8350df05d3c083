package dev.runlane.storage.memory.run;

import dev.runlane.run.RunRecord;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;

/** Runs in order of one of their instants; a run without it is not in the list. */
public final class SortedRuns implements RunIndex {
  private final TreeMap<Position, RunRecord> runs = new TreeMap<>();
  private final Function<RunRecord, Optional<Instant>> instant;

  SortedRuns(Function<RunRecord, Optional<Instant>> instant) {
    this.instant = instant;
  }

  @Override
  public void add(RunRecord run) {
    instant.apply(run).ifPresent(at -> runs.put(new Position(at, run.id()), run));
  }

  @Override
  public void remove(RunRecord run) {
    instant.apply(run).ifPresent(at -> runs.remove(new Position(at, run.id())));
  }

  boolean isEmpty() {
    return runs.isEmpty();
  }

  /** The first {@code limit} runs whose instant is not after {@code now}. */
  public List<RunRecord> dueAt(Instant now, int limit) {
    List<RunRecord> due = new ArrayList<>();
    for (RunRecord run : runs.headMap(Position.justAfter(now), false).values()) {
      if (due.size() == limit) {
        break;
      }
      due.add(run);
    }
    return due;
  }

  /** All runs with their places; not to be kept. */
  public NavigableMap<Position, RunRecord> all() {
    return Collections.unmodifiableNavigableMap(runs);
  }
}
