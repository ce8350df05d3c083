package dev.runlane.connector.store.timeline;

import dev.runlane.connector.store.key.RunFence;
import java.time.Instant;
import java.util.List;
import java.util.Objects;

/**
 * Appends to the timeline of a run that is under way.
 *
 * @param fence what the run writes with
 * @param events in the order they happened, 1 to {@value #MOST_EVENTS}; none of them terminal, which only {@link
 *     dev.runlane.connector.store.run.RunEnds} writes
 * @param now the caller's time
 */
public record AppendEvents(RunFence fence, List<TimelineEvent> events, Instant now) {
  /** Events in one command at most = {@value}. */
  public static final int MOST_EVENTS = 1_000;

  /** Copies the events; refuses null. */
  public AppendEvents {
    Objects.requireNonNull(fence);
    Objects.requireNonNull(now);
    events = List.copyOf(events);
  }
}
