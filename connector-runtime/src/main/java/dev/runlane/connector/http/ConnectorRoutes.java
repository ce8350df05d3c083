package dev.runlane.connector.http;

import dev.runlane.connector.controller.ConnectorController;
import dev.runlane.connector.schedule.ScheduleService;
import dev.runlane.timing.Clock;
import dev.runlane.timing.Ids;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import io.vertx.ext.web.handler.BodyHandler;

/**
 * The owner's routes. All refusals, unknown paths included, have the one envelope {@code {"error": {"type", "code",
 * "message", "param"?, "run_id"?, "next_eligible_at"?, "request_id"}}}.
 *
 * <pre>{@code
 * var routes = new ConnectorRoutes(vertx, controller, scheduleBook, clock, ids);
 * root.route("/_ref/*").subRouter(routes.router(authentication));
 * }</pre>
 *
 * <p>A run id longer than the server's {@code maxInitialLineLength} is refused by the server itself.
 */
public final class ConnectorRoutes {
  /** Largest body in bytes = 1 MiB. */
  public static final long MAX_BODY_BYTES = 1 << 20;

  private final Vertx vertx;
  private final ConnectorController controller;
  private final ScheduleService schedules;
  private final Clock clock;
  private final OwnerChecks owners;
  private final HttpAnswers answers;
  private final AnswerForwarder forwarder;

  /** Routes over one controller and the schedules of its store, all of one owner's. */
  public ConnectorRoutes(
      Vertx vertx,
      ConnectorController controller,
      ScheduleService schedules,
      Clock clock,
      Ids ids) {
    this(vertx, controller, schedules, ConnectionOwners.ONE, clock, ids);
  }

  /** The same for several owners. */
  public ConnectorRoutes(
      Vertx vertx,
      ConnectorController controller,
      ScheduleService schedules,
      ConnectionOwners owners,
      Clock clock,
      Ids ids) {
    this.vertx = vertx;
    this.controller = controller;
    this.schedules = schedules;
    this.clock = clock;
    this.owners = new OwnerChecks(controller, owners);
    answers = new HttpAnswers(ids);
    forwarder = new AnswerForwarder(vertx);
  }

  /**
   * A new router with all routes, relative to where it is mounted, which is {@code /_ref/*}.
   *
   * @param authentication lets the owner through and fails all others with 401 or 403; if it answers later, it must
   *     pause the request meanwhile
   */
  public Router router(Handler<RoutingContext> authentication) {
    Router router = Router.router(vertx);
    router.route().handler(answers::name);
    router.route().handler(authentication);
    router.route().handler(BodyHandler.create(false).setBodyLimit(MAX_BODY_BYTES));
    owners.mount(router);
    new StartRoutes(controller).mount(router);
    new RunRoutes(controller, answers, forwarder, owners).mount(router);
    new CatalogRoutes(controller, schedules, owners).mount(router);
    new StateRoutes(controller, clock).mount(router);
    new GrantRoutes(controller, clock).mount(router);
    new ManifestRoutes(controller).mount(router);
    new ScheduleRoutes(schedules, controller.registries(), owners, clock).mount(router);
    router.route().handler(request -> request.fail(404));
    router.route().failureHandler(answers::fail);
    return router;
  }

  /** Closes the connections to other processes. */
  public Future<Void> close() {
    return forwarder.close();
  }
}
