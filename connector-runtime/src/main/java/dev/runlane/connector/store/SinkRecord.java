package dev.runlane.connector.store;

import dev.runlane.run.Json;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One record of a batch.
 *
 * @param key what it is known by
 * @param data a JSON object, kept as it was written; null only when it is deleted
 * @param emittedAt when the connector says it was emitted, kept as it was written
 * @param deleted whether the thing is gone
 */
public record SinkRecord(RecordKey key, @Nullable Json data, String emittedAt, boolean deleted) {
  /** Refuses null where the components say nothing else. */
  public SinkRecord {
    Objects.requireNonNull(key);
    Objects.requireNonNull(emittedAt);
    if (!deleted) {
      Objects.requireNonNull(data);
    }
  }

  /** A record with its data. */
  public static SinkRecord of(RecordKey key, Json data, String emittedAt) {
    return new SinkRecord(key, data, emittedAt, false);
  }

  /** A record that says that the thing is gone. */
  public static SinkRecord tombstone(RecordKey key, String emittedAt) {
    return new SinkRecord(key, null, emittedAt, true);
  }

  /** Says nothing of the data. */
  @Override
  public String toString() {
    return "SinkRecord[" + key.text().length() + " characters of key"
        + (deleted ? ", deleted]" : "]");
  }
}
