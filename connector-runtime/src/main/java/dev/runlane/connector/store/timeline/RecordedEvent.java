package dev.runlane.connector.store.timeline;

import dev.runlane.connector.store.key.RunIdentity;
import java.time.Instant;
import java.util.Objects;

/**
 * An event as it was stored.
 *
 * @param sequence rises from event to event; gives the order within a run
 * @param run whose event it is
 * @param event what happened
 * @param recordedAt when it was stored
 */
public record RecordedEvent(
    long sequence, RunIdentity run, TimelineEvent event, Instant recordedAt) {
  /** Refuses null. */
  public RecordedEvent {
    Objects.requireNonNull(run);
    Objects.requireNonNull(event);
    Objects.requireNonNull(recordedAt);
  }
}
