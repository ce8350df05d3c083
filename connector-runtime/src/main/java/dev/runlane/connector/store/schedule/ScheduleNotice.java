package dev.runlane.connector.store.schedule;

import dev.runlane.connector.store.key.ConnectorRef;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A notice about a schedule for a receiver outside. Holds ids and reasons, never what a connector wrote.
 *
 * @param number of the notice; 0 before it is stored
 * @param connector whose schedule
 * @param kind such as {@code schedule.gave_up}
 * @param reason the failure behind it, or null
 * @param runId the run behind it, or null
 * @param createdAt when it came up
 * @param attempts how often it was sent, this time included
 */
public record ScheduleNotice(
    long number,
    ConnectorRef connector,
    String kind,
    @Nullable String reason,
    @Nullable String runId,
    Instant createdAt,
    int attempts) {
  /** How old a notice that was not sent may become = 7 days: later it tells of what is past. */
  public static final Duration OLDEST_SENT = Duration.ofDays(7);

  /** Refuses null where the components say nothing else. */
  public ScheduleNotice {
    Objects.requireNonNull(connector);
    Objects.requireNonNull(kind);
    Objects.requireNonNull(createdAt);
  }
}
