package dev.runlane.connector.store.timeline;

/** What became of {@link AppendEvents}. */
public sealed interface AppendOutcome {
  /** Every event is stored, be it by this call or by an earlier one whose answer was lost. */
  record Appended() implements AppendOutcome {}

  /** The run has ended or is somebody else's; nothing was stored. */
  record FencedOut() implements AppendOutcome {}
}
