package dev.runlane.storage.run;

import dev.runlane.run.Environment;
import java.util.Objects;

/**
 * Clears what is left of a lease after its attempt ended.
 *
 * @param environment scope
 * @param runId the run
 * @param leaseToken the lease's token
 * @param workerId the lease's worker
 */
public record ReleaseRunLease(
    Environment environment, String runId, String leaseToken, String workerId) {
  /** Refuses null. */
  public ReleaseRunLease {
    Objects.requireNonNull(environment);
    Objects.requireNonNull(runId);
    Objects.requireNonNull(leaseToken);
    Objects.requireNonNull(workerId);
  }
}
