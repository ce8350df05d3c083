package dev.runlane.connector.schedule;

import dev.runlane.connector.protocol.manifest.RefreshPolicy;
import dev.runlane.connector.store.grant.Grant;
import dev.runlane.connector.store.history.RecordedRun;
import dev.runlane.connector.store.history.RunHistoryEntry;
import dev.runlane.connector.store.key.RunSource;
import dev.runlane.connector.store.run.ActiveRun;
import dev.runlane.connector.store.schedule.ConnectorSchedule;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What a decision about a schedule is made from.
 *
 * @param schedule the schedule
 * @param policy the manifest's refresh policy, or null when it declares none
 * @param grant the schedule's grant, or null when it names none or there is no such grant
 * @param active the connection's active run, or null
 * @param ended its latest runs, the newest first, without those that were skipped
 * @param now the present
 */
record ScheduleFacts(
    ConnectorSchedule schedule,
    @Nullable RefreshPolicy policy,
    @Nullable Grant grant,
    @Nullable ActiveRun active,
    List<RecordedRun> ended,
    Instant now) {
  ScheduleFacts {
    ended = List.copyOf(ended);
  }

  /** The same at another time. */
  ScheduleFacts at(Instant other) {
    return new ScheduleFacts(schedule, policy, grant, active, ended, other);
  }

  Optional<RunHistoryEntry> last() {
    return ended.stream().findFirst().map(RecordedRun::entry);
  }

  /**
   * The last run that an interval is counted from: of the schedule, or of somebody else's that collected all there was.
   * One that left no cursors, as of a part of a stream, stands for nothing that the schedule would collect.
   */
  Optional<RunHistoryEntry> lastWhole() {
    return ended.stream()
        .map(RecordedRun::entry)
        .filter(run -> run.trigger().source() == RunSource.SCHEDULED || !run.leavesNoCursors())
        .findFirst();
  }

  FailureStreak streak() {
    return FailureStreak.of(ended.stream()
        .map(RecordedRun::entry)
        .filter(run -> !RetryRules.isStopped(run))
        .toList());
  }
}
