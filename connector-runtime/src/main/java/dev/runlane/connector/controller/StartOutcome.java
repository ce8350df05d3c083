package dev.runlane.connector.controller;

import dev.runlane.connector.store.run.ActiveRun;
import java.time.Instant;

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

  /**
   * The source of the connector's data asked the last run for time, and nobody insisted; nothing changed.
   *
   * @param until when a run is begun without that
   */
  record CoolingDown(Instant until) implements StartOutcome {}

  /** No connector with this id can be run. */
  record NotRunnable() implements StartOutcome {}
}
