package dev.runlane.console.access;

import dev.runlane.console.answer.ApiError;
import dev.runlane.console.answer.ApiRefusal;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.timing.Clock;
import dev.runlane.timing.FailureLog;
import dev.runlane.webhook.OutboundProxy;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.ConnectionPoolTooBusyException;
import io.vertx.core.http.Cookie;
import io.vertx.core.http.CookieSameSite;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClosedException;
import io.vertx.core.http.StreamResetException;
import io.vertx.core.json.JsonObject;
import io.vertx.core.net.HostAndPort;
import io.vertx.ext.auth.JWTOptions;
import io.vertx.ext.auth.User;
import io.vertx.ext.auth.oauth2.OAuth2Auth;
import io.vertx.ext.auth.oauth2.OAuth2AuthorizationURL;
import io.vertx.ext.auth.oauth2.OAuth2FlowType;
import io.vertx.ext.auth.oauth2.OAuth2Options;
import io.vertx.ext.auth.oauth2.Oauth2Credentials;
import io.vertx.ext.auth.oauth2.providers.OpenIDConnectAuth;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.Base64;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Log-ins of people with a provider of OpenID Connect, by the code flow with PKCE. A session is a random name in a
 * cookie that no script reads; who it is stands in this process. Belongs to the context of its server.
 *
 * <pre>
 *   /auth/log-in ──► provider ──► /auth/callback?code&amp;state ──► / with a session
 *   state, nonce and verifier: made of the name in a cookie of the browser that began, see BegunLogIns
 * </pre>
 *
 * <p>Browsers give cookies of one port to all ports of a host, so a cookie's name has the port where there is one. That
 * of a log-in has a letter of its state too: those that two tabs begin at once hardly ever take the place of each
 * other.
 */
public final class OidcLogins {
  private static final Logger LOG = LoggerFactory.getLogger(OidcLogins.class);
  private static final int MOST_SESSIONS = 10_000;
  private static final Duration ANSWER = Duration.ofSeconds(15);
  private static final int LEEWAY_SECONDS = (int) OidcClaims.LEEWAY.toSeconds();
  private static final String BEGUN = "runlane-log-in";
  private static final String SESSION = "runlane-session";
  private static final String CALLBACK = "/auth/callback";
  private static final Pattern STATE = Pattern.compile("[\\w-]+");

  private final Vertx vertx;
  private final OidcOptions options;
  private final OidcClaims claims;
  private final Clock clock;
  private final @Nullable String publicUrl;
  private final boolean isEncrypted;
  private final Duration answer;
  private final BegunLogIns begun = new BegunLogIns();
  private final Sessions<Caller> sessions;
  private final FailureLog failures = new FailureLog(LOG, "log-in with OpenID Connect");
  private volatile @Nullable Future<OAuth2Auth> provider; // closed on any thread

  /**
   * Of one console. Throws {@code ConfigurationInvalid} where the provider or the client are not named.
   *
   * @param publicUrl what browsers call the console, or null: as they do
   * @param isEncrypted whether browsers reach it over TLS
   */
  public OidcLogins(
      Vertx vertx,
      OidcOptions options,
      Clock clock,
      @Nullable String publicUrl,
      boolean isEncrypted) {
    this(vertx, options, clock, publicUrl, isEncrypted, ANSWER);
  }

  /** The same with another time within which the provider must have answered. */
  OidcLogins(
      Vertx vertx,
      OidcOptions options,
      Clock clock,
      @Nullable String publicUrl,
      boolean isEncrypted,
      Duration answer) {
    if (options.getIssuer().isEmpty() || options.getClientId().isEmpty()) {
      throw RunlaneException.configurationInvalid("OpenID Connect needs an issuer and a clientId");
    }
    requireUnread("the issuer of OpenID Connect", options.getIssuer().get());
    this.vertx = vertx;
    this.options = new OidcOptions(options);
    this.claims = new OidcClaims(this.options);
    this.clock = clock;
    this.publicUrl = publicUrl;
    this.isEncrypted = isEncrypted;
    this.answer = answer;
    sessions = new Sessions<>(clock, MOST_SESSIONS);
  }

  /** Adds the routes of log-in and log-out, which nobody needs to be logged in for. */
  public void mount(Router router) {
    router.get("/auth/log-in").handler(this::begin);
    router.get(CALLBACK).handler(this::complete);
    router.post("/auth/log-out").handler(this::end);
  }

  /** Who a request's session is of. */
  public Optional<Caller> caller(RoutingContext request) {
    return value(request, session(request))
        .flatMap(sessions::find)
        .filter(caller -> caller.isAllowedAt(clock.now()));
  }

  private void begin(RoutingContext request) {
    lead(request, begun.begin(clock.now(), false));
  }

  private void lead(RoutingContext request, BegunLogIns.Begun log) {
    String redirect = redirect(request);
    provider()
        .map(found -> found.authorizeURL(new OAuth2AuthorizationURL()
            .setRedirectUri(redirect)
            .setScopes(options.getScopes())
            .setState(log.state())
            .setCodeChallenge(challenge(log.verifier()))
            .setCodeChallengeMethod("S256")
            .putAdditionalParameter("nonce", log.nonce())))
        .onSuccess(url -> {
          request
              .response()
              .addCookie(cookie(begun(request, log.state()), log.name(), BegunLogIns.LASTING))
              .setStatusCode(303)
              .putHeader("location", url)
              .end();
        })
        .onFailure(failure -> request.fail(away(failure)));
  }

  /** What was begun outlives an answer that is not its own: a link of another site or a second tab ends nothing. */
  private void complete(RoutingContext request) {
    String state = request.request().getParam("state");
    BegunLogIns.Begun log = value(request, begun(request, state))
        .flatMap(name -> begun.find(name, clock.now()))
        .orElse(null);
    String code = request.request().getParam("code");
    if (log == null || code == null || !isSame(log.state(), state)) {
      request.fail(new ApiRefusal(ApiError.of(
          401, "unauthorized", "this browser began no such log-in, or the provider refused it")));
      return;
    }
    provider()
        .recover(failure -> Future.failedFuture(away(failure)))
        .compose(found -> found
            .authenticate(new Oauth2Credentials()
                .setFlow(OAuth2FlowType.AUTH_CODE)
                .setCode(code)
                .setRedirectUri(redirect(request))
                .setCodeVerifier(log.verifier()))
            .timeout(answer.toMillis(), TimeUnit.MILLISECONDS)
            .recover(
                failure -> Future.failedFuture(isAway(failure) ? away(failure) : refused(failure)))
            .compose(user -> isOfUnknownKey(user) && !log.isSecond()
                ? renewed(found).map(done -> Optional.<Caller>empty())
                : Future.succeededFuture(
                    Optional.of(claims.caller(idToken(user), log.nonce(), clock.now())))))
        .onSuccess(caller -> caller.ifPresentOrElse(
            known -> loggedIn(request, known, log),
            () -> lead(request, begun.begin(clock.now(), true))))
        .onFailure(request::fail);
  }

  private void loggedIn(RoutingContext request, Caller caller, BegunLogIns.Begun log) {
    failures.succeeded();
    request
        .response()
        .addCookie(cookie(
            session(request), sessions.begin(caller, options.getSession()), options.getSession()))
        .addCookie(cookie(begun(request, log.state()), "", Duration.ZERO))
        .setStatusCode(303)
        .putHeader("location", "/")
        .end();
  }

  private void end(RoutingContext request) {
    String session = session(request);
    value(request, session).ifPresent(sessions::end);
    request
        .response()
        .addCookie(cookie(session, "", Duration.ZERO))
        .setStatusCode(204)
        .end();
  }

  /** What the ID token says, where its signature is one of the provider's. */
  private static @Nullable JsonObject idToken(User user) {
    return user.attributes().getJsonObject("idToken");
  }

  /** Whether the provider signs by a key that it did not have when its keys were read. */
  private static boolean isOfUnknownKey(User user) {
    return idToken(user) == null && user.attributes().containsKey("missing-kid");
  }

  /** Reads the provider's keys again; the ID token is asked for once more, since only a new one is held to them. */
  private Future<Void> renewed(OAuth2Auth found) {
    return found
        .jWKSet()
        .timeout(answer.toMillis(), TimeUnit.MILLISECONDS)
        .recover(failure -> Future.failedFuture(away(failure)));
  }

  /** Found when it is first needed, and again after a failure: a provider that is away keeps no console down. */
  private Future<OAuth2Auth> provider() {
    Future<OAuth2Auth> known = provider;
    if (known != null && !known.failed()) {
      return known;
    }
    OAuth2Options asked = new OAuth2Options()
        .setSite(options.getIssuer().orElseThrow())
        .setClientId(options.getClientId().orElseThrow())
        .setValidateIssuer(true)
        .setJWTOptions(new JWTOptions().setLeeway(LEEWAY_SECONDS))
        .setHttpClientOptions(impatient());
    options.getClientSecret().ifPresent(asked::setClientSecret);
    Future<OAuth2Auth> discovered = OpenIDConnectAuth.discover(vertx, asked);
    Future<OAuth2Auth> found = discovered
        .timeout(answer.toMillis(), TimeUnit.MILLISECONDS)
        .transform((usable, failure) -> { // which may be that there is nothing at such an address
          requireUnread("its authorization_endpoint", asked.getAuthorizationPath());
          requireUnread("its token_endpoint", asked.getTokenPath());
          requireUnread("its jwks_uri", asked.getJwkPath());
          return failure == null ? Future.succeededFuture(usable) : Future.failedFuture(failure);
        });
    found.onFailure(
        unused -> discovered.onSuccess(OAuth2Auth::close)); // it reads keys again and again
    provider = found;
    return found;
  }

  /** Reads the provider's keys no more. */
  public void close() {
    Future<OAuth2Auth> known = provider;
    provider = null;
    if (known != null) {
      known.onSuccess(OAuth2Auth::close);
    }
  }

  /** Codes, secrets and keys go this way: who reads along may be anybody, and who changes them an admin. */
  private static void requireUnread(String what, @Nullable String address) {
    if (address == null || address.startsWith("/")) {
      return; // nothing, or a path of the issuer's
    }
    URI uri;
    try {
      uri = URI.create(address);
    } catch (IllegalArgumentException malformed) {
      throw RunlaneException.configurationInvalid("%s is no address: %s", what, address);
    }
    boolean isLocal = uri.getHost() != null && BrowserChecks.isLoopback(uri.getHost());
    if (!"https".equalsIgnoreCase(uri.getScheme()) && !isLocal) {
      throw RunlaneException.configurationInvalid(
          "%s must be https, unless it is on this machine: %s", what, address);
    }
  }

  /** A provider that goes silent must not keep the few connections of the client for ever. */
  private HttpClientOptions impatient() {
    HttpClientOptions client = new HttpClientOptions()
        .setConnectTimeout((int) answer.dividedBy(3).toMillis())
        .setIdleTimeout((int) answer.multipliedBy(2).dividedBy(3).toMillis())
        .setIdleTimeoutUnit(TimeUnit.MILLISECONDS);
    OutboundProxy.of(URI.create(options.getIssuer().orElseThrow()))
        .ifPresent(client::setProxyOptions);
    return client;
  }

  private static boolean isAway(Throwable failure) {
    return failure instanceof TimeoutException
        || failure instanceof IOException
        || failure instanceof HttpClosedException
        || failure instanceof StreamResetException
        || failure instanceof ConnectionPoolTooBusyException;
  }

  private Throwable away(Throwable failure) {
    failures.failed(
        RunlaneException.unavailable(
            ErrorCode.TRANSPORT_UNAVAILABLE,
            failure,
            "the provider cannot be used: %s",
            String.valueOf(failure.getMessage())),
        "answered by 503");
    if (failure instanceof RunlaneException own && own.code() == ErrorCode.CONFIGURATION_INVALID) {
      return new ApiRefusal(new ApiError(
          503,
          "provider_misconfigured",
          "what the provider of log-ins says of itself cannot be used: the console's log has the reason",
          null,
          null,
          null,
          false));
    }
    return new ApiRefusal(
        ApiError.of(503, "provider_unavailable", "the provider of log-ins does not answer"));
  }

  private Throwable refused(Throwable failure) {
    failures.failed(failure, "answered by 401");
    return new ApiRefusal(
        ApiError.of(401, "unauthorized", "the provider did not confirm the log-in"));
  }

  private String redirect(RoutingContext request) {
    return (publicUrl == null
            ? (isEncrypted ? "https://" : "http://") + request.request().authority()
            : publicUrl.replaceAll("/+$", ""))
        + CALLBACK;
  }

  private String session(RoutingContext request) {
    return named(SESSION) + suffix(request);
  }

  /**
   * The name of the cookie of the log-in with this state; where that is none of ours, nobody's. Some clients take names
   * that differ in case for one.
   */
  private String begun(RoutingContext request, @Nullable String state) {
    String letter = state != null && STATE.matcher(state).matches() ? state.substring(0, 1) : "";
    return named(BEGUN) + suffix(request) + '-' + letter.toLowerCase(Locale.ROOT);
  }

  /** Browsers take a cookie of the longer name from this host alone, not from another one of its domain. */
  private String named(String cookie) {
    return isEncrypted ? "__Host-" + cookie : cookie;
  }

  /** The port that browsers see, unless it is that of the scheme. */
  private String suffix(RoutingContext request) {
    HostAndPort called = request.request().authority();
    int port =
        publicUrl != null ? URI.create(publicUrl).getPort() : called == null ? -1 : called.port();
    return port > 0 ? "-" + port : "";
  }

  private static Optional<String> value(RoutingContext request, String name) {
    return Optional.ofNullable(request.request().getCookie(name)).map(Cookie::getValue);
  }

  private Cookie cookie(String name, String value, Duration lasting) {
    return Cookie.cookie(name, value)
        .setPath("/")
        .setHttpOnly(true)
        .setSecure(isEncrypted)
        .setSameSite(CookieSameSite.LAX)
        .setMaxAge(lasting.toSeconds());
  }

  private static boolean isSame(String expected, @Nullable String given) {
    return given != null
        && MessageDigest.isEqual(
            expected.getBytes(StandardCharsets.UTF_8), given.getBytes(StandardCharsets.UTF_8));
  }

  private static String challenge(String verifier) {
    return Base64.getUrlEncoder().withoutPadding().encodeToString(TokenOptions.hash(verifier));
  }
}
