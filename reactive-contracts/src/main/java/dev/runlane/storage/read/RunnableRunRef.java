package dev.runlane.storage.read;

import dev.runlane.run.RunStatus;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A candidate of a scan, without payload.
 *
 * @param runId the run
 * @param taskId the task whose handler runs
 * @param queue the queue it waits in
 * @param concurrencyKey its partition of a bounded queue, or null
 * @param status where it is in its life
 * @param eventSequence sequence of its last event
 * @param availableAt from when it needs somebody; scans order by it
 */
public record RunnableRunRef(
    String runId,
    String taskId,
    String queue,
    @Nullable String concurrencyKey,
    RunStatus status,
    long eventSequence,
    Instant availableAt) {
  /** Refuses null. */
  public RunnableRunRef {
    Objects.requireNonNull(runId);
    Objects.requireNonNull(taskId);
    Objects.requireNonNull(queue);
    Objects.requireNonNull(status);
    Objects.requireNonNull(availableAt);
  }
}
