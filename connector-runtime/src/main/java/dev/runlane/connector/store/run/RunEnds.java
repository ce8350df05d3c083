package dev.runlane.connector.store.run;

import io.vertx.core.Future;

/** How runs end. */
public interface RunEnds {
  /**
   * Stores the run's cursors, its last events, the terminal one among them, and its history, marks a single-use grant
   * as consumed when the run succeeded, and removes the active run: all of it, or nothing. Of several who end a run
   * one wins. Sent again after a lost answer it answers {@link EndOutcome.Ended} and stores nothing twice.
   *
   * <p>Fails with {@link dev.runlane.run.ErrorCode#VALIDATION_FAILED} for what cannot be stored and with {@link
   * dev.runlane.run.ErrorCode#STORAGE_UNAVAILABLE}: whether the run has ended is then not known, and the same command
   * is sent again.
   */
  Future<EndOutcome> end(EndRun command);
}
