package dev.runlane.connector.controller;

import dev.runlane.connector.store.ActiveRun;
import dev.runlane.connector.store.ConnectorStore;
import dev.runlane.connector.store.EndRun;
import dev.runlane.run.RunRecord;
import io.vertx.core.Future;
import java.util.Optional;

/**
 * Ends active runs whose durable run has ended without a terminal event: cancelled before anybody claimed it, or given
 * up by the runtime. Nobody else would.
 */
final class UnclaimedRuns {
  private final ConnectorStore store;
  private final LiveRuns live;
  private final RunEvents events;

  UnclaimedRuns(ConnectorStore store, LiveRuns live, RunEvents events) {
    this.store = store;
    this.live = live;
    this.events = events;
  }

  /** Ends the run if its durable run has ended and its child is not here. */
  Future<Void> settle(ActiveRun run, Optional<RunRecord> record) {
    boolean ended = record.map(durable -> durable.status().isTerminal()).orElse(false);
    if (!ended || live.find(run.run().runId()).isPresent()) {
      return Future.succeededFuture();
    }
    EndRun end = run.cancelRequestedAt() != null
        ? events.cancelled(run)
        : events.failed(run, RunEvents.RUNTIME_ERROR, "the run ended without its connector");
    return store.runEnds().end(end).mapEmpty();
  }
}
