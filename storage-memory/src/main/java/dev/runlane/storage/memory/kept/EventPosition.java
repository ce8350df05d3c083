package dev.runlane.storage.memory.kept;

import dev.runlane.storage.read.RunEventRecord;
import java.time.Instant;
import java.util.Comparator;

/**
 * A place in a list of events by time.
 *
 * @param at when the event occurred
 * @param number the event's id, which tells equal instants apart
 */
public record EventPosition(Instant at, long number) implements Comparable<EventPosition> {
  private static final Comparator<EventPosition> ORDER =
      Comparator.comparing(EventPosition::at).thenComparingLong(EventPosition::number);

  public static EventPosition of(RunEventRecord row) {
    return new EventPosition(row.event().header().occurredAt(), Long.parseLong(row.id()));
  }

  @Override
  public int compareTo(EventPosition other) {
    return ORDER.compare(this, other);
  }
}
