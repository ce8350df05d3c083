package dev.runlane.connector.store.timeline;

import io.vertx.core.Future;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The durable timeline of every run, apart from the run events of the lease. Futures fail with {@link
 * dev.runlane.run.ErrorCode#VALIDATION_FAILED} for what cannot be stored and with {@link
 * dev.runlane.run.ErrorCode#STORAGE_UNAVAILABLE}.
 */
public interface RunTimeline {
  /** Stores events of a run that continues, all or none. Sent again after a lost answer, it stores nothing twice. */
  Future<AppendOutcome> append(AppendEvents command);

  /** A part of a run's timeline, in order; no events where there is no such run. */
  Future<TimelinePage> read(ReadTimeline query);

  /** How a run began and ended, as far as the timeline knows; both empty for an unknown run. */
  Future<RunBounds> bounds(String runId);

  /**
   * How runs ended, by run id; those that have not are missing. A process that died between a run's end and the
   * outcome of the run's lease is made good from this.
   *
   * @param runIds at most 1 000
   */
  Future<Map<String, RecordedEvent>> terminalEvents(List<String> runIds);

  /**
   * Deletes events recorded before {@code olderThan} of runs that have ended, the oldest first, but never how a run
   * began and ended.
   *
   * @param limit at most this many, 1 to 10 000
   * @return how many were deleted; fewer than {@code limit} once nothing is left
   */
  Future<Integer> pruneEvents(Instant olderThan, int limit);

  /**
   * How a run began and ended.
   *
   * @param started its {@code run.started} event
   * @param terminal its last event
   */
  record RunBounds(Optional<RecordedEvent> started, Optional<RecordedEvent> terminal) {}
}
