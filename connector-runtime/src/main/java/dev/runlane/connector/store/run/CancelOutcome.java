package dev.runlane.connector.store.run;

import dev.runlane.connector.store.timeline.RecordedEvent;

/** What became of a {@link RequestCancel}. */
public sealed interface CancelOutcome {
  /**
   * The request stands: the run can no longer complete. Whoever has the child ends it.
   *
   * @param run it, as it is now
   * @param first whether nobody had asked before
   */
  record Accepted(ActiveRun run, boolean first) implements CancelOutcome {}

  /** There is no such run, and none has ended under this id; nothing changed. */
  record NoActiveRun() implements CancelOutcome {}

  /**
   * The run has ended; nothing changed.
   *
   * @param terminal how it ended
   */
  record AlreadyTerminal(RecordedEvent terminal) implements CancelOutcome {}
}
