package dev.runlane.benchmarks.connectors;

import dev.runlane.connector.process.ChildCommand;
import dev.runlane.connector.process.ChildEnvironment;
import dev.runlane.connector.process.ChildProcesses;
import dev.runlane.connector.process.os.ProcessIdentity;
import dev.runlane.connector.protocol.manifest.ConnectorManifest;
import dev.runlane.connector.protocol.redact.Redaction;
import dev.runlane.connector.protocol.start.CollectionMode;
import dev.runlane.connector.protocol.start.StartScope;
import dev.runlane.connector.run.ConnectorRun;
import dev.runlane.connector.run.ConnectorRunner;
import dev.runlane.connector.run.request.ConnectorRunOptions;
import dev.runlane.connector.run.request.ConnectorRunRequest;
import dev.runlane.connector.run.request.ConnectorRunResult;
import dev.runlane.connector.run.request.RunObserver;
import dev.runlane.connector.store.ConnectorStore;
import dev.runlane.connector.store.key.ConnectorRef;
import dev.runlane.connector.store.key.ControllerProcess;
import dev.runlane.connector.store.key.RunIdentity;
import dev.runlane.connector.store.key.RunTrigger;
import dev.runlane.connector.store.run.ActiveRun;
import dev.runlane.connector.store.run.BeginOutcome;
import dev.runlane.connector.store.run.BeginRun;
import dev.runlane.connector.store.timeline.TimelineEvent;
import dev.runlane.connector.store.timeline.TimelineEventType;
import dev.runlane.timing.Clock;
import dev.runlane.timing.Ids;
import dev.runlane.timing.Randomness;
import dev.runlane.timing.Timers;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.VerticleBase;
import io.vertx.core.Vertx;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Connectors that write small records of different keys as fast as a shell's pipe can. */
final class RecordFlood {
  /** Where there is a gate, everything stands ready behind it, and the connector says so. */
  private static final String PROGRAM = """
      read -r start
      [ -z "$3" ] || printf '{"type":"PROGRESS","message":"ready"}\\n'
      record='{"type":"RECORD","stream":"items","key":"&","data":{"id":"&","title":"'$2'"},"emitted_at":"2026-01-01T00:00:00Z"}'
      { [ -z "$3" ] || : < "$3"; seq "$1"; } | sed "s/.*/$record/"
      printf '{"type":"DONE","status":"succeeded","records_emitted":%s}\\n' "$1"
      read -r end
      exit 0
      """;

  private static final String MANIFEST = """
      {"protocol_version": "0.1.0", "connector_id": "%s", "version": "1",
       "streams": [{"name": "items", "semantics": "mutable_state", "primary_key": ["id"],
         "schema": {"type": "object", "required": ["id"]}}]}
      """;

  private final Vertx vertx;
  private final ChildProcesses children;
  private final ConnectorStore store;
  private final Clock clock = Clock.system();
  private final Ids ids = new Ids(clock, Randomness.system());
  private final ConnectorRunner runner;

  RecordFlood(Vertx vertx, ChildProcesses children, ConnectorStore store) {
    this.vertx = vertx;
    this.children = children;
    this.store = store;
    runner = new ConnectorRunner(
        vertx,
        children,
        store.sink(),
        store.timeline(),
        store.runEnds(),
        clock,
        Timers.of(vertx),
        Randomness.system(),
        new ConnectorRunOptions());
  }

  /** Begins a connector's run on a context of its own. */
  Flight start(String connectorId, ConnectorLoad load) {
    OneRun run = new OneRun(connectorId, load);
    vertx.deployVerticle(run).onFailure(run.ended::tryFail); // which gives it a context
    return new Flight(run.ready.future(), run.ended.future(), run);
  }

  private Future<ActiveRun> begin(String connectorId) {
    ProcessIdentity self = children.self();
    RunIdentity run = new RunIdentity(ids.runId(), ids.token(), ConnectorRef.of(connectorId));
    ControllerProcess process = new ControllerProcess(
        "benchmark", self.host(), self.bootId(), self.pid(), self.startTicks(), null);
    return store
        .activeRuns()
        .begin(new BeginRun(run, RunTrigger.RUN_NOW, null, null, process, clock.now()))
        .map(outcome -> ((BeginOutcome.Begun) outcome).run());
  }

  private ConnectorRunRequest request(ActiveRun active, ConnectorLoad load) {
    ConnectorManifest manifest =
        ConnectorManifest.parse(MANIFEST.formatted(active.run().connector().connectorId()));
    ChildCommand command = new ChildCommand(
        List.of(
            "sh",
            "-c",
            PROGRAM,
            "flood",
            Long.toString(load.records()),
            "x".repeat(load.padding()),
            load.gate() == null ? "" : load.gate().toString()),
        Path.of("").toAbsolutePath(),
        ChildEnvironment.from(System.getenv(), ChildEnvironment.Proxies.HIDDEN).toMap());
    return new ConnectorRunRequest(
        active,
        manifest,
        StartScope.derived(manifest, null),
        CollectionMode.FULL_REFRESH,
        true,
        command,
        new Redaction(),
        false,
        null,
        false);
  }

  /** A run under way. */
  record Flight(Future<Void> ready, Future<ConnectorRunResult> ended, OneRun run) {
    /** Completes when its end is stored. Fails unless it completed. */
    Future<Void> completed() {
      return ended.compose(result -> result instanceof ConnectorRunResult.Ended end
              && end.succeeded()
          ? Future.succeededFuture()
          : Future.failedFuture(new IllegalStateException("a run did not complete: " + result)));
    }

    /** Ends it by the owner's wish. */
    void cancel() {
      run.cancel();
    }
  }

  /** A run on the context of its verticle. */
  final class OneRun extends VerticleBase implements RunObserver {
    private final String connectorId;
    private final ConnectorLoad load;
    private final Promise<Void> ready = Promise.promise();
    private final Promise<ConnectorRunResult> ended = Promise.promise();
    private @Nullable ConnectorRun begun;

    private OneRun(String connectorId, ConnectorLoad load) {
      this.connectorId = connectorId;
      this.load = load;
    }

    @Override
    public Future<?> start() {
      begin(connectorId)
          .compose(active -> {
            ConnectorRun run = runner.begin(request(active, load), this);
            begun = run;
            return run.result();
          })
          .onComplete(ended);
      return Future.succeededFuture();
    }

    @Override
    public void event(TimelineEvent event) {
      if (event.type() == TimelineEventType.PROGRESS_REPORTED) {
        ready.tryComplete();
      }
    }

    private void cancel() {
      context.runOnContext(turn -> {
        if (begun != null) {
          begun.cancel();
        }
      });
    }
  }
}
