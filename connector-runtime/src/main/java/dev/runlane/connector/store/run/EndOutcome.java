package dev.runlane.connector.store.run;

import dev.runlane.connector.store.record.SinkFailure;
import dev.runlane.connector.store.timeline.RecordedEvent;

/** What became of an {@link EndRun}. In all but the first two cases nothing was stored and the run continues. */
public sealed interface EndOutcome {
  /** The run has ended as the command says, be it by this call or by an earlier one whose answer was lost. */
  record Ended() implements EndOutcome {}

  /**
   * The run had ended in another way before; nothing of this command was stored.
   *
   * @param terminal how it ended
   */
  record AlreadyEnded(RecordedEvent terminal) implements EndOutcome {}

  /** The run is somebody else's now. */
  record FencedOut() implements EndOutcome {}

  /** The owner's cancellation came first, so the run can no longer complete: end it as cancelled, without cursors. */
  record CancelledFirst() implements EndOutcome {}

  /**
   * The cursors were refused, all of them, or records of the run are missing, be it that it has no cursors: end the run
   * as failed, without cursors.
   *
   * @param failure why
   */
  record CursorsRefused(SinkFailure failure) implements EndOutcome {}
}
