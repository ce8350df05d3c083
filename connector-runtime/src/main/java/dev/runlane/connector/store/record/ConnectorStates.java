package dev.runlane.connector.store.record;

import dev.runlane.run.Json;
import io.vertx.core.Future;
import java.time.Instant;
import java.util.Map;

/**
 * The cursors of connections in the owner's hands. A change that races with the start of a run may be overwritten by
 * that run's end; one that comes during a run is refused. Futures fail with {@link
 * dev.runlane.run.ErrorCode#VALIDATION_FAILED} for a cursor that is neither an object nor null or too large and with
 * {@link dev.runlane.run.ErrorCode#STORAGE_UNAVAILABLE}.
 */
public interface ConnectorStates {
  /** The cursors, by stream. */
  Future<Map<String, StoredCursor>> show(StateScope scope);

  /** Stores a cursor of the owner's. */
  Future<EditOutcome> edit(StateScope scope, String stream, Json cursor, Instant now);

  /** Forgets a stream's cursor: the next run reads that stream from its beginning, the others continue. */
  Future<EditOutcome> reset(StateScope scope, String stream);
}
