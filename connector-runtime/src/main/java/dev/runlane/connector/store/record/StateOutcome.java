package dev.runlane.connector.store.record;

import java.util.Map;

/** What became of reading cursors. */
public sealed interface StateOutcome {
  /**
   * The cursors.
   *
   * @param cursors by stream; empty when nothing was ever stored
   */
  record Found(Map<String, StoredCursor> cursors) implements StateOutcome {
    /** Copies the cursors. */
    public Found {
      cursors = Map.copyOf(cursors);
    }
  }

  /**
   * The sink did not tell.
   *
   * @param failure why
   */
  record Refused(SinkFailure failure) implements StateOutcome {}
}
