package dev.runlane.connector.store.record;

/** What became of a {@link CommitCursor}. */
public sealed interface CommitOutcome {
  /** The cursor is stored. */
  record Committed() implements CommitOutcome {}

  /** The run has ended or is somebody else's; nothing was stored. */
  record FencedOut() implements CommitOutcome {}

  /**
   * The cursor is not known to be stored.
   *
   * @param failure why
   */
  record Refused(SinkFailure failure) implements CommitOutcome {}
}
