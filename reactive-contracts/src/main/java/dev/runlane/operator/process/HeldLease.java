package dev.runlane.operator.process;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Objects;

/**
 * A run that a worker holds.
 *
 * @param runId the run
 * @param taskId its task
 * @param queue its queue
 * @param workerId who holds it
 * @param expiresAt until when
 */
public record HeldLease(
    String runId, String taskId, String queue, String workerId, Instant expiresAt) {
  /** Refuses null and cuts instants to microseconds. */
  public HeldLease {
    Objects.requireNonNull(runId);
    Objects.requireNonNull(taskId);
    Objects.requireNonNull(queue);
    Objects.requireNonNull(workerId);
    expiresAt = expiresAt.truncatedTo(ChronoUnit.MICROS);
  }
}
