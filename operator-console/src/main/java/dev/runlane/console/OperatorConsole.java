package dev.runlane.console;

import dev.runlane.console.access.AccessTokens;
import dev.runlane.console.access.BrowserChecks;
import dev.runlane.console.access.Masks;
import dev.runlane.console.access.OidcLogins;
import dev.runlane.console.contract.ApiDocument;
import dev.runlane.console.page.LogIn;
import dev.runlane.console.page.PageRoutes;
import dev.runlane.jobs.queue.Jobs;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.Runlane;
import dev.runlane.timing.Clock;
import dev.runlane.timing.Ids;
import dev.runlane.timing.Randomness;
import dev.runlane.timing.SweepLoop;
import dev.runlane.timing.Timers;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import java.net.URI;
import java.util.EnumSet;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The web console and the HTTP API for operators of one runtime. What the API serves stands in its OpenAPI document, at
 * {@code /api/openapi.json}:
 *
 * <pre>{@code
 * OperatorConsole console = OperatorConsole.create(vertx, runlane, new ConsoleOptions());
 * console.start(); // http://127.0.0.1:8378/
 * }</pre>
 *
 * <p>The runtime stays the caller's: started before, closed after the console. Start and close belong to one context,
 * or to none.
 */
public final class OperatorConsole {
  private static final Logger LOG = LoggerFactory.getLogger(OperatorConsole.class);
  private static final int LONGEST_LINE = 32 << 10;

  private final Vertx vertx;
  private final Runlane runlane;
  private final ConsoleOptions options;
  private final Clock clock;
  private final AccessTokens tokens;
  private final Masks masks;
  private final BrowserChecks browsers;
  private final boolean isEncrypted;
  private final @Nullable CertificateFiles certificate;
  private final @Nullable TokenFile tokenFile;
  private final ServedBeside beside;
  private final @Nullable OidcLogins logins;
  private final Timers timers;
  private final AtomicInteger closes = new AtomicInteger(); // how often it was closed
  private @Nullable HttpServer server;
  private @Nullable ApiRouter background;
  private @Nullable SweepLoop renewing;
  private @Nullable SweepLoop reading;

  private OperatorConsole(
      Vertx vertx,
      Runlane runlane,
      ConsoleOptions said,
      Clock clock,
      Timers timers,
      ServedBeside beside) {
    this.vertx = vertx;
    this.timers = timers;
    this.beside = beside;
    this.runlane = runlane;
    options = new ConsoleOptions(said);
    this.clock = clock;
    tokens = new AccessTokens(
        options.getTokens(),
        runlane.environment().name(),
        clock,
        options.getTokensPath().isPresent());
    tokenFile =
        options.getTokensPath().map(path -> new TokenFile(vertx, path, tokens)).orElse(null);
    masks = new Masks(options.getMaskedPaths(), options.getUnmaskedFor());
    if (options.getCertificatePath().isPresent() != options.getPrivateKeyPath().isPresent()) {
      throw RunlaneException.configurationInvalid(
          "TLS needs both certificatePath and privateKeyPath");
    }
    isEncrypted = options.getCertificatePath().isPresent();
    certificate = options
        .getCertificatePath()
        .map(path ->
            new CertificateFiles(vertx, path, options.getPrivateKeyPath().orElseThrow(), clock))
        .orElse(null);
    browsers =
        new BrowserChecks(options.getHost(), isEncrypted, options.getPublicUrl().map(URI::create));
    if (!BrowserChecks.isLoopback(options.getHost())) {
      requireAccess();
    }
    logins = options
        .getOidc()
        .map(oidc -> new OidcLogins(
            vertx, oidc, clock, options.getPublicUrl().orElse(null), isReachedOverTls()))
        .orElse(null);
  }

  private void requireAccess() {
    if (!tokens.areNeeded() && options.getOidc().isEmpty()) {
      throw RunlaneException.configurationInvalid(
          "a console that listens on %s, which others reach, needs tokens or OpenID Connect",
          options.getHost());
    }
    if (options.getOidc().isPresent() && options.getPublicUrl().isEmpty()) {
      throw RunlaneException.configurationInvalid(
          "OpenID Connect needs the publicUrl to which the provider sends browsers back");
    }
  }

  private boolean isReachedOverTls() {
    return isEncrypted
        || options.getPublicUrl().filter(url -> url.startsWith("https:")).isPresent();
  }

  /**
   * A console that has not started; the options are copied. Throws {@code ConfigurationInvalid} when it would listen
   * beyond the loopback address without tokens or log-ins, for a token without name or hash, and for a malformed masked
   * path.
   */
  public static OperatorConsole create(Vertx vertx, Runlane runlane, ConsoleOptions options) {
    return create(vertx, runlane, options, Clock.system());
  }

  /** The same by another clock, by which tokens expire. */
  public static OperatorConsole create(
      Vertx vertx, Runlane runlane, ConsoleOptions options, Clock clock) {
    return create(vertx, runlane, options, clock, Timers.of(vertx));
  }

  /** The same by other timers, by which the files of the certificate and of tokens are looked at. */
  static OperatorConsole create(
      Vertx vertx, Runlane runlane, ConsoleOptions options, Clock clock, Timers timers) {
    return new OperatorConsole(vertx, runlane, options, clock, timers, ServedBeside.NOTHING);
  }

  /**
   * Another console, not started either, that serves the queues of these jobs too. They stay the caller's: connected
   * before its start, closed after it.
   */
  public OperatorConsole withJobs(Jobs served) {
    return new OperatorConsole(
        vertx, runlane, options, clock, timers, new ServedBeside(served, beside.connectors()));
  }

  /**
   * Another console, not started either, that serves the routes of connectors below {@code /_ref} too, to its own
   * callers: who reads is at least a viewer, who changes something an operator, and what changes something is recorded.
   * They stay the caller's.
   *
   * @param routes makes them, such as {@code connectorRoutes::router}; is given who lets callers through
   */
  public OperatorConsole withConnectors(Function<Handler<RoutingContext>, Router> routes) {
    return new OperatorConsole(
        vertx, runlane, options, clock, timers, new ServedBeside(beside.jobs(), routes));
  }

  /**
   * Reads the document, answers the first page once to itself, for three seconds at most, and begins to listen;
   * completes with the port. Fails with {@code ConfigurationInvalid} where the
   * address cannot be listened on, the certificate and its key are no pair, or the file of tokens cannot be read, and
   * with {@code OperationCancelled} where the console is closed meanwhile.
   */
  public Future<Integer> start() {
    int before = closes.get();
    warnOfProxy();
    Future<Void> known = tokenFile == null ? Future.succeededFuture() : tokenFile.read();
    return known
        .compose(read -> PageRoutes.load(vertx, logIns()))
        .compose(pages -> ApiDocument.load(vertx)
            .compose(document -> openSince(before).compose(open -> listen(document, pages))))
        .compose(listening -> openSince(before)
            .recover(closed -> close().transform(over -> Future.failedFuture(closed)))
            .map(open -> listening.actualPort()));
  }

  /** Fails where the console was closed while it started: whoever did so waits for nothing that opens later. */
  private Future<Void> openSince(int before) {
    return closes.get() == before
        ? Future.succeededFuture()
        : Future.failedFuture(RunlaneException.of(
            ErrorCode.OPERATION_CANCELLED, "the console was closed while it started"));
  }

  /** A proxy may well know who asks; one that does not makes everybody an admin. */
  private void warnOfProxy() {
    options
        .getPublicUrl()
        .filter(url ->
            logIns().isEmpty() && !BrowserChecks.isLoopback(URI.create(url).getHost()))
        .ifPresent(url -> LOG.warn(
            "the console has neither tokens nor OpenID Connect: whoever is let through by the proxy at {} is admin",
            url));
  }

  private Set<LogIn> logIns() {
    Set<LogIn> ways = EnumSet.noneOf(LogIn.class);
    if (tokens.areNeeded()) {
      ways.add(LogIn.TOKEN);
    }
    if (logins != null) {
      ways.add(LogIn.OIDC);
    }
    return ways;
  }

  private Future<HttpServer> listen(ApiDocument document, PageRoutes pages) {
    Ids ids = new Ids(clock, Randomness.system());
    ApiRouter router = new ApiRouter(
        vertx,
        runlane,
        document,
        options,
        tokens,
        browsers,
        ids,
        clock,
        masks,
        beside,
        logins,
        isReachedOverTls());
    router.serve(pages);
    background = router;
    return router
        .rehearse()
        .compose(rehearsed -> serverOptions())
        .onFailure(failure -> router.close())
        .compose(server -> listen(router, server));
  }

  private Future<HttpServer> listen(ApiRouter router, HttpServerOptions server) {
    return vertx
        .createHttpServer(server)
        .requestHandler(router.router())
        .connectionHandler(router::connected)
        .invalidRequestHandler(router::refuseMalformed)
        .listen()
        .onFailure(failure -> router.close())
        .recover(failure -> Future.failedFuture(RunlaneException.configurationInvalid(
                "%s:%d cannot be listened on: %s",
                options.getHost(), options.getPort(), String.valueOf(failure.getMessage()))
            .causedBy(failure)))
        .onSuccess(listening -> serving(listening, server));
  }

  private void serving(HttpServer listening, HttpServerOptions begun) {
    server = listening;
    if (certificate != null) {
      renewing = new SweepLoop(
          timers,
          "certificate of the console",
          () -> certificate
              .renew(pair ->
                  listening.updateSSLOptions(begun.getSslOptions().copy().setKeyCertOptions(pair)))
              .map(renewed -> false),
          CertificateFiles.LOOKED_AT);
      renewing.start();
    }
    if (tokenFile != null) {
      reading = new SweepLoop(
          timers,
          "tokens of the console",
          () -> readTokens().map(read -> false),
          TokenFile.LOOKED_AT);
      reading.start();
    }
  }

  /** Looks at the file of tokens; never fails. */
  Future<Void> readTokens() {
    return tokenFile == null ? Future.succeededFuture() : tokenFile.readAgain();
  }

  private Future<HttpServerOptions> serverOptions() {
    HttpServerOptions server = new HttpServerOptions()
        .setHost(options.getHost())
        .setPort(options.getPort())
        .setMaxInitialLineLength(LONGEST_LINE)
        .setIdleTimeout(120)
        .setHandle100ContinueAutomatically(true)
        .setCompressionSupported(true);
    return certificate == null
        ? Future.succeededFuture(server)
        : certificate.read().map(pair -> server.setSsl(true).setKeyCertOptions(pair));
  }

  /**
   * Listens no more, closes all connections and stops actions on many runs, for which it waits for 10 s at most: what
   * is left of them is kept. The runtime goes on.
   */
  public Future<Void> close() {
    closes.incrementAndGet();
    if (logins != null) {
      logins.close();
    }
    Stream.of(renewing, reading).filter(Objects::nonNull).forEach(SweepLoop::stop);
    HttpServer listening = server;
    server = null;
    ApiRouter router = background;
    Future<Void> stopped = Future.<Void>succeededFuture()
        .compose(begin -> router == null ? Future.succeededFuture() : router.close());
    Future<Void> closed = listening == null ? Future.succeededFuture() : listening.close();
    return Future.join(stopped, closed).mapEmpty();
  }
}
