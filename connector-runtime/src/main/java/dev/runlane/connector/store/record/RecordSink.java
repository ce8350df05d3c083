package dev.runlane.connector.store.record;

import io.vertx.core.Future;
import java.time.Instant;

/**
 * Where records and cursors go. Refusals of the sink are values; a future fails only for a call that is malformed
 * ({@link dev.runlane.run.ErrorCode#VALIDATION_FAILED}) or for a fault of the sink itself. Nothing is tried again here:
 * that is the caller's.
 */
public interface RecordSink {
  /**
   * Stores a batch, or nothing of it. Deliver a batch again under its number after a lost answer: it changes nothing
   * further. A sink that keeps numbers refuses a batch whose predecessor it has no longer, with {@link
   * SinkFailure#RECORDS_LOST}.
   */
  Future<IngestOutcome> ingest(IngestBatch batch);

  /** The cursors a run starts from. */
  Future<StateOutcome> readState(StateScope scope);

  /**
   * Stores one cursor by itself. Only for sinks whose cursors are not stored by the run's end: see {@link
   * #commitsAtRunEnd()}.
   */
  Future<CommitOutcome> commitCursor(CommitCursor command);

  /**
   * How many bytes of lines one batch may have, unless it is a single record. What is larger in itself, the sink
   * refuses.
   */
  long maxBatchBytes();

  /**
   * Whether the cursors of a run are given to {@link dev.runlane.connector.store.run.RunEnds#end}, which stores all
   * of them together with the terminal event, or none. If not, they are stored one by one before the end, and the
   * end is given none.
   */
  boolean commitsAtRunEnd();

  /**
   * Whether {@link dev.runlane.connector.store.run.RunEnds#end} finds what this sink has taken, and so can refuse the
   * end of a run of which a batch is missing that was answered as stored. Only where {@link #commitsAtRunEnd()}; a sink
   * that hands all batches on to another one answers what that one does.
   */
  default boolean isCheckedAtRunEnd() {
    return false;
  }

  /**
   * Deletes what this sink remembers of changes of records that were made before {@code olderThan}: of each stream the
   * oldest first, and never its newest change. Records stay as they are. A sink that keeps no changes has none to
   * delete.
   *
   * @param limit at most this many, 1 to 10 000
   * @return how many were deleted
   */
  default Future<Integer> pruneChanges(Instant olderThan, int limit) {
    return Future.succeededFuture(0);
  }
}
