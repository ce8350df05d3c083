package dev.runlane.storage.memory.run;

import dev.runlane.run.RunRecord;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;

/** Runs that somebody may claim or reserve now or later, so arranged that a scan never walks a blocked partition. */
public final class DueRuns implements RunIndex {
  private final Map<String, NavigableMap<String, TaskRuns>> queues = new HashMap<>();

  private final Function<RunRecord, Optional<Instant>> instant;

  /** Runs by the instant from which they are due; those without it are left out. */
  DueRuns(Function<RunRecord, Optional<Instant>> instant) {
    this.instant = instant;
  }

  @Override
  public void add(RunRecord run) {
    instant.apply(run).ifPresent(at -> queues
        .computeIfAbsent(run.queue(), queue -> new TreeMap<>())
        .computeIfAbsent(run.taskId(), task -> new TaskRuns())
        .add(new Position(at, run.id()), run));
  }

  @Override
  public void remove(RunRecord run) {
    instant
        .apply(run)
        .ifPresent(at -> queues.computeIfPresent(run.queue(), (queue, tasks) -> {
          remove(tasks, new Position(at, run.id()), run);
          return tasks.isEmpty() ? null : tasks;
        }));
  }

  /** What waits in a queue, for any task. */
  public List<TaskRuns> of(String queue) {
    NavigableMap<String, TaskRuns> tasks = queues.get(queue);
    return tasks == null ? List.of() : List.copyOf(tasks.values());
  }

  /** What waits in a queue for the tasks named, each counted once. */
  public List<TaskRuns> of(String queue, Collection<String> taskIds) {
    NavigableMap<String, TaskRuns> tasks = queues.get(queue);
    return tasks == null
        ? List.of()
        : new TreeSet<>(taskIds)
            .stream().map(tasks::get).filter(Objects::nonNull).toList();
  }

  private static void remove(
      NavigableMap<String, TaskRuns> tasks, Position position, RunRecord run) {
    tasks.computeIfPresent(run.taskId(), (task, runs) -> {
      runs.remove(position, run);
      return runs.isEmpty() ? null : runs;
    });
  }
}
