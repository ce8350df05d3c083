package dev.runlane.connectorkit.message;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * One record of a stream, or its deletion.
 *
 * @param data null only for a deletion; not copied: the caller leaves it alone until it is sent
 * @param emittedAt null means the moment of sending
 */
public record ConnectorRecord(
    String stream,
    RecordKey key,
    @Nullable ObjectNode data,
    @Nullable Instant emittedAt,
    boolean deleted) {

  /** Refuses a record without data that is not a deletion. */
  public ConnectorRecord {
    if (data == null && !deleted) {
      throw new IllegalArgumentException("a record that is not deleted has data");
    }
  }

  /** The current state of a record. */
  public static ConnectorRecord of(String stream, RecordKey key, ObjectNode data) {
    return new ConnectorRecord(stream, key, data, null, false);
  }

  /** The current state of a record with a key of one part. */
  public static ConnectorRecord of(String stream, String key, ObjectNode data) {
    return of(stream, RecordKey.of(key), data);
  }

  /** The record is gone at its source. */
  public static ConnectorRecord deletion(String stream, RecordKey key) {
    return new ConnectorRecord(stream, key, null, null, true);
  }

  /** The same record, emitted at another moment than that of its sending. */
  public ConnectorRecord emittedAt(Instant moment) {
    return new ConnectorRecord(stream, key, data, moment, deleted);
  }

  /** Names the record by stream and key; data may be private. */
  @Override
  public String toString() {
    return (deleted ? "deletion of " : "record ") + key.canonical() + " of " + stream;
  }
}
