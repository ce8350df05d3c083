package dev.runlane.console.access;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.runlane.console.ConsoleOptions;
import dev.runlane.console.OperatorConsole;
import dev.runlane.console.answer.ApiError;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.Runlane;
import dev.runlane.storage.memory.MemoryLane;
import dev.runlane.testinfra.process.CapturedErrors;
import dev.runlane.testinfra.process.Poll;
import dev.runlane.timing.Clock;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.internal.VertxInternal;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.Router;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.lang.reflect.Proxy;
import java.net.CookieManager;
import java.net.CookiePolicy;
import java.net.InetSocketAddress;
import java.net.ProxySelector;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** People log in with a provider, over HTTP, as their browsers do. */
@Timeout(120)
@DisplayNameGeneration(ReplaceUnderscores.class)
class OidcLoginsTest {
  private static final String TOKEN = "0123456789-0123456789-0123456789";

  private final Vertx vertx = Vertx.vertx();
  private final SmallProvider provider = new SmallProvider(vertx);
  private final Runlane runlane =
      Runlane.builder(vertx, MemoryLane.create()).operatorOnly().build();
  private OperatorConsole console;
  private int port;

  @AfterEach
  void close() {
    await(console.close());
    await(runlane.close());
    await(vertx.close());
  }

  @Test
  void a_person_who_logs_in_acts_under_their_name_and_role_until_they_log_out() {
    begin(oidc());
    HttpClient anna = browser();

    assertThat(get(anna, "/api/v1/session").statusCode()).isEqualTo(401);
    HttpResponse<String> first = get(anna, "/");

    assertThat(first.statusCode()).isEqualTo(200);
    assertThat(first.uri().getPath()).isEqualTo("/");
    assertThat(first.headers().firstValue("content-type").orElse("")).contains("text/html");
    JsonObject session = new JsonObject(get(anna, "/api/v1/session").body());
    assertThat(session.getString("actor")).isEqualTo("anna (4711)");
    assertThat(session.getString("role")).isEqualTo("operator");
    assertThat(pause(anna, "http://127.0.0.1:" + port).statusCode()).isEqualTo(200);
    assertThat(pause(anna, "http://evil.example").statusCode()).isEqualTo(403);
    assertThat(get(anna, "/api/v1/actions").body()).contains("queue.pause", "anna (4711)");
    assertThat(get(browser(HttpClient.Redirect.NEVER), "/api/v1/session").statusCode())
        .as("another browser")
        .isEqualTo(401);

    assertThat(post(anna, "/auth/log-out", "", null).statusCode()).isEqualTo(204);
    assertThat(get(anna, "/api/v1/session").statusCode()).isEqualTo(401);
  }

  @Test
  void a_session_is_a_cookie_that_no_script_reads() {
    begin(oidc());
    HttpClient anna = browser(HttpClient.Redirect.NEVER);
    URI authorize = location(get(anna, "/auth/log-in"));
    HttpResponse<String> back =
        send(anna, HttpRequest.newBuilder(location(send(anna, HttpRequest.newBuilder(authorize)))));

    assertThat(back.statusCode()).isEqualTo(303);
    assertThat(back.headers().allValues("set-cookie")).anySatisfy(cookie -> assertThat(cookie)
        .startsWith("runlane-session-" + port + "=")
        .contains("HTTPOnly", "SameSite=Lax", "Path=/"));
    assertThat(authorize.getQuery())
        .contains("code_challenge_method=S256", "nonce=", "state=", "scope=openid+profile");
  }

  @Test
  void over_tls_no_other_host_of_the_domain_sets_a_cookie_of_the_console() {
    begin(new ConsoleOptions().setOidc(oidc()).setPublicUrl("https://runs.example.com"));
    HttpClient anna = browser(HttpClient.Redirect.NEVER);
    HttpResponse<String> begun = get(anna, "/auth/log-in");
    String logIn = begun.headers().firstValue("set-cookie").orElseThrow();
    URI callback = location(send(anna, HttpRequest.newBuilder(location(begun))));

    HttpResponse<String> back = send(
        anna,
        HttpRequest.newBuilder(address(callback.getRawPath() + "?" + callback.getRawQuery()))
            .header("cookie", logIn.substring(0, logIn.indexOf(';'))));

    assertThat(logIn).startsWith("__Host-runlane-log-in-").contains("Secure", "Path=/");
    assertThat(back.statusCode()).isEqualTo(303);
    assertThat(back.headers().allValues("set-cookie")).anySatisfy(cookie -> assertThat(cookie)
        .startsWith("__Host-runlane-session=")
        .contains("Secure", "Path=/")
        .doesNotContain("Domain"));
  }

  @Test
  void a_provider_is_asked_through_the_proxy_that_the_jvm_would_take() {
    Set<String> asked = ConcurrentHashMap.newKeySet();
    int gate = await(vertx
            .createHttpServer()
            .requestHandler(request -> {
              asked.add(request.uri());
              request.response().setStatusCode(503).end();
            })
            .listen(0, "127.0.0.1"))
        .actualPort();
    ProxySelector before = ProxySelector.getDefault();
    ProxySelector.setDefault(ProxySelector.of(new InetSocketAddress("127.0.0.1", gate)));
    try {
      begin(oidc().setIssuer("http://127.0.0.1:1"));
      assertThat(get(browser(HttpClient.Redirect.NEVER), "/auth/log-in").statusCode())
          .isEqualTo(503);
    } finally {
      ProxySelector.setDefault(before);
    }

    assertThat(asked).containsExactly("http://127.0.0.1:1/.well-known/openid-configuration");
  }

  @Test
  void an_answer_that_was_not_asked_for_is_refused() {
    begin(oidc());
    for (JsonObject wrong : List.of(
        new JsonObject().put("nonce", "another"),
        new JsonObject().put("aud", "another"),
        new JsonObject().put("iss", "http://another"),
        new JsonObject().put("exp", Instant.now().minusSeconds(3_600).getEpochSecond()))) {
      provider.spoilt.clear();
      provider.spoilt.mergeIn(wrong);
      assertThat(logIn(browser()).statusCode()).as(wrong.encode()).isEqualTo(401);
    }
    provider.spoilt.clear();
    provider.signing = SmallProvider.keys();
    assertThat(logIn(browser()).statusCode()).as("signed by another").isEqualTo(401);
  }

  @Test
  void nobody_acts_under_a_name_that_is_somebody_else_s() {
    begin(oidc());
    for (String chosen : List.of("local", "robot", "bob", "bob (4712)", "")) {
      provider.spoilt.put("preferred_username", chosen);
      HttpClient anna = browser();
      logIn(anna);

      assertThat(new JsonObject(get(anna, "/api/v1/session").body()).getString("actor"))
          .isEqualTo((chosen + " (4711)").strip());
    }
    provider.spoilt.put("preferred_username", "a".repeat(200));
    HttpClient anna = browser();
    logIn(anna);
    assertThat(get(anna, "/api/v1/session").body()).contains("\"(4711)\"");

    provider.spoilt.put("sub", " ");
    assertThat(logIn(browser()).statusCode()).as("of no subject").isEqualTo(401);
  }

  @Test
  void a_provider_whose_endpoints_anybody_on_the_way_could_read_is_not_used() {
    begin(oidc());
    for (String endpoint : List.of("authorization_endpoint", "token_endpoint", "jwks_uri")) {
      provider.discovered.clear();
      provider.discovered.put(endpoint, "http://idp.invalid/" + endpoint);

      HttpResponse<String> refused = logIn(browser());
      assertThat(refused.statusCode()).as(endpoint).isEqualTo(503);
      assertThat(refused.body()).as(endpoint).contains("\"code\":\"provider_misconfigured\"");
      assertThat(provider.authorized()).isZero();
    }
    provider.discovered.clear();
    assertThat(logIn(browser()).statusCode()).isEqualTo(200);
  }

  @Test
  void the_keys_of_a_provider_that_is_not_used_or_not_any_more_are_not_read_again() {
    provider.areKeysToBeReadAgain = true;
    Set<Object> readers = ConcurrentHashMap.newKeySet();
    begin(noting(readers), new ConsoleOptions().setOidc(oidc()));
    provider.discovered.put("token_endpoint", "http://idp.invalid/token");
    for (int attempt = 0; attempt < 3; attempt++) {
      assertThat(logIn(browser()).statusCode()).isEqualTo(503);
    }
    assertThat(readers).as("of one that anybody could read along with").isEmpty();
    provider.discovered.clear();
    assertThat(logIn(browser()).statusCode()).isEqualTo(200);
    assertThat(readers).hasSize(1);

    await(console.close());

    assertThat(readers).isEmpty();
  }

  /** The same Vert.x, whose periodic timers are noted until they are cancelled. */
  private Vertx noting(Set<Object> periodic) {
    return (Vertx) Proxy.newProxyInstance(
        Vertx.class.getClassLoader(),
        new Class<?>[] {VertxInternal.class},
        (proxy, method, arguments) -> {
          Object answer = method.invoke(vertx, arguments);
          if (method.getName().equals("setPeriodic")) {
            periodic.add(answer);
          } else if (method.getName().equals("cancelTimer")) {
            periodic.remove(arguments[0]);
          }
          return answer;
        });
  }

  @Test
  void a_clock_of_the_provider_that_is_a_little_off_is_borne() {
    begin(oidc());
    long ahead = Instant.now().plusSeconds(30).getEpochSecond();
    provider.accessToken = new JsonObject()
        .put("iss", provider.issuer())
        .put("sub", "4711")
        .put("aud", "console")
        .put("iat", ahead)
        .put("nbf", ahead)
        .put("exp", ahead + 300);
    provider.spoilt.put("iat", ahead).put("nbf", ahead);
    assertThat(logIn(browser()).statusCode()).as("ahead").isEqualTo(200);

    provider.accessToken = null;
    provider.spoilt.put("iat", ahead - 360).put("nbf", ahead - 360).put("exp", ahead - 60);
    assertThat(logIn(browser()).statusCode()).as("behind").isEqualTo(200);

    provider.spoilt.put("exp", ahead - 120);
    assertThat(logIn(browser()).statusCode()).as("far behind").isEqualTo(401);
  }

  @Test
  void the_first_person_after_the_provider_changed_its_keys_is_led_to_it_once_more() {
    begin(oidc());
    assertThat(logIn(browser()).statusCode()).isEqualTo(200);
    provider.changeKey();
    provider.publishKey();
    HttpClient anna = browser();

    HttpResponse<String> back = logIn(anna); // after as many redirects as the client follows
    assertThat(back.headers().firstValue("location")).hasValue("/");
    assertThat(get(anna, "/api/v1/session").body()).contains("anna");
  }

  @Test
  void who_is_signed_in_by_a_key_that_the_provider_does_not_publish_is_led_to_it_no_third_time() {
    begin(oidc());
    assertThat(logIn(browser()).statusCode()).isEqualTo(200);
    provider.changeKey();

    assertThat(logIn(browser()).statusCode()).isEqualTo(401);
    assertThat(provider.authorized()).isEqualTo(3);
  }

  @Test
  void a_provider_that_goes_silent_is_told_and_log_ins_go_on_when_it_answers_again() {
    begin(new ConsoleOptions().setPort(0)); // closed at the end, as every test's
    OidcLogins logins =
        new OidcLogins(vertx, oidc(), Clock.system(), null, false, Duration.ofSeconds(2));
    Router router = Router.router(vertx);
    router.route().failureHandler(request -> {
      ApiError error = ApiError.of(request.statusCode(), request.failure());
      request.response().setStatusCode(error.status()).end(error.code());
    });
    logins.mount(router);
    router.get("/").handler(request -> request.end("in"));
    port = await(vertx.createHttpServer().requestHandler(router).listen(0, "127.0.0.1"))
        .actualPort();
    provider.silentTokens = 6;
    List<CompletableFuture<HttpResponse<String>>> all = new ArrayList<>();
    for (int each = 0; each < 6; each++) {
      all.add(browser()
          .sendAsync(
              HttpRequest.newBuilder(address("/auth/log-in")).build(), BodyHandlers.ofString()));
    }

    assertThat(all)
        .allSatisfy(each -> assertThat(each.join().body()).isEqualTo("provider_unavailable"));
    while (provider.silentTokens > 0) {
      logIn(browser()); // what was given up before it was sent may not have been
    }
    assertThat(Poll.until(Duration.ofSeconds(60), () -> logIn(browser()).body().equals("in")))
        .isTrue();
  }

  @Test
  void an_event_stream_ends_with_the_session_of_who_reads_it() throws Exception {
    begin(oidc());
    HttpClient anna = browser();
    logIn(anna);
    HttpResponse<InputStream> stream = anna.send(
        HttpRequest.newBuilder(address("/api/v1/changes")).build(), BodyHandlers.ofInputStream());
    CompletableFuture<Long> read = CompletableFuture.supplyAsync(() -> {
      try (InputStream events = stream.body()) {
        return events.transferTo(OutputStream.nullOutputStream());
      } catch (IOException broken) {
        throw new UncheckedIOException(broken);
      }
    });

    assertThat(post(anna, "/auth/log-out", "", null).statusCode()).isEqualTo(204);

    assertThat(read.get(60, SECONDS)).isPositive();
  }

  @Test
  void log_ins_that_were_begun_outlive_foreign_callbacks_and_each_other() {
    begin(oidc());
    HttpClient anna = browser(HttpClient.Redirect.NEVER);
    URI first = location(get(anna, "/auth/log-in"));
    URI second = location(get(anna, "/auth/log-in"));
    while (letter(first) == letter(second)) {
      first = second; // which took its place
      second = location(get(anna, "/auth/log-in"));
    }

    assertThat(get(anna, "/auth/callback?code=code_0&state=foreign").statusCode())
        .isEqualTo(401);
    for (URI tab : List.of(first, second)) {
      URI callback = location(send(anna, HttpRequest.newBuilder(tab)));
      assertThat(send(anna, HttpRequest.newBuilder(callback)).statusCode()).isEqualTo(303);
      assertThat(get(anna, "/api/v1/session").statusCode()).isEqualTo(200);
    }
  }

  private static char letter(URI authorize) {
    String query = authorize.getRawQuery();
    return Character.toLowerCase(query.charAt(query.indexOf("state=") + "state=".length()));
  }

  @Test
  void two_consoles_of_one_host_have_sessions_of_their_own() {
    begin(oidc());
    OperatorConsole first = console;
    URI session = address("/api/v1/session");
    HttpClient anna = browser();
    logIn(anna);
    begin(oidc());
    logIn(anna);

    assertThat(get(anna, "/api/v1/session").statusCode()).isEqualTo(200);
    assertThat(send(anna, HttpRequest.newBuilder(session)).statusCode()).isEqualTo(200);
    await(first.close());
  }

  @Test
  void nobody_who_begins_many_log_ins_makes_others_lose_theirs() {
    begin(oidc());
    HttpClient anna = browser(HttpClient.Redirect.NEVER);
    URI authorize = location(get(anna, "/auth/log-in"));
    HttpClient mallory = browser(HttpClient.Redirect.NEVER);
    for (int each = 0; each < 1_100; each++) {
      get(mallory, "/auth/log-in");
    }

    URI callback = location(send(anna, HttpRequest.newBuilder(authorize)));
    assertThat(send(anna, HttpRequest.newBuilder(callback)).statusCode()).isEqualTo(303);
    assertThat(get(anna, "/api/v1/session").statusCode()).isEqualTo(200);
  }

  @Test
  void a_provider_that_is_away_is_logged_in_few_lines() {
    begin(oidc().setIssuer("http://127.0.0.1:1"));

    List<String> lines = CapturedErrors.during(() -> {
      for (int each = 0; each < 20; each++) {
        assertThat(logIn(browser()).statusCode()).isEqualTo(503);
      }
    });

    assertThat(lines.stream().filter(line -> line.contains("OpenID Connect"))).hasSizeBetween(1, 5);
  }

  @Test
  void a_callback_of_a_log_in_that_this_browser_did_not_begin_is_refused() {
    begin(oidc());
    HttpClient mallory = browser(HttpClient.Redirect.NEVER);
    URI callback =
        location(send(mallory, HttpRequest.newBuilder(location(get(mallory, "/auth/log-in")))));

    HttpResponse<String> anna = send(browser(), HttpRequest.newBuilder(callback));

    assertThat(anna.statusCode()).isEqualTo(401);
    assertThat(get(mallory, "/auth/callback?code=code_0&state=guessed").statusCode())
        .isEqualTo(401);
    URI foreign = URI.create(callback.toString().replaceFirst("state=(.)[^&]*", "state=$1foreign"));
    assertThat(send(mallory, HttpRequest.newBuilder(foreign)).statusCode())
        .as("by the cookie of another state")
        .isEqualTo(401);
  }

  @Test
  void who_has_no_role_is_refused_and_the_highest_role_counts() {
    begin(oidc().setRoleClaim("realm_access.roles"));
    assertThat(logIn(browser()).statusCode()).isEqualTo(403);

    provider.spoilt.put(
        "realm_access",
        new JsonObject().put("roles", new JsonArray().add("runlane-viewer").add("runlane-admin")));
    HttpClient anna = browser();
    assertThat(logIn(anna).statusCode()).isEqualTo(200);
    assertThat(new JsonObject(get(anna, "/api/v1/session").body()).getString("role"))
        .isEqualTo("admin");
  }

  @Test
  void a_client_with_a_wrong_secret_and_a_provider_that_is_away_are_told() {
    begin(oidc().setClientSecret("another"));
    assertThat(logIn(browser()).statusCode()).isEqualTo(401);
    await(console.close());

    begin(oidc().setIssuer("http://127.0.0.1:1"));
    assertThat(logIn(browser()).statusCode()).isEqualTo(503);
    assertThat(logIn(browser()).body()).contains("provider_unavailable");
  }

  @Test
  void tokens_go_on_beside_log_ins() {
    begin(new ConsoleOptions()
        .setOidc(oidc())
        .setTokens(
            List.of(new TokenOptions().setName("robot").setToken(TOKEN).setRole(Role.VIEWER))));

    HttpResponse<String> robot = send(
        browser(),
        HttpRequest.newBuilder(address("/api/v1/session"))
            .header("authorization", "Bearer " + TOKEN));
    HttpResponse<String> guess = send(
        browser(),
        HttpRequest.newBuilder(address("/api/v1/session")).header("authorization", "Bearer x"));

    assertThat(new JsonObject(robot.body()).getString("actor")).isEqualTo("robot");
    assertThat(guess.statusCode()).isEqualTo(401);
  }

  @Test
  void connectors_are_served_to_callers_with_the_role_that_it_takes() {
    provider.spoilt.put("roles", new JsonArray().add("runlane-viewer"));
    begin(new ConsoleOptions()
        .setOidc(oidc())
        .setTokens(
            List.of(new TokenOptions().setName("robot").setToken(TOKEN).setRole(Role.OPERATOR))));
    HttpClient anna = browser();
    logIn(anna);

    assertThat(get(browser(), "/_ref/connectors").statusCode()).isEqualTo(401);
    assertThat(get(anna, "/_ref/connectors").body()).isEqualTo("GET of /_ref/connectors");
    assertThat(post(anna, "/_ref/connectors/shelf/run", "{}", null).statusCode())
        .isEqualTo(403);
    HttpResponse<String> robot = send(
        browser(),
        HttpRequest.newBuilder(address("/_ref/connectors/shelf/run"))
            .header("authorization", "Bearer " + TOKEN)
            .header("content-type", "application/json")
            .POST(BodyPublishers.ofString("{}")));
    assertThat(robot.body()).isEqualTo("POST of /_ref/connectors/shelf/run");
    assertThat(get(anna, "/api/v1/actions").body())
        .contains("connectors.post", "/_ref/connectors/shelf/run", "robot");
    assertThat(get(anna, "/api/v1/session").body()).contains("\"connectors\"");
  }

  @Test
  void an_action_that_connectors_refuse_is_recorded_as_one_that_was_not_done() {
    begin(new ConsoleOptions()
        .setTokens(
            List.of(new TokenOptions().setName("robot").setToken(TOKEN).setRole(Role.OPERATOR))));
    HttpClient robot = browser();

    HttpResponse<String> refused = act(robot, "/_ref/connectors/busy/run");
    HttpResponse<String> done = act(robot, "/_ref/connectors/shelf/run");

    assertThat(refused.statusCode()).isEqualTo(409);
    assertThat(refused.body()).isEqualTo("it runs already");
    assertThat(done.statusCode()).isEqualTo(200);
    assertThat(recorded(robot, "/_ref/connectors/busy/run").getBoolean("succeeded"))
        .isFalse();
    assertThat(recorded(robot, "/_ref/connectors/busy/run").getString("result"))
        .isEqualTo("answered 409");
    assertThat(recorded(robot, "/_ref/connectors/shelf/run").getBoolean("succeeded"))
        .isTrue();
  }

  private HttpResponse<String> act(HttpClient client, String path) {
    return send(
        client,
        HttpRequest.newBuilder(address(path))
            .header("authorization", "Bearer " + TOKEN)
            .header("content-type", "application/json")
            .POST(BodyPublishers.ofString("{}")));
  }

  /** How the action on this target ended, once that is recorded. */
  private JsonObject recorded(HttpClient client, String target) {
    JsonObject action;
    do {
      HttpResponse<String> actions = send(
          client,
          HttpRequest.newBuilder(address("/api/v1/actions"))
              .header("authorization", "Bearer " + TOKEN));
      action = new JsonObject(actions.body())
          .getJsonArray("data").stream()
              .map(JsonObject.class::cast)
              .filter(each -> target.equals(each.getString("target")))
              .findFirst()
              .orElseThrow();
    } while (!action.containsKey("result"));
    return action;
  }

  @Test
  void a_provider_without_a_client_or_a_way_back_is_refused() {
    begin(oidc());
    assertThatThrownBy(() -> OperatorConsole.create(
            vertx, runlane, new ConsoleOptions().setOidc(new OidcOptions().setClientId("c"))))
        .isInstanceOf(RunlaneException.class)
        .hasMessageContaining("issuer");
    assertThatThrownBy(() -> OperatorConsole.create(
            vertx, runlane, new ConsoleOptions().setHost("0.0.0.0").setOidc(oidc())))
        .isInstanceOf(RunlaneException.class)
        .hasMessageContaining("publicUrl");
    assertThatThrownBy(() -> OperatorConsole.create(
            vertx,
            runlane,
            new ConsoleOptions().setOidc(oidc().setIssuer("http://idp.example.com"))))
        .isInstanceOf(RunlaneException.class)
        .hasMessageContaining("https");
    assertThat(new ConsoleOptions().setOidc(oidc()).toString())
        .doesNotContain("s3cret-of-the-console");
  }

  private OidcOptions oidc() {
    return new OidcOptions()
        .setIssuer(provider.issuer())
        .setClientId("console")
        .setClientSecret(provider.clientSecret);
  }

  private void begin(OidcOptions oidc) {
    begin(new ConsoleOptions().setOidc(oidc));
  }

  private void begin(ConsoleOptions options) {
    begin(vertx, options);
  }

  private void begin(Vertx on, ConsoleOptions options) {
    console = OperatorConsole.create(on, runlane, options.setPort(0))
        .withConnectors(authentication -> {
          Router router = Router.router(vertx);
          router.route().handler(authentication);
          router.route("/connectors/busy/*").handler(request -> request
              .request()
              .body()
              .onSuccess(body -> request.response().setStatusCode(409).end("it runs already")));
          router.route().handler(request -> request.request().body().onSuccess(body -> request
              .response()
              .end(request.request().method() + " of " + request.request().path())));
          return router;
        });
    port = await(console.start());
  }

  private static HttpClient browser() {
    return browser(HttpClient.Redirect.ALWAYS);
  }

  private static HttpClient browser(HttpClient.Redirect redirect) {
    return HttpClient.newBuilder()
        .proxy(HttpClient.Builder.NO_PROXY)
        .version(HttpClient.Version.HTTP_1_1)
        .cookieHandler(new CookieManager(null, CookiePolicy.ACCEPT_ALL))
        .followRedirects(redirect)
        .build();
  }

  private URI address(String path) {
    return URI.create("http://127.0.0.1:" + port + path);
  }

  private HttpResponse<String> logIn(HttpClient client) {
    return get(client, "/auth/log-in");
  }

  private HttpResponse<String> get(HttpClient client, String path) {
    return send(client, HttpRequest.newBuilder(address(path)));
  }

  private HttpResponse<String> pause(HttpClient client, String origin) {
    return post(client, "/api/v1/queues/mail/pause", "{\"reason\":\"r\"}", origin);
  }

  private HttpResponse<String> post(HttpClient client, String path, String body, String origin) {
    HttpRequest.Builder request = HttpRequest.newBuilder(address(path))
        .header("content-type", "application/json")
        .POST(BodyPublishers.ofString(body));
    if (origin != null) {
      request.header("origin", origin);
    }
    return send(client, request);
  }

  private static URI location(HttpResponse<String> response) {
    return URI.create(response.headers().firstValue("location").orElseThrow());
  }

  private static HttpResponse<String> send(HttpClient client, HttpRequest.Builder request) {
    try {
      return client.send(request.timeout(Duration.ofSeconds(60)).build(), BodyHandlers.ofString());
    } catch (IOException broken) {
      throw new AssertionError(broken);
    } catch (InterruptedException interrupted) {
      throw new AssertionError(interrupted);
    }
  }

  private static <T> T await(Future<T> future) {
    try {
      return future.await(60, SECONDS);
    } catch (TimeoutException late) {
      throw new AssertionError(late);
    }
  }
}
