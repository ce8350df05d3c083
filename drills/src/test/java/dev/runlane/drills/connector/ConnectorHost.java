package dev.runlane.drills.connector;

import dev.runlane.connector.controller.ConnectorController;
import dev.runlane.connector.controller.ConnectorControllerOptions;
import dev.runlane.connector.controller.ConnectorControllerParts;
import dev.runlane.connector.controller.RunAdmission;
import dev.runlane.connector.controller.RunRequest;
import dev.runlane.connector.controller.StartOutcome;
import dev.runlane.connector.controller.registry.ConnectorRegistries;
import dev.runlane.connector.controller.registry.ConnectorRegistry;
import dev.runlane.connector.process.ChildProcessOptions;
import dev.runlane.connector.process.ChildProcesses;
import dev.runlane.connector.run.ConnectorRunner;
import dev.runlane.connector.run.request.ConnectorRunOptions;
import dev.runlane.connector.store.pg.PgConnectorStore;
import dev.runlane.connector.store.pg.PgConnectorStoreOptions;
import dev.runlane.drills.fleet.DrillRuntime;
import dev.runlane.drills.process.Await;
import dev.runlane.lane.Lanes;
import dev.runlane.runtime.DeployedRunlane;
import dev.runlane.runtime.Runlane;
import dev.runlane.runtime.host.RunlaneOptions;
import dev.runlane.storage.pg.PgStorageAdapter;
import dev.runlane.storage.pg.PgStorageOptions;
import dev.runlane.timing.BlockingCalls;
import dev.runlane.timing.Clock;
import dev.runlane.timing.Ids;
import dev.runlane.timing.Randomness;
import dev.runlane.timing.Timers;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.sqlclient.PoolOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;

/** A controller with its runtime, over one schema; small batches, so that a run has many statements. */
final class ConnectorHost implements AutoCloseable {
  static final String CONNECTOR = "shelf";

  /** Records of a stream that are stored together. */
  static final int BATCH = 50;

  private static final Duration LEASE = Duration.ofSeconds(2);
  private static final Duration RECONCILE = Duration.ofMillis(500);

  private final Vertx vertx = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(2));
  private final PgConnectorStore store;
  private final ConnectorController controller;
  private final Runlane runlane;
  private DeployedRunlane deployed;

  private ConnectorHost(PgConnectOptions database, String schema, Path polyfills) {
    store = PgConnectorStore.create(
        vertx,
        new PgConnectorStoreOptions()
            .setSchema(schema)
            .setConnectOptions(database)
            .setPoolOptions(new PoolOptions().setMaxSize(2)));
    PgStorageAdapter storage = PgStorageAdapter.create(
        vertx,
        new PgStorageOptions()
            .setSchema(schema)
            .setConnectOptions(database)
            .setPoolOptions(new PoolOptions().setMaxSize(2)));
    controller = new ConnectorController(
        vertx,
        parts(storage, polyfills),
        new ConnectorControllerOptions()
            .setHostEnvironment(Map.of("PATH", System.getenv("PATH")))
            .setReconcileInterval(RECONCILE));
    runlane = Runlane.builder(vertx, Lanes.create(storage, storage.notifyTransport()))
        .queue(controller.queue())
        .task(controller.task())
        .options(new RunlaneOptions().setLeaseDuration(LEASE).setOutboxClaim(DrillRuntime.CLAIM))
        .build();
  }

  /** Started, with what its predecessor left behind cleared up. */
  static ConnectorHost start(
      PgConnectOptions database, String schema, Path polyfills, String name) {
    ConnectorHost host = new ConnectorHost(database, schema, polyfills);
    Await.result(host.store.connect());
    Await.result(host.runlane.start());
    Await.result(host.controller.start(host.runlane));
    host.deployed = Await.result(host.runlane.deploy(host.vertx, DrillRuntime.allRoles(name)));
    return host;
  }

  private ConnectorControllerParts parts(PgStorageAdapter storage, Path polyfills) {
    Timers timers = Timers.of(vertx);
    ChildProcesses processes = new ChildProcesses(vertx, timers, new ChildProcessOptions());
    ConnectorRunner runner = new ConnectorRunner(
        vertx,
        processes,
        store.sink(),
        store.timeline(),
        store.runEnds(),
        Clock.system(),
        timers,
        Randomness.system(),
        new ConnectorRunOptions().setBatchRecords(BATCH));
    return new ConnectorControllerParts(
        store,
        RunAdmission.inTransaction(store, storage::on),
        new ConnectorRegistries(ConnectorRegistry.empty(), ConnectorRegistry.read(polyfills)),
        (connector, names) -> Map.of(),
        processes,
        runner,
        BlockingCalls.of(vertx, 2),
        Clock.system(),
        timers,
        new Ids(Clock.system(), Randomness.system()));
  }

  /** Accepts a run and answers its id. */
  Future<String> run() {
    return controller.start(RunRequest.now(CONNECTOR)).map(outcome -> {
      if (outcome instanceof StartOutcome.Started started) {
        return started.run().run().runId();
      }
      throw new AssertionError("no run was started: " + outcome);
    });
  }

  @Override
  public void close() {
    Await.result(deployed
        .undeploy()
        .eventually(controller::close)
        .eventually(runlane::close)
        .eventually(store::close)
        .eventually(vertx::close));
  }
}
