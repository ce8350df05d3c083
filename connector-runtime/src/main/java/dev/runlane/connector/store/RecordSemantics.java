package dev.runlane.connector.store;

/** What a record means that comes under a known key. */
public enum RecordSemantics {
  /** Nothing: a key is stored once. */
  APPEND_ONLY,
  /** The new state of the same thing: another version. */
  MUTABLE_STATE
}
