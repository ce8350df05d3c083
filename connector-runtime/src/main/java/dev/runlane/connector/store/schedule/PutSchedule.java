package dev.runlane.connector.store.schedule;

import dev.runlane.connector.store.key.ConnectorRef;
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
 * @param keepsGrant whether a schedule that there is already stays under its grant, whatever {@code grantId} says
 * @param now the caller's time
 */
public record PutSchedule(
    ConnectorRef connector,
    Duration interval,
    Duration jitter,
    boolean enabled,
    @Nullable String grantId,
    boolean keepsGrant,
    Instant now) {
  /** Refuses null but for the grant. */
  public PutSchedule {
    Objects.requireNonNull(connector);
    Objects.requireNonNull(interval);
    Objects.requireNonNull(jitter);
    Objects.requireNonNull(now);
  }

  /** A schedule under this grant, or under none. */
  public PutSchedule(
      ConnectorRef connector,
      Duration interval,
      Duration jitter,
      boolean enabled,
      @Nullable String grantId,
      Instant now) {
    this(connector, interval, jitter, enabled, grantId, false, now);
  }

  /** The same, under the grant that the schedule has, or under none where there is no schedule yet. */
  public PutSchedule keepingGrant() {
    return new PutSchedule(connector, interval, jitter, enabled, null, true, now);
  }
}
