package dev.runlane.connector.server;

import dev.runlane.connector.controller.ConnectorController;
import dev.runlane.connector.controller.ConnectorControllerParts;
import dev.runlane.connector.controller.RunAdmission;
import dev.runlane.connector.http.ConnectorRoutes;
import dev.runlane.connector.process.ChildProcesses;
import dev.runlane.connector.run.ConnectorRunner;
import dev.runlane.connector.schedule.ConnectorRetention;
import dev.runlane.connector.schedule.ConnectorScheduler;
import dev.runlane.connector.schedule.ConnectorSchedulerVerticle;
import dev.runlane.connector.schedule.ControllerRuns;
import dev.runlane.connector.schedule.ScheduleService;
import dev.runlane.connector.store.pg.PgConnectorStore;
import dev.runlane.lane.Lane;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.DeployedRunlane;
import dev.runlane.runtime.Runlane;
import dev.runlane.runtime.RunlaneDeployment;
import dev.runlane.storage.StorageAdapter;
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
import io.vertx.sqlclient.SqlConnection;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A controller, a scheduler and the owner's routes of one process, over one schema of Postgres:
 *
 * <pre>{@code
 * var lane = Lanes.create(storage, storage.notifyTransport());
 * var server = new ConnectorServer(vertx, connectorStore, lane, storage::on, options);
 * server.start();
 * }</pre>
 *
 * Several such processes may share the schema. Who wants other parts puts them together as this class does. Start and
 * close belong to one context, or to none.
 */
public final class ConnectorServer {
  private static final Logger LOG = LoggerFactory.getLogger(ConnectorServer.class);
  private static final String BLOCKING_NAME =
      "runlane-connectors"; // none of the application's handlers
  private static final int BLOCKING_CALLS = 4;

  /** Of a connection: nobody holds one open for ever, and every answer is there much earlier. */
  private static final int LONGEST_SILENCE_SECONDS = 120;

  private static final int LONGEST_LINE =
      32 << 10; // long enough to answer a run id of any length with 404

  /** Longer than a worker takes for its attempts by default. */
  private static final Duration WORKERS_END_WITHIN = Duration.ofSeconds(12);

  private final Vertx vertx;
  private final Timers timers;
  private final BlockingCalls blocking;
  private final PgConnectorStore store;
  private final ConnectorServerOptions options;
  private final byte[] token;
  private final ConnectorController controller;
  private final ScheduleService scheduleService;
  private final ConnectorRoutes routes;
  private final Runlane runlane;
  private final ConnectorSchedulerVerticle scheduler;

  private @Nullable DeployedRunlane workers;
  private @Nullable String deployment;
  private @Nullable HttpServer http;

  /**
   * A server that has not started; the options are copied. Throws {@code ConfigurationInvalid} without an owner's
   * token.
   *
   * @param store where connectors' data are; started and closed by this server
   * @param lane of the same database; started and closed by this server
   * @param joined the lane's storage inside a transaction, such as {@code pgStorage::on}
   */
  public ConnectorServer(
      Vertx vertx,
      PgConnectorStore store,
      Lane lane,
      Function<SqlConnection, StorageAdapter> joined,
      ConnectorServerOptions options) {
    this.vertx = vertx;
    this.store = store;
    this.options = new ConnectorServerOptions(options);
    token = bearer(this.options.getOwnerToken());
    Clock clock = Clock.system();
    Ids ids = new Ids(clock, Randomness.system());
    timers = Timers.of(vertx);
    blocking = BlockingCalls.of(vertx, BLOCKING_NAME, BLOCKING_CALLS);
    controller = new ConnectorController(
        vertx, parts(joined, clock, timers, ids), this.options.getController());
    ControllerRuns runs = new ControllerRuns(controller);
    scheduleService =
        new ScheduleService(store, store.schedules(), runs, clock, this.options.getScheduler());
    routes = new ConnectorRoutes(vertx, controller, scheduleService, clock, ids);
    runlane = Runlane.builder(vertx, lane)
        .queue(controller.queue())
        .task(controller.task())
        .build();
    scheduler = new ConnectorSchedulerVerticle(
        new ConnectorScheduler(
            store, store.schedules(), runs, clock, timers, ids, this.options.getScheduler()),
        null,
        new ConnectorRetention(store, store.schedules(), clock, this.options.getRetention()),
        timers,
        this.options.getScheduler(),
        () -> runlane.clock().agrees());
  }

  private ConnectorControllerParts parts(
      Function<SqlConnection, StorageAdapter> joined, Clock clock, Timers timers, Ids ids) {
    ChildProcesses processes = new ChildProcesses(vertx, timers, options.getChildren());
    ConnectorRunner runner = new ConnectorRunner(
        vertx,
        processes,
        store.sink(),
        store.timeline(),
        store.runEnds(),
        clock,
        timers,
        Randomness.system(),
        options.getRuns());
    return new ConnectorControllerParts(
        store,
        RunAdmission.inTransaction(store, joined),
        options.getRegistries(),
        options.getSecrets(),
        processes,
        runner,
        blocking,
        clock,
        timers,
        ids);
  }

  /**
   * Connects, ends what a dead predecessor left, and begins to launch, to look at schedules and to listen; completes
   * with the port. After a failure all of it is closed again.
   */
  public Future<Integer> start() {
    return store
        .connect()
        .compose(connected -> runlane.start())
        .compose(started -> controller.start(runlane))
        .compose(started -> runlane.deploy(
            vertx,
            new RunlaneDeployment()
                .setWorker(options.getWorker())
                .setRetention(options.getRunRetention())))
        .compose(deployed -> {
          workers = deployed;
          return vertx.deployVerticle(scheduler);
        })
        .compose(id -> {
          deployment = id;
          return listen();
        })
        .recover(failure -> close().transform(closed -> Future.failedFuture(failure)));
  }

  /** The controller, for an application that starts runs itself. */
  public ConnectorController controller() {
    return controller;
  }

  /** The schedules. */
  public ScheduleService schedules() {
    return scheduleService;
  }

  /** Listens no more, ends the children of this process and their runs, and closes store and lane. */
  public Future<Void> close() {
    HttpServer listening = http;
    String deployed = deployment;
    DeployedRunlane claiming = workers;
    return closed(() -> listening == null ? Future.succeededFuture() : listening.close())
        .compose(next -> closed(routes::close))
        .compose(next ->
            closed(() -> deployed == null ? Future.succeededFuture() : vertx.undeploy(deployed)))
        .compose(next ->
            closed(() -> claiming == null ? Future.succeededFuture() : claimNoMore(claiming)))
        .compose(next -> closed(controller::close))
        .compose(next -> closed(runlane::close))
        .compose(next -> closed(blocking::close))
        .compose(next -> store.close());
  }

  /**
   * Before the controller, which ends as abandoned what workers claim after it. They are the first of their roles to
   * stop; what the others wait for longer is left to the close of the runtime.
   */
  private Future<?> claimNoMore(DeployedRunlane workers) {
    return timers.within(
        WORKERS_END_WITHIN,
        workers.undeploy(),
        () -> new TimeoutException("workers did not end within " + WORKERS_END_WITHIN));
  }

  /** One part that cannot be closed keeps no other open. */
  private static Future<Void> closed(Supplier<Future<?>> part) {
    return Future.<Void>succeededFuture()
        .compose(begin -> part.get())
        .transform((done, failure) -> {
          if (failure != null) {
            LOG.warn("a part of the server of connectors was not closed as it should", failure);
          }
          return Future.succeededFuture();
        });
  }

  private Future<Integer> listen() {
    Router root = Router.router(vertx);
    root.route("/_ref/*").subRouter(routes.router(this::authenticate));
    return vertx
        .createHttpServer(httpOptions(options))
        .requestHandler(root)
        .listen()
        .recover(failure -> Future.failedFuture(RunlaneException.configurationInvalid(
                "%s:%d cannot be listened on: %s",
                options.getHost(), options.getPort(), String.valueOf(failure.getMessage()))
            .causedBy(failure)))
        .map(listening -> {
          http = listening;
          return listening.actualPort();
        });
  }

  static HttpServerOptions httpOptions(ConnectorServerOptions options) {
    return new HttpServerOptions()
        .setHost(options.getHost())
        .setPort(options.getPort())
        .setMaxInitialLineLength(LONGEST_LINE)
        .setIdleTimeout(LONGEST_SILENCE_SECONDS);
  }

  private void authenticate(RoutingContext request) {
    String header = request.request().getHeader("authorization");
    boolean owner =
        header != null && MessageDigest.isEqual(header.getBytes(StandardCharsets.UTF_8), token);
    if (owner) {
      request.next();
    } else {
      request.fail(401);
    }
  }

  private static byte[] bearer(@Nullable String ownerToken) {
    if (ownerToken == null) {
      throw RunlaneException.configurationInvalid("a server of connectors needs an owner's token");
    }
    return ("Bearer " + ownerToken).getBytes(StandardCharsets.UTF_8);
  }
}
