package dev.runlane.connector.controller;

import io.vertx.core.Future;

/** Begins runs on children of this process. */
@FunctionalInterface
public interface RunLauncher {
  /**
   * Begins a run, on the caller's context, which becomes the run's. Fails when it could not: nothing is left of it
   * then, and its terminal event is still to be written.
   */
  Future<LiveRun> launch(PreparedRun run);
}
