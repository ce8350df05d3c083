package dev.runlane.storage.read;

import dev.runlane.run.FailureRecord;
import dev.runlane.run.RunCounters;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunStatus;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A run in a list, without payload, output and meta.
 *
 * @param id the run
 * @param taskId the task whose handler runs
 * @param queue the queue it waits in
 * @param status where it is in its life
 * @param eventSequence sequence of its last event
 * @param counters what happened how often
 * @param runAt not before this instant, or null
 * @param concurrencyKey its key, or null
 * @param idempotencyKey its key, or null
 * @param singletonKey its key, or null
 * @param workerId who leases it, or null
 * @param failure its last failure, or null
 * @param createdAt when its first event occurred
 * @param updatedAt when its last event occurred
 * @param startedAt when its latest attempt began, or null
 * @param finishedAt when it became terminal, or null
 */
public record RunSummary(
    String id,
    String taskId,
    String queue,
    RunStatus status,
    long eventSequence,
    RunCounters counters,
    @Nullable Instant runAt,
    @Nullable String concurrencyKey,
    @Nullable String idempotencyKey,
    @Nullable String singletonKey,
    @Nullable String workerId,
    @Nullable FailureRecord failure,
    Instant createdAt,
    Instant updatedAt,
    @Nullable Instant startedAt,
    @Nullable Instant finishedAt) {
  /** Refuses null. */
  public RunSummary {
    Objects.requireNonNull(id);
    Objects.requireNonNull(taskId);
    Objects.requireNonNull(queue);
    Objects.requireNonNull(status);
    Objects.requireNonNull(counters);
    Objects.requireNonNull(createdAt);
    Objects.requireNonNull(updatedAt);
  }

  /** What a list shows of {@code run}. */
  public static RunSummary of(RunRecord run) {
    return new RunSummary(
        run.id(),
        run.taskId(),
        run.queue(),
        run.status(),
        run.eventSequence(),
        run.counters(),
        run.runAt(),
        run.keys().concurrencyKey(),
        run.keys().idempotencyKey(),
        run.keys().singletonKey(),
        run.lease() == null ? null : run.lease().workerId(),
        run.failure(),
        run.createdAt(),
        run.updatedAt(),
        run.startedAt(),
        run.finishedAt());
  }
}
