package dev.runlane.connector.store.record;

import io.vertx.core.Future;
import java.util.List;
import java.util.Optional;

/**
 * Records as they were stored. Futures fail with {@link dev.runlane.run.ErrorCode#VALIDATION_FAILED} for queries out
 * of range and with {@link dev.runlane.run.ErrorCode#STORAGE_UNAVAILABLE}.
 */
public interface RecordReads {
  /** Records and changes in one page at most = {@value}. */
  int MOST_RECORDS = 10_000;

  /** The record with this key, deleted ones included. */
  Future<Optional<StoredRecord>> record(String instanceId, String stream, String key);

  /**
   * Records of a stream in the order of their keys, deleted ones included.
   *
   * @param afterKey the last key that is known, or an empty text for the beginning
   * @param limit at most this many, 1 to {@value #MOST_RECORDS}
   */
  Future<List<StoredRecord>> records(String instanceId, String stream, String afterKey, int limit);

  /**
   * Changes of a stream in the order they were made: all of them, until {@link RecordSink#pruneChanges} deletes the
   * oldest.
   *
   * <p>Where it does, a reader has missed none as long as the last change it knows, {@code s}, is still there: {@code
   * changes(instanceId, stream, s - 1, 1)} answers it. The newest of a stream is never deleted. A reader that was away
   * too long takes the sequence of the oldest change there is, reads {@link #records} from the beginning, and goes on
   * with the changes behind that sequence; what it has seen already it knows by key and version.
   *
   * @param afterSequence the last sequence that is known; 0 for the beginning
   * @param limit at most this many, 1 to {@value #MOST_RECORDS}
   */
  Future<List<RecordChange>> changes(
      String instanceId, String stream, long afterSequence, int limit);
}
