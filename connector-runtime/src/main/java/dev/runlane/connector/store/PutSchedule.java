package dev.runlane.connector.store;

import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Stores what the owner wants of a schedule.
 *
 * @param connector whose runs it starts
 * @param interval whole seconds, 1 s to 36 500 days
 * @param jitter whole seconds, up to 36 500 days
 * @param enabled whether it starts runs by itself
 * @param grantId the grant its runs collect under, or null for none
 * @param now the caller's time
 */
public record PutSchedule(
    ConnectorRef connector,
    Duration interval,
    Duration jitter,
    boolean enabled,
    @Nullable String grantId,
    Instant now) {
  /** Refuses null but for the grant. */
  public PutSchedule {
    Objects.requireNonNull(connector);
    Objects.requireNonNull(interval);
    Objects.requireNonNull(jitter);
    Objects.requireNonNull(now);
  }
}
