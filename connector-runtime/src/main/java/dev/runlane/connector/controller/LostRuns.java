package dev.runlane.connector.controller;

import dev.runlane.connector.store.ConnectorStore;
import dev.runlane.connector.store.run.ActiveRun;
import dev.runlane.connector.store.run.EndRun;
import dev.runlane.connector.store.timeline.ReadTimeline;
import dev.runlane.connector.store.timeline.RecordedEvent;
import dev.runlane.connector.store.timeline.TimelinePage;
import io.vertx.core.Future;
import java.util.List;
import java.util.function.BiFunction;

/**
 * Ends runs that have no child to end with, with what is kept of them. A run that ended meanwhile stays as it
 * ended: of several terminal events the first one is stored.
 */
final class LostRuns {
  private final ConnectorStore store;

  LostRuns(ConnectorStore store) {
    this.store = store;
  }

  /**
   * Ends a run.
   *
   * @param ending makes the end of the run and what is kept of it
   */
  Future<Void> end(ActiveRun run, BiFunction<ActiveRun, RunTally, EndRun> ending) {
    RunTally kept = new RunTally();
    return read(run.run().runId(), 0, kept)
        .compose(told -> store.activeRuns().flushed(run.fence()))
        .compose(flushed -> {
          kept.add(flushed);
          return store.runEnds().end(ending.apply(run, kept));
        })
        .mapEmpty();
  }

  /** The whole timeline, page by page; a run's is bounded by what the engine records. */
  private Future<Void> read(String runId, long after, RunTally kept) {
    return store
        .timeline()
        .read(new ReadTimeline(runId, after, ReadTimeline.MOST_EVENTS))
        .compose((TimelinePage page) -> {
          List<RecordedEvent> events = page.events();
          events.forEach(kept::add);
          return page.more()
              ? read(runId, events.get(events.size() - 1).sequence(), kept)
              : Future.succeededFuture();
        });
  }
}
