package dev.runlane.connector.store.history;

import java.util.Objects;

/**
 * An entry of the history as it was stored.
 *
 * @param number rises from entry to entry
 * @param entry the run
 */
public record RecordedRun(long number, RunHistoryEntry entry) {
  /** Refuses null. */
  public RecordedRun {
    Objects.requireNonNull(entry);
  }
}
