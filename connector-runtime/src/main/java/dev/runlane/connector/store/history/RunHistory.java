package dev.runlane.connector.store.history;

import io.vertx.core.Future;
import java.time.Instant;
import java.util.List;

/**
 * The runs that have ended, and those that were not started and why. Written by
 * {@link dev.runlane.connector.store.run.RunEnds#end} and by the scheduler. Futures fail with
 * {@link dev.runlane.run.ErrorCode#VALIDATION_FAILED} for queries out of range and with
 * {@link dev.runlane.run.ErrorCode#STORAGE_UNAVAILABLE}.
 */
public interface RunHistory {
  /** Entries, the newest first. */
  Future<List<RecordedRun>> list(HistoryQuery query);

  /** What all runs of a connection come to. */
  Future<RunStats> stats(String instanceId);

  /**
   * Deletes entries that ended before {@code olderThan}, the oldest first, but keeps the newest {@value
   * HistoryQuery#MOST_ENTRIES} of each connection. What was counted stays counted.
   *
   * @param limit at most this many, 1 to 10 000
   * @return how many were deleted
   */
  Future<Integer> pruneEntries(Instant olderThan, int limit);
}
