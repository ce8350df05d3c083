package dev.runlane.connector.store.record;

import dev.runlane.run.Json;
import java.util.Objects;

/**
 * A cursor that a run accepted and has not stored yet.
 *
 * @param stream the stream
 * @param cursor a JSON object or null
 * @param recordsAccepted how many records of the stream the run had accepted by then
 */
public record StagedCursor(String stream, Json cursor, long recordsAccepted) {
  /** Refuses null. */
  public StagedCursor {
    Objects.requireNonNull(stream);
    Objects.requireNonNull(cursor);
  }
}
