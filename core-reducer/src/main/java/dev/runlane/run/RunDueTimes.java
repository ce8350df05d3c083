package dev.runlane.run;

import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The instants from which a run needs somebody. A run is due when the instant is not after now, and
 * scans order by the same instant.
 */
public final class RunDueTimes {
  private RunDueTimes() {}

  /** From when a worker may claim the run, or empty when no worker ever may in its status. */
  public static Optional<Instant> runnableAvailableAt(RunRecord run) {
    return switch (run.status()) {
      case QUEUED -> Optional.of(run.runAt() == null ? run.updatedAt() : run.runAt());
      case SCHEDULED, RETRYING, RELEASED -> Optional.ofNullable(run.runAt());
      case RUNNING -> leaseEnd(run.lease());
      case CANCELLATION_REQUESTED, SUCCEEDED, FAILED, CANCELLED -> Optional.empty();
    };
  }

  /** From when the run needs a fresh delivery request; empty for queued runs, which already have one. */
  public static Optional<Instant> deliveryRecoveryAvailableAt(RunRecord run) {
    return run.status().isDeliveryRecoveryCandidate() ? runnableAvailableAt(run) : Optional.empty();
  }

  /** From when maintenance may write the cancellation that the run's owner did not write. */
  public static Optional<Instant> cancellationFinalizationAvailableAt(RunRecord run) {
    return run.status().isCancellationFinalizationCandidate()
        ? leaseEnd(run.lease())
        : Optional.empty();
  }

  /** Whether a worker may claim the run at {@code now}. */
  public static boolean isRunnableAt(RunRecord run, Instant now) {
    return runnableAvailableAt(run).filter(due -> !due.isAfter(now)).isPresent();
  }

  private static Optional<Instant> leaseEnd(@Nullable Lease lease) {
    return Optional.ofNullable(lease).map(Lease::expiresAt);
  }
}
