package dev.runlane.connector.store.history;

import io.vertx.core.Future;
import java.time.Instant;
import java.util.List;
import java.util.Set;

/**
 * The runs that have ended, and those that were not started and why. Written by
 * {@link dev.runlane.connector.store.run.RunEnds#end} and by the scheduler. Futures fail with
 * {@link dev.runlane.run.ErrorCode#VALIDATION_FAILED} for queries out of range and with
 * {@link dev.runlane.run.ErrorCode#STORAGE_UNAVAILABLE}.
 */
public interface RunHistory {
  /**
   * Entries, the newest first: as many as have fewer than {@value HistoryQuery#MOST_BYTES} bytes of JSON together, and
   * the one that goes beyond. {@link HistoryQuery#mayHaveMore} says whether there are others.
   */
  Future<List<RecordedRun>> list(HistoryQuery query);

  /**
   * How the latest runs of a connection ended, the newest first, without what may be large and decides nothing: the
   * state is null, and only failed runs have gaps.
   *
   * @param statuses of these only; empty for all
   * @param limit at most this many, 1 to {@value HistoryQuery#MOST_ENTRIES}
   */
  Future<List<RecordedRun>> outcomes(String instanceId, Set<RunStatus> statuses, int limit);

  /** What all runs of a connection come to. */
  Future<RunStats> stats(String instanceId);

  /**
   * Deletes entries that ended before {@code olderThan}, the oldest first, but keeps the newest {@value
   * HistoryQuery#MOST_ENTRIES} of each connection. What was counted stays counted. A call may look at
   * the first {@code limit} entries of each connection alone.
   *
   * @param limit at most this many, 1 to 10 000
   * @return how many were deleted
   */
  Future<Integer> pruneEntries(Instant olderThan, int limit);
}
