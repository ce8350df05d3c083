package dev.runlane.connector.store;

import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Gives a claimed schedule back without having started a run.
 *
 * @param connector whose schedule
 * @param claim the claim it was given under
 * @param checkAt when it is looked at next
 * @param condition what kept it from starting a run, or null for nothing but time
 * @param stopReason why it starts none any more, or null
 * @param skipped what the history tells of it, or null for nothing
 * @param notices what somebody outside is told
 * @param now the caller's time
 */
public record SettleSchedule(
    ConnectorRef connector,
    String claim,
    Instant checkAt,
    @Nullable String condition,
    @Nullable String stopReason,
    @Nullable RunHistoryEntry skipped,
    List<ScheduleNotice> notices,
    Instant now) {
  /** Copies the notices; refuses null where the components say nothing else. */
  public SettleSchedule {
    Objects.requireNonNull(connector);
    Objects.requireNonNull(claim);
    Objects.requireNonNull(checkAt);
    Objects.requireNonNull(now);
    notices = List.copyOf(notices);
  }
}
