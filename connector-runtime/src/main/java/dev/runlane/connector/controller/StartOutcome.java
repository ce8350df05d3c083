package dev.runlane.connector.controller;

import dev.runlane.connector.store.ActiveRun;

/** What became of a {@link RunRequest}. */
public sealed interface StartOutcome {
  /**
   * The run is accepted and durable; its handle resolves from now on.
   *
   * @param run it
   */
  record Started(ActiveRun run) implements StartOutcome {}

  /**
   * The connector has an active run; nothing changed.
   *
   * @param runId that run
   */
  record AlreadyActive(String runId) implements StartOutcome {}

  /** The claim under which it was to be begun was over; nothing changed. */
  record ClaimLost() implements StartOutcome {}

  /** No connector with this id can be run. */
  record NotRunnable() implements StartOutcome {}
}
