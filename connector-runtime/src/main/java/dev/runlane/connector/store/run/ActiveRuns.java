package dev.runlane.connector.store.run;

import dev.runlane.connector.store.key.RunFence;
import dev.runlane.connector.store.record.FlushedStream;
import io.vertx.core.Future;
import java.util.List;
import java.util.Optional;

/**
 * The runs that are active: at most one a connection, whatever number of processes begin some at once. A run leaves
 * here only by its end, see {@link RunEnds}. Futures fail with {@link dev.runlane.run.ErrorCode#VALIDATION_FAILED}
 * for ids that cannot be stored and with {@link dev.runlane.run.ErrorCode#STORAGE_UNAVAILABLE}.
 */
public interface ActiveRuns {
  /** Accepts a run unless its connection has one. Sent again after a lost answer, it answers the same. */
  Future<BeginOutcome> begin(BeginRun command);

  /**
   * Gives a run a new generation, so that whatever its process still writes is refused. Waits for a write that is
   * under way. Empty when the run is not active under the expected generation.
   */
  Future<Optional<ActiveRun>> takeOver(TakeOverRun command);

  /**
   * Notes a request to cancel, and records the first one in the timeline, in one step. From then on the run cannot
   * complete: the end of the run and this request are decided by the active run's row.
   */
  Future<CancelOutcome> requestCancel(RequestCancel command);

  /** The active run with this id. */
  Future<Optional<ActiveRun>> find(String runId);

  /** The active run of this connection. */
  Future<Optional<ActiveRun>> findByInstance(String instanceId);

  /**
   * What this store's own sink has taken of a run, by stream; empty where its records go to another sink. Exact for
   * a run that nobody writes for any more.
   */
  Future<List<FlushedStream>> flushed(RunFence fence);

  /** All active runs, the oldest first; bounded by the number of connections. */
  Future<List<ActiveRun>> list();
}
