package dev.runlane.storage.memory.run;

import dev.runlane.run.RunRecord;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/** Runs of each queue in order of one of their instants. */
public final class QueueRuns implements RunIndex {
  private final Map<String, SortedRuns> queues = new HashMap<>();
  private final Function<RunRecord, Optional<Instant>> instant;

  QueueRuns(Function<RunRecord, Optional<Instant>> instant) {
    this.instant = instant;
  }

  @Override
  public void add(RunRecord run) {
    if (instant.apply(run).isPresent()) {
      queues.computeIfAbsent(run.queue(), queue -> new SortedRuns(instant)).add(run);
    }
  }

  @Override
  public void remove(RunRecord run) {
    queues.computeIfPresent(run.queue(), (queue, runs) -> {
      runs.remove(run);
      return runs.isEmpty() ? null : runs;
    });
  }

  /** The first {@code limit} runs of the queue whose instant is not after {@code now}. */
  public List<RunRecord> dueAt(String queue, Instant now, int limit) {
    SortedRuns runs = queues.get(queue);
    return runs == null ? List.of() : runs.dueAt(now, limit);
  }
}
