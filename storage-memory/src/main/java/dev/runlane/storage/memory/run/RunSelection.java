package dev.runlane.storage.memory.run;

import dev.runlane.run.RunKeys;
import dev.runlane.run.RunRecord;
import dev.runlane.storage.read.RunFilter;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Whether a run is in a list. */
public final class RunSelection implements Predicate<RunRecord> {
  private final RunFilter filter;
  private final Set<String> taskIds;
  private final Set<String> queues;

  public RunSelection(RunFilter filter) {
    this.filter = filter;
    this.taskIds = new HashSet<>(filter.taskIds());
    this.queues = new HashSet<>(filter.queues());
  }

  @Override
  public boolean test(RunRecord run) {
    RunKeys keys = run.keys();
    return (filter.statuses().isEmpty() || filter.statuses().contains(run.status()))
        && (taskIds.isEmpty() || taskIds.contains(run.taskId()))
        && (queues.isEmpty() || queues.contains(run.queue()))
        && isEqualOrAny(filter.concurrencyKey(), keys.concurrencyKey())
        && isEqualOrAny(filter.idempotencyKey(), keys.idempotencyKey())
        && isEqualOrAny(filter.singletonKey(), keys.singletonKey())
        && (filter.createdFrom() == null || !run.createdAt().isBefore(filter.createdFrom()))
        && (filter.createdBefore() == null || run.createdAt().isBefore(filter.createdBefore()));
  }

  private static boolean isEqualOrAny(@Nullable String wanted, @Nullable String found) {
    return wanted == null || wanted.equals(found);
  }
}
