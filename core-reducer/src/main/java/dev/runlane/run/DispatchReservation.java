package dev.runlane.run;

import java.time.Instant;
import java.time.temporal.ChronoUnit;

/**
 * Capacity of a bounded queue that is held for a run until a worker claims its lease.
 *
 * @param dispatchedAt when the capacity was reserved
 * @param expiresAt from this instant on it is free again; {@code dispatchExpiresAt} in JSON
 */
public record DispatchReservation(Instant dispatchedAt, Instant expiresAt) {
  /** Refuses null and cuts the instants to microseconds. */
  public DispatchReservation {
    dispatchedAt = dispatchedAt.truncatedTo(ChronoUnit.MICROS);
    expiresAt = expiresAt.truncatedTo(ChronoUnit.MICROS);
  }

  /** Whether the reservation no longer holds anything at {@code now}. */
  public boolean isExpiredAt(Instant now) {
    return !expiresAt.isAfter(now);
  }
}
