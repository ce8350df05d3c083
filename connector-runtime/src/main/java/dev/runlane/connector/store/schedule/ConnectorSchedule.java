package dev.runlane.connector.store.schedule;

import dev.runlane.connector.store.key.ConnectorRef;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A schedule as it is stored.
 *
 * @param connector whose runs it starts
 * @param interval from the end of a run to the next, whole seconds, at least one
 * @param jitter by up to how much a run comes later than that, whole seconds
 * @param enabled false while the owner has paused it
 * @param grantId the grant its runs collect under, or null for none
 * @param createdAt when the owner made it
 * @param updatedAt when the owner last changed, paused or resumed it
 * @param checkAt when a scheduler looks at it next; not when it is due
 * @param attention what a run of it asked a person for, or null
 * @param stopReason why no run is started any more until the owner changes or resumes it, or null
 * @param condition what kept it from starting a run when it was last looked at, or null
 * @param notifiedNumber the latest entry of the history for which notices were written; 0 for none
 * @param notifiedAttention the latest run for which a notice says that it needs a person, or null
 */
public record ConnectorSchedule(
    ConnectorRef connector,
    Duration interval,
    Duration jitter,
    boolean enabled,
    @Nullable String grantId,
    Instant createdAt,
    Instant updatedAt,
    Instant checkAt,
    @Nullable Attention attention,
    @Nullable String stopReason,
    @Nullable String condition,
    long notifiedNumber,
    @Nullable String notifiedAttention) {
  /** Refuses null where the components say nothing else. */
  public ConnectorSchedule {
    Objects.requireNonNull(connector);
    Objects.requireNonNull(interval);
    Objects.requireNonNull(jitter);
    Objects.requireNonNull(createdAt);
    Objects.requireNonNull(updatedAt);
    Objects.requireNonNull(checkAt);
  }

  /**
   * What only a person can do.
   *
   * @param runId the run that asked
   * @param reason how that run ended, or null
   * @param since when it ended
   */
  public record Attention(String runId, @Nullable String reason, Instant since) {}
}
