package dev.runlane.connector.controller;

import dev.runlane.connector.run.request.TerminalReason;
import dev.runlane.connector.store.run.ActiveRun;
import dev.runlane.run.RunRecord;
import io.vertx.core.Future;
import java.util.Optional;

/**
 * Ends active runs whose durable run has ended without a terminal event: cancelled before anybody claimed it, or given
 * up by the runtime. Nobody else would.
 */
final class UnclaimedRuns {
  private final LostRuns lost;
  private final LiveRuns live;
  private final RunEvents events;

  UnclaimedRuns(LostRuns lost, LiveRuns live, RunEvents events) {
    this.lost = lost;
    this.live = live;
    this.events = events;
  }

  /** Ends the run if its durable run has ended and its child is not here. */
  Future<Void> settle(ActiveRun run, Optional<RunRecord> record) {
    boolean ended = record.map(durable -> durable.status().isTerminal()).orElse(false);
    return ended && live.find(run.run().runId()).isEmpty() ? end(run) : Future.succeededFuture();
  }

  /** Ends the run, whose durable run was to be created and was not. */
  Future<Void> endUncreated(ActiveRun run) {
    return lost.end(
        run,
        (mine, kept) -> events.failed(
            mine, kept, TerminalReason.LAUNCH_FAILED, "the run could not be created"));
  }

  private Future<Void> end(ActiveRun run) {
    return run.cancelRequestedAt() != null
        ? lost.end(run, events::cancelled)
        : lost.end(
            run,
            (mine, kept) -> events.failed(
                mine, kept, TerminalReason.RUNTIME_ERROR, "the run ended without its connector"));
  }
}
