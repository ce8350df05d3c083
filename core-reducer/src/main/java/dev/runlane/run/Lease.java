package dev.runlane.run;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Objects;

/**
 * A worker's timed ownership of a run.
 *
 * @param token proof of ownership, different for each claim
 * @param workerId who owns the run
 * @param expiresAt from this instant on another worker may take the run over
 */
public record Lease(String token, String workerId, Instant expiresAt) {
  /** Refuses null and cuts the instant to microseconds. */
  public Lease {
    Objects.requireNonNull(token);
    Objects.requireNonNull(workerId);
    expiresAt = expiresAt.truncatedTo(ChronoUnit.MICROS);
  }

  /** Whether the lease no longer protects its owner at {@code now}. */
  public boolean isExpiredAt(Instant now) {
    return !expiresAt.isAfter(now);
  }

  /** The same ownership until {@code later}. */
  public Lease until(Instant later) {
    return new Lease(token, workerId, later);
  }
}
