package dev.runlane.connector.schedule;

import dev.runlane.connector.protocol.manifest.RefreshPolicy;
import dev.runlane.connector.store.history.RunStats;
import dev.runlane.connector.store.key.AutomationMode;
import dev.runlane.connector.store.schedule.ConnectorSchedule;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A schedule with everything that explains what it does next.
 *
 * @param schedule as it is stored
 * @param effectiveMode what it amounts to: starts runs by itself, leaves that to the owner, or starts nothing since
 *     the owner paused it or the manifest does
 * @param ineligibilityReason why it starts nothing by itself, or null when it does
 * @param recommendedPolicy what the manifest recommends, or null when it declares nothing
 * @param minimumIntervalWarning says that the interval is shorter than the manifest recommends, or null
 * @param activeRunId the connection's active run, or null
 * @param stats when its runs began and ended, and what they came to
 * @param lastErrorCode why the latest run failed, or null when it did not
 * @param nextDueAt when the next run is due, or null when it waits for anything but time
 * @param humanAttentionNeeded whether only a person can bring it on
 * @param automationMode how much of a person its runs count on
 * @param streak the failures that came last
 */
public record ScheduleView(
    ConnectorSchedule schedule,
    RefreshPolicy.Mode effectiveMode,
    @Nullable String ineligibilityReason,
    @Nullable RefreshPolicy recommendedPolicy,
    @Nullable String minimumIntervalWarning,
    @Nullable String activeRunId,
    RunStats stats,
    @Nullable String lastErrorCode,
    @Nullable Instant nextDueAt,
    boolean humanAttentionNeeded,
    AutomationMode automationMode,
    FailureStreak streak) {

  /** Whether failures in a row make the schedule back off: with each one more its interval doubles, up to its end. */
  public boolean isBackedOff() {
    return streak.isBackedOff();
  }
}
