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
 * @param typeName what its type is stored and shown as; of {@link TimelineEventType#OTHER} the name that the later
 *     release gave it
 */
public record RecordedEvent(
    long sequence, RunIdentity run, TimelineEvent event, Instant recordedAt, String typeName) {
  /** Refuses null. */
  public RecordedEvent {
    Objects.requireNonNull(run);
    Objects.requireNonNull(event);
    Objects.requireNonNull(recordedAt);
    Objects.requireNonNull(typeName);
  }

  /** Of a type that this release knows. */
  public RecordedEvent(long sequence, RunIdentity run, TimelineEvent event, Instant recordedAt) {
    this(sequence, run, event, recordedAt, event.type().value());
  }
}
