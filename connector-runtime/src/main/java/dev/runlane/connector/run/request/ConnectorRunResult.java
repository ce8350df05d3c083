package dev.runlane.connector.run.request;

import dev.runlane.connector.store.history.RunHistoryEntry;
import dev.runlane.connector.store.timeline.RecordedEvent;
import dev.runlane.connector.store.timeline.TimelineEvent;
import dev.runlane.connector.store.timeline.TimelineEventType;

/** How a run ended. */
public sealed interface ConnectorRunResult {
  /**
   * It ended, and its end is stored.
   *
   * @param terminal its last event
   * @param history the run as the history keeps it
   */
  record Ended(TimelineEvent terminal, RunHistoryEntry history) implements ConnectorRunResult {
    /** Whether it completed. */
    public boolean succeeded() {
      return terminal.type() == TimelineEventType.COMPLETED;
    }
  }

  /**
   * Somebody else ended it before; what this run would have said is not stored.
   *
   * @param terminal how it ended
   */
  record EndedBefore(RecordedEvent terminal) implements ConnectorRunResult {}

  /** It is somebody else's now: its child was ended and nothing was recorded. */
  record FencedOut() implements ConnectorRunResult {}
}
