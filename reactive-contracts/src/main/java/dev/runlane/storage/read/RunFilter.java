package dev.runlane.storage.read;

import dev.runlane.run.RunKeys;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunStatus;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Which runs a list holds; everything given must hold.
 *
 * @param statuses one of these; empty: any
 * @param taskIds one of these; empty: any
 * @param queues one of these; empty: any
 * @param concurrencyKey exactly this; null: any
 * @param idempotencyKey exactly this; null: any
 * @param singletonKey exactly this; null: any
 * @param createdFrom not created before; null: any
 * @param createdBefore created before; null: any
 */
public record RunFilter(
    Set<RunStatus> statuses,
    List<String> taskIds,
    List<String> queues,
    @Nullable String concurrencyKey,
    @Nullable String idempotencyKey,
    @Nullable String singletonKey,
    @Nullable Instant createdFrom,
    @Nullable Instant createdBefore) {
  /** Every run. */
  public static final RunFilter ALL =
      new RunFilter(Set.of(), List.of(), List.of(), null, null, null, null, null);

  /** Copies the collections and cuts instants to microseconds. */
  public RunFilter {
    statuses = Set.copyOf(statuses);
    taskIds = List.copyOf(taskIds);
    queues = List.copyOf(queues);
    createdFrom = createdFrom == null ? null : createdFrom.truncatedTo(ChronoUnit.MICROS);
    createdBefore = createdBefore == null ? null : createdBefore.truncatedTo(ChronoUnit.MICROS);
  }

  /** Whether a list of this filter holds the run. */
  public boolean admits(RunRecord run) {
    RunKeys keys = run.keys();
    return (statuses.isEmpty() || statuses.contains(run.status()))
        && (taskIds.isEmpty() || taskIds.contains(run.taskId()))
        && (queues.isEmpty() || queues.contains(run.queue()))
        && isAnyOr(concurrencyKey, keys.concurrencyKey())
        && isAnyOr(idempotencyKey, keys.idempotencyKey())
        && isAnyOr(singletonKey, keys.singletonKey())
        && (createdFrom == null || !run.createdAt().isBefore(createdFrom))
        && (createdBefore == null || run.createdAt().isBefore(createdBefore));
  }

  private static boolean isAnyOr(@Nullable String wanted, @Nullable String found) {
    return wanted == null || wanted.equals(found);
  }

  /** This filter for other statuses. */
  public RunFilter withStatuses(Set<RunStatus> other) {
    return with(other, taskIds, queues);
  }

  /** This filter for other tasks. */
  public RunFilter withTaskIds(List<String> other) {
    return with(statuses, other, queues);
  }

  /** This filter for other queues. */
  public RunFilter withQueues(List<String> other) {
    return with(statuses, taskIds, other);
  }

  /** This filter for another concurrency key. */
  public RunFilter withConcurrencyKey(@Nullable String other) {
    return new RunFilter(
        statuses, taskIds, queues, other, idempotencyKey, singletonKey, createdFrom, createdBefore);
  }

  /** This filter for another idempotency key. */
  public RunFilter withIdempotencyKey(@Nullable String other) {
    return new RunFilter(
        statuses, taskIds, queues, concurrencyKey, other, singletonKey, createdFrom, createdBefore);
  }

  /** This filter for another singleton key. */
  public RunFilter withSingletonKey(@Nullable String other) {
    return new RunFilter(
        statuses,
        taskIds,
        queues,
        concurrencyKey,
        idempotencyKey,
        other,
        createdFrom,
        createdBefore);
  }

  /** This filter for another range of creation, {@code from} included, {@code before} not. */
  public RunFilter withCreated(@Nullable Instant from, @Nullable Instant before) {
    return new RunFilter(
        statuses, taskIds, queues, concurrencyKey, idempotencyKey, singletonKey, from, before);
  }

  private RunFilter with(
      Set<RunStatus> otherStatuses, List<String> otherTaskIds, List<String> otherQueues) {
    return new RunFilter(
        otherStatuses,
        otherTaskIds,
        otherQueues,
        concurrencyKey,
        idempotencyKey,
        singletonKey,
        createdFrom,
        createdBefore);
  }
}
