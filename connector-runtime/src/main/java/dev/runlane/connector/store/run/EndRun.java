package dev.runlane.connector.store.run;

import dev.runlane.connector.store.history.RunHistoryEntry;
import dev.runlane.connector.store.key.RunFence;
import dev.runlane.connector.store.record.LastBatch;
import dev.runlane.connector.store.record.StagedCursor;
import dev.runlane.connector.store.timeline.TimelineEvent;
import java.time.Instant;
import java.util.List;
import java.util.Objects;

/**
 * Ends a run.
 *
 * @param fence what the run writes with
 * @param events what is left to tell, in order; the last one is the terminal event and no other is
 * @param cursors what the run staged and now stores; empty unless it succeeded, kept its state and the sink stores
 *     cursors at the run's end
 * @param taken the last batch of each stream that was answered as stored: where one of them is not there, the run does
 *     not end so; empty unless it succeeded and {@link
 *     dev.runlane.connector.store.record.RecordSink#isCheckedAtRunEnd()}
 * @param history the run as the history keeps it
 * @param now the caller's time
 */
public record EndRun(
    RunFence fence,
    List<TimelineEvent> events,
    List<StagedCursor> cursors,
    List<LastBatch> taken,
    RunHistoryEntry history,
    Instant now) {
  /** Copies the lists; refuses null. */
  public EndRun {
    Objects.requireNonNull(fence);
    Objects.requireNonNull(history);
    Objects.requireNonNull(now);
    events = List.copyOf(events);
    cursors = List.copyOf(cursors);
    taken = List.copyOf(taken);
  }

  /** Ends a run whatever became of its records. */
  public EndRun(
      RunFence fence,
      List<TimelineEvent> events,
      List<StagedCursor> cursors,
      RunHistoryEntry history,
      Instant now) {
    this(fence, events, cursors, List.of(), history, now);
  }

  /** The event that ends the run. */
  public TimelineEvent terminal() {
    return events.get(events.size() - 1);
  }
}
