package dev.runlane.connector.store.history;

import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What all runs of a connection come to; those that were not started are not counted.
 *
 * @param totalRuns that have ended
 * @param succeeded of these
 * @param failed of these
 * @param totalRecords that they emitted
 * @param lastStartedAt when the latest was accepted, also one that is active, or null
 * @param lastFinishedAt when the latest ended, or null
 * @param lastSuccessfulAt when the latest that succeeded ended, or null
 * @param lastRun the latest that ended: the same as in the history
 */
public record RunStats(
    long totalRuns,
    long succeeded,
    long failed,
    long totalRecords,
    @Nullable Instant lastStartedAt,
    @Nullable Instant lastFinishedAt,
    @Nullable Instant lastSuccessfulAt,
    Optional<RecordedRun> lastRun) {
  /** Of a connection that never ran. */
  public static final RunStats NONE = new RunStats(0, 0, 0, 0, null, null, null, Optional.empty());
}
