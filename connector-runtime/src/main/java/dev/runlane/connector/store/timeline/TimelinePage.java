package dev.runlane.connector.store.timeline;

import java.util.List;

/**
 * A part of a run's timeline.
 *
 * @param events in order
 * @param more whether there are events after these; their sequence is above that of the last one here
 */
public record TimelinePage(List<RecordedEvent> events, boolean more) {
  /** Copies the events. */
  public TimelinePage {
    events = List.copyOf(events);
  }
}
