package dev.runlane.console;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runlane.console.access.AccessTokens;
import dev.runlane.console.access.BrowserChecks;
import dev.runlane.console.access.Caller;
import dev.runlane.console.access.FailedLogins;
import dev.runlane.console.access.Masks;
import dev.runlane.console.access.OidcLogins;
import dev.runlane.console.access.Role;
import dev.runlane.console.answer.Answer;
import dev.runlane.console.answer.ApiError;
import dev.runlane.console.answer.ApiRefusal;
import dev.runlane.console.answer.SecurityHeaders;
import dev.runlane.console.contract.ApiCall;
import dev.runlane.console.contract.ApiDocument;
import dev.runlane.console.contract.ApiHandler;
import dev.runlane.console.contract.ApiOperation;
import dev.runlane.console.job.JobRoutes;
import dev.runlane.console.operate.AlertRoutes;
import dev.runlane.console.operate.DepthHistory;
import dev.runlane.console.operate.FilterRoutes;
import dev.runlane.console.operate.OperatorRoutes;
import dev.runlane.console.operate.QueueRoutes;
import dev.runlane.console.operate.StepRoutes;
import dev.runlane.console.page.PageRoutes;
import dev.runlane.console.run.BulkRoutes;
import dev.runlane.console.run.RunRoutes;
import dev.runlane.console.run.ScheduleRoutes;
import dev.runlane.console.run.TaskRoutes;
import dev.runlane.console.stream.StreamRoutes;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.Runlane;
import dev.runlane.timing.Clock;
import dev.runlane.timing.Ids;
import dev.runlane.timing.Timers;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import io.vertx.ext.web.handler.BodyHandler;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes each request through the same steps: named, its sender told, its role held to the operation, its parts held to
 * the document, carried out, answered. Every way out ends the request. Belongs to the context of its server.
 */
final class ApiRouter {
  private static final Logger LOG = LoggerFactory.getLogger(ApiRouter.class);
  private static final String REQUEST_ID = "runlane.requestId";
  private static final String CALLER = "runlane.caller";
  private static final String REACHED = "runlane.reached";
  static final String ADMITTED = "runlane.admitted"; // to connectors
  private static final String SHOWN = "runlane.shown"; // what HttpAnswers of connectors look for
  private static final String CHALLENGE = "Bearer realm=\"runlane\"";
  private static final Set<HttpMethod> READS =
      Set.of(HttpMethod.GET, HttpMethod.HEAD, HttpMethod.OPTIONS);
  private static final Caller REHEARSAL = new Caller("rehearsal", Role.VIEWER, null);
  private static final long LINGER_MILLIS = 1_000;
  private static final int TOKEN_PREFIX = "tok_".length();
  private static final DateTimeFormatter DATE = DateTimeFormatter.ofPattern(
          "EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.ROOT)
      .withZone(ZoneOffset.UTC); // RFC 9110, 5.6.7

  private final Runlane runlane;
  private final ApiDocument document;
  private final ConsoleOptions options;
  private final AccessTokens tokens;
  private final BrowserChecks browsers;
  private final FailedLogins failedLogins;
  private final SecurityHeaders headers;
  private final Ids ids;
  private final Clock clock;
  private final Masks masks;
  private final ServedBeside beside;
  private final @Nullable OidcLogins logins;
  private final ActionLog actions;
  private final BulkRoutes bulk;
  private final StreamRoutes streams;
  private final DepthHistory depths;
  private final Router router;
  private final Vertx vertx;
  private int connections;
  private @Nullable String rehearsalToken; // null but during the rehearsal

  ApiRouter(
      Vertx vertx,
      Runlane runlane,
      ApiDocument document,
      ConsoleOptions options,
      AccessTokens tokens,
      BrowserChecks browsers,
      Ids ids,
      Clock clock,
      Masks masks,
      ServedBeside beside,
      @Nullable OidcLogins logins,
      boolean isEncrypted) {
    this.vertx = vertx;
    this.runlane = runlane;
    this.document = document;
    this.options = options;
    this.tokens = tokens;
    this.browsers = browsers;
    this.ids = ids;
    this.clock = clock;
    this.masks = masks;
    this.beside = beside;
    this.logins = logins;
    actions = new ActionLog(runlane);
    bulk = new BulkRoutes(runlane, masks, ids, clock, Timers.of(vertx));
    streams = new StreamRoutes(
        runlane,
        masks,
        this::isLoggedIn,
        bulk::bodies,
        options.getMaxStreams(),
        Timers.of(vertx),
        clock);
    depths = new DepthHistory(runlane.operator(), Timers.of(vertx));
    failedLogins = new FailedLogins(options.getMaxFailedLogins(), clock);
    headers = new SecurityHeaders(isEncrypted);
    router = Router.router(vertx);
  }

  Router router() {
    return router;
  }

  /** Answers the first page once to nobody, before anybody can ask; never fails. */
  Future<Void> rehearse() {
    String token = ids.token();
    rehearsalToken = token;
    return new Rehearsal(vertx, token, clock)
        .of(router)
        .andThen(rehearsed -> rehearsalToken = null);
  }

  /** What goes on in the background stops; completes once what is left of it is kept. */
  Future<Void> close() {
    streams.close();
    depths.close();
    return bulk.close();
  }

  /** More connections than allowed are closed. */
  void connected(HttpConnection connection) {
    connections++;
    connection.closeHandler(closed -> connections--);
    if (connections > options.getMaxConnections()) {
      connection.close();
    }
  }

  /** What is no HTTP is told so, in the envelope too. */
  void refuseMalformed(HttpServerRequest request) {
    String id = newRequestId();
    headers.add(request.response());
    ApiError error = ApiError.of(400, "invalid_request", "the request is malformed");
    request.response().putHeader("x-request-id", id).putHeader("connection", "close");
    Answer.json(400, error.envelope(id))
        .send(request.response())
        .onComplete(sent -> request.connection().close());
  }

  void serve(PageRoutes pages) {
    Map<String, ApiHandler> handlers = new LinkedHashMap<>();
    handlers.put(
        "getDocument",
        call -> Future.succeededFuture(
            Answer.whole(200, "application/json", document.served(), Map.of())));
    handlers.put("getSession", call -> Future.succeededFuture(session(call.caller())));
    handlers.putAll(new RunRoutes(runlane, masks).handlers());
    handlers.putAll(new TaskRoutes(runlane, masks, clock).handlers());
    handlers.putAll(new ScheduleRoutes(runlane, masks).handlers());
    handlers.putAll(bulk.handlers());
    handlers.putAll(streams.handlers());
    handlers.putAll(new JobRoutes(beside.jobs(), masks, clock).handlers());
    handlers.putAll(new OperatorRoutes(runlane, masks, clock, depths).handlers());
    handlers.putAll(new StepRoutes(runlane.operator(), masks).handlers());
    handlers.putAll(new QueueRoutes(runlane, masks, clock).handlers());
    handlers.putAll(new AlertRoutes(runlane, masks, clock).handlers());
    handlers.putAll(new FilterRoutes(runlane, masks).handlers());
    mount(handlers, pages);
    depths.start();
  }

  private void mount(Map<String, ApiHandler> handlers, PageRoutes pages) {
    List.of(400, 404, 405, 413, 500).forEach(status -> router.errorHandler(status, this::fail));
    router.route().failureHandler(this::fail);
    router.route().handler(this::begin);
    if (logins != null) {
      router.get("/").handler(this::requireLogin);
      logins.mount(router);
    }
    if (beside.connectors() != null) {
      router.route("/_ref/*").subRouter(beside.connectors().apply(this::admitToConnectors));
    }
    pages.mount(router);
    router.route().handler(this::authenticate);
    BodyHandler bodies = BodyHandler.create(false).setBodyLimit(options.getMaxBodyBytes());
    Map<String, Set<HttpMethod>> methods = new TreeMap<>();
    for (ApiOperation operation : document.operations()) {
      ApiHandler handler = handlers.get(operation.id());
      if (handler == null) {
        throw RunlaneException.invariantViolation("nobody carries out %s", operation.id());
      }
      String route = operation.route();
      router.route(operation.method(), route).handler(request -> authorize(request, operation));
      router.route(operation.method(), route).handler(bodies);
      router
          .route(operation.method(), route)
          .handler(request -> carryOut(request, operation, handler));
      methods
          .computeIfAbsent(
              route, name -> new TreeSet<>((one, other) -> one.name().compareTo(other.name())))
          .add(operation.method());
    }
    methods.forEach((route, known) -> router.route(route).handler(request -> {
      request
          .response()
          .putHeader(
              "allow", known.stream().map(HttpMethod::name).collect(Collectors.joining(", ")));
      request.fail(405);
    }));
    router.route().handler(request -> request.fail(404));
  }

  private void begin(RoutingContext request) {
    requestId(request);
    browsers.check(request.request());
    request.next();
  }

  private void authenticate(RoutingContext request) {
    request.put(CALLER, caller(request));
    request.next();
  }

  /** Who asks. Refuses who may not, and counts who guesses. */
  private Caller caller(RoutingContext request) {
    String authorization = request.request().getHeader("authorization");
    if (isRehearsal(authorization)) {
      return REHEARSAL;
    }
    if (logins != null && authorization == null) {
      return logins.caller(request).orElseThrow(() -> unknown(request));
    }
    try {
      if ((tokens.areNeeded() || logins != null) && authorization != null) {
        failedLogins.check(request.request().remoteAddress());
      }
      if (logins != null && !tokens.areNeeded()) {
        throw unknown(request);
      }
      return tokens.caller(authorization);
    } catch (ApiRefusal refusal) {
      if (refusal.error().status() == 401) {
        request.response().putHeader("www-authenticate", CHALLENGE);
        if (authorization != null && !tokens.isKnown(authorization)) {
          failedLogins.failed(request.request().remoteAddress());
        }
      }
      throw refusal;
    }
  }

  /** Whether a request that was let through still would be: a log-out ends what goes on, and so does a token's end. */
  private boolean isLoggedIn(RoutingContext request) {
    String authorization = request.request().getHeader("authorization");
    Caller caller = request.get(CALLER);
    return (logins == null || authorization != null)
        ? tokens.isStill(caller, authorization)
        : logins.caller(request).isPresent();
  }

  private boolean isRehearsal(@Nullable String authorization) {
    return rehearsalToken != null
        && authorization != null
        && MessageDigest.isEqual(
            ("Bearer " + rehearsalToken).getBytes(StandardCharsets.UTF_8),
            authorization.getBytes(StandardCharsets.UTF_8));
  }

  private static ApiRefusal unknown(RoutingContext request) {
    request.response().putHeader("www-authenticate", CHALLENGE);
    return new ApiRefusal(ApiError.of(401, "unauthorized", "log in first, at /auth/log-in"));
  }

  /** Where people can do nothing but log in, the first page leads there. */
  private void requireLogin(RoutingContext request) {
    if (logins == null || tokens.areNeeded() || logins.caller(request).isPresent()) {
      request.next();
    } else {
      request
          .response()
          .setStatusCode(303)
          .putHeader("location", "/auth/log-in")
          .end();
    }
  }

  /** Their own envelope tells refusals; the body waits while an action is being recorded. */
  private void admitToConnectors(RoutingContext request) {
    boolean reads = READS.contains(request.request().method());
    try {
      Caller caller = caller(request);
      request.put(CALLER, caller);
      if (!caller.role().covers(reads ? Role.VIEWER : Role.OPERATOR)) {
        throw new ApiRefusal(ApiError.of(403, "role_missing", "this takes the role operator"));
      }
      if (!reads && hasOtherBody(request.request())) {
        throw new ApiRefusal(ApiError.of(415, (Throwable) null));
      }
      if (masks.hidesFrom(caller)) {
        UnaryOperator<ObjectNode> shown = answer -> masks.applyToAnswer(answer, caller);
        request.put(SHOWN, shown);
      }
      if (reads) {
        request.put(ADMITTED, true);
        request.next();
      } else {
        request.request().pause();
        actions.recordedOfConnectors(request, caller).onFailure(request::fail);
      }
    } catch (ApiRefusal refusal) {
      actions.refused(request.request(), request.get(CALLER), refusal.error(), requestId(request));
      request.fail(refusal.error().status());
    }
  }

  /** Whether a body comes that is not JSON: a page of another site can send such without being asked first. */
  private static boolean hasOtherBody(HttpServerRequest request) {
    String type = request.getHeader("content-type");
    String length = request.getHeader("content-length");
    boolean hasBody = request.getHeader("transfer-encoding") != null
        || (length == null ? type != null : !length.strip().equals("0"));
    return hasBody && !ApiOperation.isJson(type);
  }

  private static void authorize(RoutingContext request, ApiOperation operation) {
    Caller caller = request.get(CALLER);
    if (!caller.role().covers(operation.role())) {
      throw new ApiRefusal(ApiError.of(
          403,
          "role_missing",
          "this takes the role " + operation.role().value() + ", and the token has "
              + caller.role().value()));
    }
    request.next();
  }

  private void carryOut(RoutingContext request, ApiOperation operation, ApiHandler handler) {
    request.put(REACHED, true);
    Future.<Void>succeededFuture()
        .compose(begin -> {
          ApiCall call = read(request, operation);
          return actions
              .recorded(operation, call, () -> handler.handle(call))
              .timeout(options.getRequestTimeout().toMillis(), TimeUnit.MILLISECONDS)
              .recover(failure -> gaveUp(operation, failure))
              .andThen(done -> actions.told(operation, call, done.failed(), requestId(request)));
        })
        .compose(answer -> request.response().closed()
            ? Future.succeededFuture()
            : answer.send(request.response()))
        .onFailure(request::fail);
  }

  private static ApiCall read(RoutingContext request, ApiOperation operation) {
    return new ApiCall(
        request.get(CALLER),
        operation.path(request.pathParams()),
        operation.query(request.queryParams()),
        operation.headers(request.request().headers()),
        operation.body(
            request.request().getHeader("content-type"), request.body().buffer()),
        request);
  }

  /** An action that was begun may go on, so only who reads is told to ask again. */
  private static <T> Future<T> gaveUp(ApiOperation operation, Throwable failure) {
    if (!(failure instanceof TimeoutException)) {
      return Future.failedFuture(failure);
    }
    return Future.failedFuture(new ApiRefusal(new ApiError(
        503,
        ErrorCode.OPERATION_CANCELLED.value(),
        operation.isChange()
            ? "the request took longer than it may; what it asks for may go on, or be done: the log of actions"
                + " tells"
            : "the request took longer than it may",
        null,
        null,
        null,
        !operation.isChange())));
  }

  private void fail(RoutingContext request) {
    if (request.get(ADMITTED) != null) {
      if (request.statusCode() == 413) {
        closeUnread(request);
      }
      request.next(); // the routes of connectors tell their own failures
      return;
    }
    ApiError error =
        request.get(REACHED) == null && isUndecodable(request.request().path())
            ? ApiError.of(400, (Throwable) null)
            : ApiError.of(request.statusCode(), request.failure());
    if (error.status() == 401 || error.status() == 403) {
      actions.refused(request.request(), request.get(CALLER), error, requestId(request));
    }
    if (error.status() == 500) {
      LOG.error(
          "{} failed, request {}",
          request.request().method(),
          requestId(request),
          request.failure());
    }
    if (request.response().headWritten()) {
      request.request().connection().close(); // half an answer must not look like a whole one
      return;
    }
    if (error.status() == 413) {
      closeUnread(request);
    }
    if (error.status() == 429) {
      request.response().putHeader("retry-after", "60");
    } else if (error.status() == 503 && error.retryable()) {
      request.response().putHeader("retry-after", "1");
    }
    Answer.json(error.status(), error.envelope(requestId(request)))
        .send(request.response())
        .onFailure(gone -> LOG.debug("nobody hears of request {} any more", requestId(request)));
  }

  /** The rest of a body that is too large is not waited for: it may never end. */
  private static void closeUnread(RoutingContext request) {
    request.response().putHeader("connection", "close");
    HttpConnection connection = request.request().connection();
    request.vertx().setTimer(LINGER_MILLIS, late -> connection.close());
  }

  /** Whether vertx-web, which decodes what a route calls a parameter, fails at a path. */
  private static boolean isUndecodable(@Nullable String path) {
    try {
      return path == null || URLDecoder.decode(path, StandardCharsets.UTF_8).isEmpty();
    } catch (IllegalArgumentException malformed) {
      return true;
    }
  }

  private String requestId(RoutingContext request) {
    String id = request.get(REQUEST_ID);
    if (id == null) {
      id = newRequestId();
      request.put(REQUEST_ID, id);
      headers.add(request.response());
      request.response().putHeader("x-request-id", id).putHeader("date", DATE.format(clock.now()));
    }
    return id;
  }

  private String newRequestId() {
    return "req_" + ids.token().substring(TOKEN_PREFIX);
  }

  private Answer session(Caller caller) {
    ObjectNode body = JsonNodeFactory.instance.objectNode();
    body.put("actor", caller.name());
    body.put("role", caller.role().value());
    body.put("environment", runlane.environment().name());
    body.put("lane", runlane.lane().name());
    ArrayNode serves = body.putArray("serves");
    if (beside.jobs() != null) {
      serves.add("jobs");
    }
    if (beside.connectors() != null) {
      serves.add("connectors");
    }
    options.getTraceUrl().ifPresent(url -> body.put("traceUrl", url));
    return Answer.ok(body);
  }
}
