package dev.runlane.connector.store.record;

/** What became of an owner's change of a cursor. */
public sealed interface EditOutcome {
  /** The cursor is as the owner wants it. */
  record Edited() implements EditOutcome {}

  /** There was no such cursor. */
  record NotFound() implements EditOutcome {}

  /**
   * The connection has an active run, which would end with its own cursors; nothing changed.
   *
   * @param runId that run
   */
  record RunActive(String runId) implements EditOutcome {}
}
