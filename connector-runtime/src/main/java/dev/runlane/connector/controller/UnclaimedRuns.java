package dev.runlane.connector.controller;

import dev.runlane.connector.run.request.TerminalReason;
import dev.runlane.connector.store.run.ActiveRun;
import dev.runlane.connector.store.timeline.RunTimeline;
import dev.runlane.run.RunRecord;
import io.vertx.core.Future;
import java.util.Optional;

/**
 * Ends active runs whose durable run has ended without a terminal event: cancelled before anybody claimed it, or given
 * up by the runtime. Nobody else would.
 */
final class UnclaimedRuns {
  private final RunTimeline timeline;
  private final LostRuns lost;
  private final LiveRuns live;
  private final RunEvents events;

  UnclaimedRuns(RunTimeline timeline, LostRuns lost, LiveRuns live, RunEvents events) {
    this.timeline = timeline;
    this.lost = lost;
    this.live = live;
    this.events = events;
  }

  /** Ends the run if its durable run has ended and its child is not here. */
  Future<Void> settle(ActiveRun run, Optional<RunRecord> record) {
    boolean ended = record.map(durable -> durable.status().isTerminal()).orElse(false);
    return ended && live.find(run.run().runId()).isEmpty()
        ? end(run, TerminalReason.RUNTIME_ERROR, "the run ended without its connector")
        : Future.succeededFuture();
  }

  /** Ends the run, whose durable run was to be created and was not; one that was launched has one somewhere. */
  Future<Void> endUncreated(ActiveRun run) {
    return timeline
        .bounds(run.run().runId())
        .compose(bounds -> bounds.started().isPresent()
            ? Future.succeededFuture()
            : end(run, TerminalReason.LAUNCH_FAILED, "the run could not be created"));
  }

  private Future<Void> end(ActiveRun run, String reason, String message) {
    return run.cancelRequestedAt() != null
        ? lost.end(run, events::cancelled)
        : lost.end(run, (mine, kept) -> events.failed(mine, kept, reason, message));
  }
}
