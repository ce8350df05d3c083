package dev.runlane.cli;

import dev.runlane.cli.option.RunPlan;
import dev.runlane.cli.report.RunReporter;
import dev.runlane.cli.report.RunSummary;
import dev.runlane.cli.run.ConsoleRunObserver;
import dev.runlane.cli.run.ForegroundStore;
import dev.runlane.cli.run.Waiting;
import dev.runlane.connector.process.ChildProcesses;
import dev.runlane.connector.process.os.ProcessIdentity;
import dev.runlane.connector.run.ConnectorRun;
import dev.runlane.connector.run.ConnectorRunner;
import dev.runlane.connector.run.request.ConnectorRunResult;
import dev.runlane.connector.store.key.ControllerProcess;
import dev.runlane.connector.store.key.RunIdentity;
import dev.runlane.connector.store.key.RunTrigger;
import dev.runlane.connector.store.record.StateScope;
import dev.runlane.connector.store.record.StoredCursor;
import dev.runlane.connector.store.run.ActiveRun;
import dev.runlane.connector.store.run.BeginOutcome;
import dev.runlane.connector.store.run.BeginRun;
import dev.runlane.connector.store.run.RequestCancel;
import dev.runlane.connector.store.timeline.TimelineEvent;
import dev.runlane.connector.store.timeline.TimelineEventType;
import dev.runlane.run.Json;
import dev.runlane.timing.Clock;
import dev.runlane.timing.Ids;
import dev.runlane.timing.Randomness;
import dev.runlane.timing.Timers;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.file.FileSystemOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** One run, from the command's settings to its result. All of it happens on one event loop. */
final class ForegroundRun {
  private static final Json NOTHING = Json.ofChecked("{}");

  private final RunPlan plan;
  private final Commands surroundings;
  private final ConsoleRunObserver conversation;
  private final ForegroundStore store;
  private final Clock clock = Clock.system();
  private final Ids ids = new Ids(clock, Randomness.system());

  ForegroundRun(RunPlan plan, RunReporter reporter, Commands surroundings) {
    this.plan = plan;
    this.surroundings = surroundings;
    this.conversation = new ConsoleRunObserver(reporter, surroundings.err());
    this.store =
        new ForegroundStore(conversation::onEvent, reporter, plan.settings().showsRecords());
  }

  /** Runs the connector. Returns once the run has ended and nothing is left of it. */
  RunSummary run() {
    Vertx vertx = Vertx.vertx(options());
    try {
      Promise<RunSummary> over = Promise.promise();
      vertx.getOrCreateContext().runOnContext(turn -> runOn(vertx).onComplete(over));
      return Waiting.on(over.future());
    } finally {
      Waiting.on(vertx.close());
    }
  }

  /** Without the cache of files, which nothing here needs and whose shutdown hook a JVM that is ending refuses. */
  private static VertxOptions options() {
    return new VertxOptions()
        .setEventLoopPoolSize(1)
        .setFileSystemOptions(new FileSystemOptions()
            .setFileCachingEnabled(false)
            .setClassPathResolvingEnabled(false));
  }

  private Future<RunSummary> runOn(Vertx vertx) {
    Timers timers = Timers.of(vertx);
    ChildProcesses children =
        new ChildProcesses(vertx, timers, plan.settings().limits().processOptions());
    return children
        .start()
        .compose(started -> rememberCursors())
        .compose(remembered -> begin(children.self()))
        .compose(active -> launch(vertx, timers, children, active))
        .compose(this::summary)
        .eventually(children::close);
  }

  private Future<Void> rememberCursors() {
    List<Future<?>> edits = new ArrayList<>();
    plan.settings()
        .state()
        .cursors()
        .forEach((stream, cursor) ->
            edits.add(store.states().edit(states(), stream, cursor, clock.now())));
    return Future.all(edits).mapEmpty();
  }

  private Future<ActiveRun> begin(ProcessIdentity self) {
    RunIdentity run = new RunIdentity(ids.runId(), "trc_" + unique(), plan.connector());
    ControllerProcess process = new ControllerProcess(
        "ctl_" + unique(), self.host(), self.bootId(), self.pid(), self.startTicks(), null);
    return store
        .activeRuns()
        .begin(new BeginRun(run, RunTrigger.RUN_NOW, null, null, process, clock.now()))
        .map(outcome -> {
          if (outcome instanceof BeginOutcome.Begun begun) {
            return begun.run();
          }
          throw new IllegalStateException("an empty store has no active run");
        });
  }

  private Future<ConnectorRunResult> launch(
      Vertx vertx, Timers timers, ChildProcesses children, ActiveRun active) {
    ConnectorRunner runner = new ConnectorRunner(
        vertx,
        children,
        store.sink(),
        store.timeline(),
        store.runEnds(),
        clock,
        timers,
        Randomness.system(),
        plan.settings().limits().runOptions());
    ConnectorRun run = runner.begin(plan.request(active), conversation);
    conversation.follow(run);
    Context context = vertx.getOrCreateContext();
    Future.fromCompletionStage(surroundings.interruption().requested(), context)
        .onSuccess(asked -> cancel(active, run));
    return run.result().onComplete(ended -> conversation.close());
  }

  private void cancel(ActiveRun active, ConnectorRun run) {
    TimelineEvent wish = TimelineEvent.of(
            ids, TimelineEventType.CANCEL_REQUESTED, "cancel_requested", clock.now(), NOTHING)
        .byOwner(null);
    store
        .activeRuns()
        .requestCancel(new RequestCancel(active.run().runId(), wish, clock.now()))
        .onComplete(noted -> run.cancel());
  }

  private Future<RunSummary> summary(ConnectorRunResult result) {
    if (!(result instanceof ConnectorRunResult.Ended ended)) {
      return Future.failedFuture(new IllegalStateException("nobody else can end this run"));
    }
    return store
        .states()
        .show(states())
        .map(cursors -> RunSummary.of(ended.terminal(), store.counts(), texts(cursors)));
  }

  private static Map<String, Json> texts(Map<String, StoredCursor> cursors) {
    Map<String, Json> texts = new TreeMap<>();
    cursors.forEach((stream, cursor) -> texts.put(stream, cursor.cursor()));
    return texts;
  }

  private StateScope states() {
    return StateScope.of(plan.connector());
  }

  private String unique() {
    return ids.token().substring("tok_".length());
  }
}
