package dev.runlane.benchmarks;

import dev.runlane.connector.process.ChildCommand;
import dev.runlane.connector.process.ChildEnvironment;
import dev.runlane.connector.process.ChildProcesses;
import dev.runlane.connector.process.ProcessIdentity;
import dev.runlane.connector.protocol.CollectionMode;
import dev.runlane.connector.protocol.ConnectorManifest;
import dev.runlane.connector.protocol.Redaction;
import dev.runlane.connector.protocol.StartScope;
import dev.runlane.connector.run.ConnectorRunOptions;
import dev.runlane.connector.run.ConnectorRunRequest;
import dev.runlane.connector.run.ConnectorRunResult;
import dev.runlane.connector.run.ConnectorRunner;
import dev.runlane.connector.run.RunObserver;
import dev.runlane.connector.store.ActiveRun;
import dev.runlane.connector.store.BeginOutcome;
import dev.runlane.connector.store.BeginRun;
import dev.runlane.connector.store.ConnectorRef;
import dev.runlane.connector.store.ConnectorStore;
import dev.runlane.connector.store.ControllerProcess;
import dev.runlane.connector.store.RunIdentity;
import dev.runlane.connector.store.RunTrigger;
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

/** Connectors that write small records of different keys as fast as a shell's pipe can. */
final class RecordFlood {
  private static final String PROGRAM = """
      read -r start
      seq "$1" | sed 's/.*/{"type":"RECORD","stream":"items","key":"&","data":{"id":"&","title":"Tides"},"emitted_at":"2026-01-01T00:00:00Z"}/'
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

  /** Runs a connector on a context of its own until its end is stored. Fails unless it completed. */
  Future<Void> run(String connectorId, int records) {
    Promise<Void> ended = Promise.promise();
    vertx
        .deployVerticle(new OneRun(connectorId, records, ended)) // which gives it a context
        .onFailure(ended::tryFail);
    return ended.future();
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

  private ConnectorRunRequest request(ActiveRun active, int records) {
    ConnectorManifest manifest =
        ConnectorManifest.parse(MANIFEST.formatted(active.run().connector().connectorId()));
    ChildCommand command = new ChildCommand(
        List.of("sh", "-c", PROGRAM, "flood", Integer.toString(records)),
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

  private static Future<Void> completed(ConnectorRunResult result) {
    return result instanceof ConnectorRunResult.Ended ended && ended.succeeded()
        ? Future.succeededFuture()
        : Future.failedFuture(new IllegalStateException("a run did not complete: " + result));
  }

  private final class OneRun extends VerticleBase {
    private final String connectorId;
    private final int records;
    private final Promise<Void> ended;

    OneRun(String connectorId, int records, Promise<Void> ended) {
      this.connectorId = connectorId;
      this.records = records;
      this.ended = ended;
    }

    @Override
    public Future<?> start() {
      begin(connectorId)
          .compose(
              active -> runner.begin(request(active, records), RunObserver.NONE).result())
          .compose(RecordFlood::completed)
          .onComplete(ended);
      return Future.succeededFuture();
    }
  }
}
