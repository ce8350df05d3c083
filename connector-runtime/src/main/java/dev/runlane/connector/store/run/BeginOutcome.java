package dev.runlane.connector.store.run;

/** What became of a {@link BeginRun}. */
public sealed interface BeginOutcome {
  /**
   * The run is the connection's active one; also the answer when the same run was begun before by the same process.
   *
   * @param run it, with the generation to write with
   */
  record Begun(ActiveRun run) implements BeginOutcome {}

  /**
   * Another run of the connection is active, or the run has ended already; nothing changed.
   *
   * @param runId the active run, or the given one where that has ended
   */
  record AlreadyActive(String runId) implements BeginOutcome {}

  /** The claim is over, or the schedule was paused, changed or deleted meanwhile; nothing changed. */
  record ClaimLost() implements BeginOutcome {}
}
