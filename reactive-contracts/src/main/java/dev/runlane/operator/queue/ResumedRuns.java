package dev.runlane.operator.queue;

import dev.runlane.storage.read.RunnableRunRef;
import java.util.List;
import java.util.Objects;

/**
 * Runs of one resumed queue that may have lost their wakeups while it was paused.
 *
 * @param queue the queue
 * @param runs those that wait longest first; may be none
 * @param isLast whether none is left behind these
 */
public record ResumedRuns(String queue, List<RunnableRunRef> runs, boolean isLast) {
  /** Copies the list and refuses null. */
  public ResumedRuns {
    Objects.requireNonNull(queue);
    runs = List.copyOf(runs);
  }
}
