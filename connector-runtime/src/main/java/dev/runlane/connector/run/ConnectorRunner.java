package dev.runlane.connector.run;

import dev.runlane.connector.process.ChildProcesses;
import dev.runlane.connector.run.request.ConnectorRunOptions;
import dev.runlane.connector.run.request.ConnectorRunRequest;
import dev.runlane.connector.run.request.RunObserver;
import dev.runlane.connector.run.state.RunParts;
import dev.runlane.connector.store.record.RecordSink;
import dev.runlane.connector.store.run.RunEnds;
import dev.runlane.connector.store.timeline.RunTimeline;
import dev.runlane.timing.Clock;
import dev.runlane.timing.Ids;
import dev.runlane.timing.Randomness;
import dev.runlane.timing.Timers;
import io.vertx.core.Context;
import io.vertx.core.Vertx;

/** Begins runs of connectors. Safe for use by any thread. */
public final class ConnectorRunner {
  private final Vertx vertx;
  private final ChildProcesses children;
  private final RecordSink sink;
  private final RunTimeline timeline;
  private final RunEnds ends;
  private final Clock clock;
  private final Timers timers;
  private final Ids ids;
  private final Randomness randomness;
  private final ConnectorRunOptions options;

  /**
   * A runner whose runs share all this.
   *
   * @param children started, and closed by the caller
   * @param sink its futures may complete on any thread, as those of the two others
   * @param timers act on the context that sets them
   */
  public ConnectorRunner(
      Vertx vertx,
      ChildProcesses children,
      RecordSink sink,
      RunTimeline timeline,
      RunEnds ends,
      Clock clock,
      Timers timers,
      Randomness randomness,
      ConnectorRunOptions options) {
    this.vertx = vertx;
    this.children = children;
    this.sink = sink;
    this.timeline = timeline;
    this.ends = ends;
    this.clock = clock;
    this.timers = timers;
    this.ids = new Ids(clock, randomness);
    this.randomness = randomness;
    this.options = new ConnectorRunOptions(options);
  }

  /** Begins a run on the caller's context, and answers before anything has happened. */
  public ConnectorRun begin(ConnectorRunRequest request, RunObserver observer) {
    Context context = vertx.getOrCreateContext();
    RunParts parts = new RunParts(
        request, children, sink, timeline, ends, clock, timers, ids, randomness, options, observer);
    return ConnectorRun.begin(context, parts);
  }
}
