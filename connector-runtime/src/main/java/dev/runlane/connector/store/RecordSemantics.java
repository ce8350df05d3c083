package dev.runlane.connector.store;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What a record means that comes under a known key. */
public enum RecordSemantics {
  /** Nothing: a key is stored once. */
  APPEND_ONLY,
  /** The new state of the same thing: another version. */
  MUTABLE_STATE;

  /**
   * Whether a record that comes makes a version of the one that is stored, or the first. Data is compared as it was
   * written.
   */
  boolean isChange(@Nullable StoredRecord stored, SinkRecord record) {
    if (stored == null) {
      return true;
    }
    if (record.deleted()) {
      return !stored.deleted();
    }
    return this == MUTABLE_STATE
        && (stored.deleted() || !Objects.equals(stored.data(), record.data()));
  }
}
