package dev.runlane.connector.controller;

import static java.util.concurrent.TimeUnit.SECONDS;

import dev.runlane.connector.controller.registry.ConnectorRegistries;
import dev.runlane.connector.controller.registry.ConnectorRegistry;
import dev.runlane.connector.controller.registry.SecretSource;
import dev.runlane.connector.http.ConnectionOwners;
import dev.runlane.connector.http.ConnectorRoutes;
import dev.runlane.connector.process.ChildProcessOptions;
import dev.runlane.connector.process.ChildProcesses;
import dev.runlane.connector.run.ConnectorRunner;
import dev.runlane.connector.run.request.ConnectorRunOptions;
import dev.runlane.connector.run.request.RunObserver;
import dev.runlane.connector.schedule.ControllerRuns;
import dev.runlane.connector.schedule.ScheduleService;
import dev.runlane.connector.schedule.SchedulerOptions;
import dev.runlane.connector.store.pg.PgConnectorStore;
import dev.runlane.connector.store.pg.PgConnectorStoreOptions;
import dev.runlane.connector.store.timeline.TimelineEvent;
import dev.runlane.lane.Lanes;
import dev.runlane.run.RunRecord;
import dev.runlane.runtime.DeployedRunlane;
import dev.runlane.runtime.Runlane;
import dev.runlane.runtime.RunlaneDeployment;
import dev.runlane.runtime.RunlaneRole;
import dev.runlane.storage.pg.PgStorageAdapter;
import dev.runlane.storage.pg.PgStorageOptions;
import dev.runlane.timing.BlockingCalls;
import dev.runlane.timing.Clock;
import dev.runlane.timing.Ids;
import dev.runlane.timing.Randomness;
import dev.runlane.timing.Timers;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.sqlclient.PoolOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** A whole controller: real storage, real children, a real server. Also the main of one in a process of its own. */
final class OwnerHost implements AutoCloseable {
  static final String TOKEN = "owner-token";
  private static final int LONG_LINE = 32 << 10;

  final Vertx vertx = Vertx.vertx();
  final PgConnectorStore store;
  final ConnectorController controller;
  final Runlane runlane;
  final int port;

  private final ConnectorRoutes routes;
  private final HttpServer server;
  private final DeployedRunlane workers;

  /** What observers of the runs of this host were told: connector and event. */
  final List<String> observed = new CopyOnWriteArrayList<>();

  /**
   * Starts it.
   *
   * @param registries holds the folders fixtures and polyfills
   */
  OwnerHost(String database, String schema, Path registries, Map<String, String> environment) {
    this(database, schema, registries, environment, new RunlaneDeployment());
  }

  OwnerHost(
      String database,
      String schema,
      Path registries,
      Map<String, String> environment,
      RunlaneDeployment deployment) {
    this(database, schema, registries, environment, new Setup().deployment(deployment));
  }

  OwnerHost(
      String database,
      String schema,
      Path registries,
      Map<String, String> environment,
      Setup setup) {
    PgConnectOptions connect = PgConnectOptions.fromUri(database);
    store = PgConnectorStore.create(
        vertx,
        new PgConnectorStoreOptions()
            .setSchema(schema)
            .setConnectOptions(connect)
            .setPoolOptions(new PoolOptions().setMaxSize(4)));
    await(store.connect());
    PgStorageAdapter storage = PgStorageAdapter.create(
        vertx,
        new PgStorageOptions()
            .setSchema(schema)
            .setConnectOptions(connect)
            .setPoolOptions(new PoolOptions().setMaxSize(4)));
    server = vertx.createHttpServer(
        new HttpServerOptions().setHost("127.0.0.1").setPort(0).setMaxInitialLineLength(LONG_LINE));
    Router root = Router.router(vertx);
    port = await(server.requestHandler(root).listen()).actualPort();
    Ids ids = new Ids(Clock.system(), Randomness.system());
    controller = new ConnectorController(
        vertx,
        parts(storage, registries, environment, ids, setup),
        setup.options.apply(options(environment)),
        run -> new RunObserver() {
          @Override
          public void event(TimelineEvent event) {
            observed.add(run.connector().connectorId() + " " + event.type().value());
          }
        });
    ScheduleService scheduleService = new ScheduleService(
        store,
        store.schedules(),
        new ControllerRuns(controller),
        Clock.system(),
        new SchedulerOptions());
    routes =
        new ConnectorRoutes(vertx, controller, scheduleService, setup.owners, Clock.system(), ids);
    root.route("/_ref/*").subRouter(routes.router(OwnerHost::authenticate));
    runlane = Runlane.builder(vertx, Lanes.create(storage, storage.notifyTransport()))
        .queue(controller.queue())
        .task(controller.task())
        .build();
    await(runlane.start());
    await(controller.start(runlane));
    workers = await(runlane.deploy(vertx, setup.deployment));
  }

  private ConnectorControllerParts parts(
      PgStorageAdapter storage,
      Path registries,
      Map<String, String> environment,
      Ids ids,
      Setup setup) {
    Timers timers = Timers.of(vertx);
    // Long enough for a child that leaves when it is asked, also on a busy machine.
    ChildProcesses processes = new ChildProcesses(
        vertx, timers, new ChildProcessOptions().setTerminationGrace(Duration.ofSeconds(30)));
    ConnectorRunner runner = new ConnectorRunner(
        vertx,
        processes,
        store.sink(),
        store.timeline(),
        store.runEnds(),
        Clock.system(),
        timers,
        Randomness.system(),
        new ConnectorRunOptions());
    return new ConnectorControllerParts(
        store,
        setup.admission.of(store, storage),
        new ConnectorRegistries(
            ConnectorRegistry.read(registries.resolve("fixtures")),
            ConnectorRegistry.read(registries.resolve("polyfills"))),
        setup.secrets == null ? SecretSource.environment(environment) : setup.secrets,
        processes,
        runner,
        BlockingCalls.of(vertx, 4),
        setup.clock,
        timers,
        ids);
  }

  private ConnectorControllerOptions options(Map<String, String> environment) {
    return new ConnectorControllerOptions()
        .setHostEnvironment(environment)
        .setReconcileInterval(Duration.ofSeconds(1))
        .setAddress("http://127.0.0.1:" + port);
  }

  private static void authenticate(RoutingContext request) {
    if (("Bearer " + TOKEN).equals(request.request().getHeader("authorization"))) {
      request.next();
    } else {
      request.fail(401);
    }
  }

  static <T> T await(Future<T> future) {
    try {
      return future.toCompletionStage().toCompletableFuture().get(60, SECONDS);
    } catch (ExecutionException e) {
      throw new AssertionError(e.getCause());
    } catch (InterruptedException | TimeoutException e) {
      throw new AssertionError(e);
    }
  }

  /** The id of the run that the connector has. */
  String activeRun(String connectorId) {
    return await(store.activeRuns().findByInstance(connectorId))
        .orElseThrow()
        .run()
        .runId();
  }

  /** The durable run, once it is as wanted. */
  RunRecord awaitDurable(String runId, Predicate<RunRecord> wanted) {
    long end = System.nanoTime() + SECONDS.toNanos(60);
    while (System.nanoTime() < end) {
      Optional<RunRecord> run = await(runlane.runs().get(runId)).filter(wanted);
      if (run.isPresent()) {
        return run.get();
      }
      LockSupport.parkNanos(20_000_000);
    }
    throw new AssertionError("still " + await(runlane.runs().get(runId)));
  }

  @Override
  public void close() {
    await(server.close());
    await(routes.close());
    await(workers.undeploy());
    await(controller.close());
    await(runlane.close());
    await(store.close());
    await(vertx.close());
  }

  /** What a test wants to be otherwise. */
  static final class Setup {
    private RunlaneDeployment deployment = new RunlaneDeployment();
    private ConnectionOwners owners = ConnectionOwners.ONE;
    private @Nullable SecretSource secrets;
    private Clock clock = Clock.system();
    private UnaryOperator<ConnectorControllerOptions> options = UnaryOperator.identity();
    private Admission admission =
        (store, storage) -> RunAdmission.inTransaction(store, storage::on);

    /** How runs are accepted. */
    interface Admission {
      RunAdmission of(PgConnectorStore store, PgStorageAdapter storage);
    }

    Setup deployment(RunlaneDeployment newDeployment) {
      deployment = newDeployment;
      return this;
    }

    /** Accepts runs, and neither launches nor outlives them. */
    Setup withoutWorkers() {
      return deployment(new RunlaneDeployment().setRoles(Set.of(RunlaneRole.OUTBOX_PUBLISHER)));
    }

    Setup secrets(SecretSource newSecrets) {
      secrets = newSecrets;
      return this;
    }

    Setup owners(ConnectionOwners newOwners) {
      owners = newOwners;
      return this;
    }

    /** What its controller takes for the present. */
    Setup clock(Clock newClock) {
      clock = newClock;
      return this;
    }

    Setup options(UnaryOperator<ConnectorControllerOptions> newOptions) {
      options = newOptions;
      return this;
    }

    Setup admission(Admission newAdmission) {
      admission = newAdmission;
      return this;
    }
  }

  /**
   * Arguments: database, schema, registries, and {@code pipe} where the secrets are handed over. Says its port, and
   * stays until it is killed.
   */
  public static void main(String[] arguments) throws Exception {
    boolean handedOver = arguments.length > 3 && arguments[3].equals("pipe");
    OwnerHost host = new OwnerHost(
        arguments[0],
        arguments[1],
        Path.of(arguments[2]),
        Map.of("PATH", System.getenv("PATH")),
        new Setup()
            .secrets(
                handedOver
                    ? SecretSource.handedOver(System.getenv())
                    : SecretSource.environment(System.getenv())));
    System.out.println("port " + host.port);
    new CountDownLatch(1).await();
  }
}
