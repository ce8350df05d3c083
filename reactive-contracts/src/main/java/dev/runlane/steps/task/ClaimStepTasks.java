package dev.runlane.steps.task;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;

/**
 * Claims tasks for a worker.
 *
 * @param groups exactly these; none claims nothing
 * @param workerId tells people who owns the lease; several workers may share one
 * @param now the worker's time
 * @param leaseFor a task whose lease was taken or renewed longer ago than this is taken over. All workers
 *     of a prefix, in whatever language, must use the same
 * @param limit most tasks, at least 1
 */
public record ClaimStepTasks(
    List<String> groups, String workerId, Instant now, Duration leaseFor, int limit) {
  /** Copies the groups and refuses null. */
  public ClaimStepTasks {
    groups = List.copyOf(groups);
    Objects.requireNonNull(workerId);
    Objects.requireNonNull(now);
    Objects.requireNonNull(leaseFor);
  }
}
