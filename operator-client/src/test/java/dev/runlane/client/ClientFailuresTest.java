package dev.runlane.client;

import static dev.runlane.client.ServedSystem.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.runlane.console.ConsoleOptions;
import dev.runlane.console.access.Role;
import dev.runlane.console.access.TokenOptions;
import dev.runlane.jobs.store.FailedJobsFilter;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.storage.read.RunFilter;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.NetServer;
import io.vertx.core.net.SelfSignedCertificate;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** What the client makes of servers that refuse, are silent, broken, someone else's, or of another release. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class ClientFailuresTest {
  private static final String VIEWER = "viewer-token-0123456789012345678901234567";
  private static final String RUN = """
      {"id":"run_1","environment":{"name":"default"},"taskId":"charge","queue":"default","payload":1.50,\
      "status":"%s","eventSequence":1,"counters":{"attempts":0,"failures":0,"retries":0,"releases":0},\
      "source":{"type":"trigger"},"createdAt":"2026-01-01T00:00:00Z","updatedAt":"2026-01-01T00:00:00Z"%s}""";

  private static Vertx vertx;

  @BeforeAll
  static void start() {
    vertx = Vertx.vertx();
  }

  @AfterAll
  static void stop() {
    await(vertx.close());
  }

  @Test
  void a_token_is_needed_and_its_role_counts() {
    try (ServedSystem system = new ServedSystem(new ConsoleOptions()
        .setTokens(
            List.of(new TokenOptions().setName("vic").setToken(VIEWER).setRole(Role.VIEWER))))) {
      ApiClient viewer = system.client(VIEWER);

      assertThat(await(viewer.session()).actor()).isEqualTo("vic");
      assertFails(
          ErrorCode.CONFIGURATION_INVALID, system.client().session(), "does not know the token");
      assertFails(
          ErrorCode.CONFIGURATION_INVALID,
          system.client("wrong-" + VIEWER).session(),
          "does not know the token");
      assertFails(
          ErrorCode.CONFIGURATION_INVALID,
          viewer.fleet().pauseQueue("default", "why"),
          "the token may not do this");
      assertThatThrownBy(() -> await(system.client("wrong-" + VIEWER).session()))
          .hasMessageNotContaining("wrong-");
    }
  }

  @Test
  void a_token_that_no_header_can_hold_is_refused_unseen() {
    for (String token : List.of("secret\nx: y", "secret x", "s\u00e9cret")) {
      ApiClient client =
          ApiClient.create(vertx, new ApiClientOptions(), () -> Future.succeededFuture(token));

      assertThatThrownBy(() -> await(client.session()))
          .isInstanceOf(RunlaneException.class)
          .hasMessageContaining("characters that a token cannot have")
          .hasMessageNotContaining("cret");
    }
  }

  @Test
  void the_token_is_asked_for_before_each_request() {
    List<String> seen = new ArrayList<>();
    HttpServer server = answering(request -> {
      seen.add(request.getHeader("authorization"));
      request.response().end("{\"data\":[]}");
    });
    AtomicInteger asked = new AtomicInteger();
    ApiClient client = ApiClient.create(
        vertx, at(server), () -> Future.succeededFuture("token-" + asked.incrementAndGet()));

    await(client.fleet().pausedQueues());
    await(client.fleet().pausedQueues());

    assertThat(seen).containsExactly("Bearer token-1", "Bearer token-2");
  }

  @Test
  void a_proxy_that_asks_for_patience_is_no_other_server() {
    HttpServer server =
        answering(request -> request.response().setStatusCode(429).end("<html>slow down</html>"));
    ApiClient client = ApiClient.create(vertx, at(server));

    assertUnavailable(client.fleet().pausedQueues());
  }

  @Test
  void a_number_that_no_record_holds_is_no_answer_of_this_release() {
    HttpServer server = answering(
        request -> request
            .response()
            .end(
                "{\"data\":[{\"topic\":\"t\",\"group\":\"g\",\"queue\":\"q\",\"partitions\":[{\"partition\":"
                    + "3000000000,\"records\":1,\"processId\":\"p\",\"toldAt\":\"2026-01-01T00:00:00Z\"}]}]}"));
    ApiClient client = ApiClient.create(vertx, at(server), () -> Future.succeededFuture(""));

    assertFails(
        ErrorCode.ADAPTER_CONTRACT_VIOLATION, client.fleet().topicLags(), "has no partition");
  }

  @Test
  void a_time_that_nobody_lives_to_see_is_refused_by_the_call_and_taken_by_the_client() {
    ApiClient client =
        ApiClient.create(vertx, new ApiClientOptions().setConnectTimeout(Duration.ofDays(36_500)));

    assertFails(
        ErrorCode.VALIDATION_FAILED,
        client.alerts().silenceFor("rule", Duration.ofSeconds(Long.MAX_VALUE), "for ever"),
        "too long");
  }

  @Test
  void a_token_that_is_never_given_is_given_up() {
    ApiClient client = ApiClient.create(
        vertx,
        new ApiClientOptions().setRequestTimeout(Duration.ofMillis(200)),
        () -> Promise.<String>promise().future());

    assertUnavailable(client.session());
  }

  @Test
  void a_server_that_is_silent_is_given_up_and_the_connection_with_it() {
    Promise<Void> closed = Promise.promise();
    NetServer silent = await(vertx
        .createNetServer()
        .connectHandler(socket -> socket.closeHandler(gone -> closed.tryComplete()))
        .listen(0));
    ApiClient client = ApiClient.create(
        vertx,
        new ApiClientOptions()
            .setUrl("http://127.0.0.1:" + silent.actualPort())
            .setMaxConnections(1)
            .setRequestTimeout(Duration.ofMillis(200)));

    // The second needs the one connection that the first had.
    assertUnavailable(client.session());
    assertUnavailable(client.session());
    await(closed.future());
  }

  @Test
  void a_server_that_stops_in_the_middle_of_its_answer_is_given_up() {
    HttpServer server = answering(
        request -> request.response().putHeader("content-length", "100").write("{\"data\":"));
    assertUnavailable(ApiClient.create(vertx, at(server).setRequestTimeout(Duration.ofMillis(300)))
        .fleet()
        .pausedQueues());
    HttpServer broken = answering(request -> request
        .response()
        .putHeader("content-length", "100")
        .write("{\"data\":")
        .onComplete(sent -> request.connection().close()));
    assertUnavailable(ApiClient.create(vertx, at(broken)).fleet().pausedQueues());
  }

  @Test
  void a_server_that_is_not_there_is_unavailable() {
    NetServer gone = await(vertx.createNetServer().connectHandler(socket -> {}).listen(0));
    int port = gone.actualPort();
    await(gone.close());

    assertUnavailable(
        ApiClient.create(vertx, new ApiClientOptions().setUrl("http://127.0.0.1:" + port))
            .session());
  }

  @Test
  void an_answer_that_is_too_large_is_not_read_to_its_end() {
    HttpServer server = answering(request -> {
      request.response().setChunked(true);
      endless(request);
    });

    assertFails(
        ErrorCode.VALIDATION_FAILED,
        ApiClient.create(vertx, at(server).setMaxAnswerBytes(10_000)).fleet().pausedQueues(),
        "more than 10000 bytes");
    String largest = "{\"data\":[]}" + " ".repeat(10_000 - 11);
    HttpServer full = answering(request -> request.response().end(largest));
    assertThat(await(
            ApiClient.create(vertx, at(full).setMaxAnswerBytes(10_000)).fleet().pausedQueues()))
        .isEmpty();
  }

  @Test
  void each_field_of_a_filter_is_asked_for_by_its_own_name() {
    List<String> asked = new ArrayList<>();
    ApiClient client = ApiClient.create(vertx, at(answering(request -> {
      asked.add(request.query());
      request.response().end("{\"data\":[]}");
    })));
    Instant from = Instant.parse("2026-01-01T00:00:00Z");

    await(client
        .runs()
        .list(
            RunFilter.ALL
                .withTaskIds(List.of("t"))
                .withQueues(List.of("q"))
                .withConcurrencyKey("c")
                .withIdempotencyKey("i")
                .withSingletonKey("s")
                .withCreated(from, from.plusSeconds(1)),
            Map.of("tag", "v"),
            7,
            "next"));

    assertThat(asked)
        .containsExactly("task=t&queue=q&concurrencyKey=c&idempotencyKey=i&singletonKey=s"
            + "&createdFrom=2026-01-01T00%3A00%3A00Z&createdBefore=2026-01-01T00%3A00%3A01Z"
            + "&tag=tag%3Av&limit=7&cursor=next");
  }

  private static void endless(HttpServerRequest request) {
    request.response().write(" ".repeat(1_000)).onSuccess(sent -> endless(request));
  }

  @Test
  void what_is_no_operator_api_is_told_so() {
    ApiClient page = ApiClient.create(
        vertx, at(answering(request -> request.response().end("<html>welcome</html>"))));
    ApiClient other = ApiClient.create(
        vertx, at(answering(request -> request.response().setStatusCode(404).end("nothing here"))));
    ApiClient proxy = ApiClient.create(
        vertx, at(answering(request -> request.response().setStatusCode(502).end("bad gateway"))));
    ApiClient elsewhere = ApiClient.create(vertx, at(answering(request -> request
        .response()
        .setStatusCode(302)
        .putHeader("location", "http://127.0.0.1:1/")
        .end())));

    assertFails(ErrorCode.ADAPTER_CONTRACT_VIOLATION, page.session(), "no operator API");
    assertFails(ErrorCode.ADAPTER_CONTRACT_VIOLATION, other.session(), "status 404");
    assertFails(ErrorCode.ADAPTER_CONTRACT_VIOLATION, elsewhere.session(), "status 302");
    assertUnavailable(proxy.session());
  }

  @Test
  void json_of_something_else_is_no_empty_answer() {
    ApiClient other = ApiClient.create(
        vertx, at(answering(request -> request.response().end("{\"status\":\"ok\"}"))));
    ApiClient text = ApiClient.create(vertx, at(answering(request -> request
        .response()
        .end("{\"data\":\"none\",\"changed\":\"yes\",\"messageIds\":{}}"))));

    for (ApiClient client : List.of(other, text)) {
      for (Future<?> answer : List.of(
          client.runs().list(RunFilter.ALL, Map.of(), null, null),
          client.fleet().pausedQueues(),
          client.fleet().pauseQueue("default", "why"),
          client.jobs().find("j"),
          client.jobs().lines("q", "j", 0))) {
        assertFails(ErrorCode.ADAPTER_CONTRACT_VIOLATION, answer, "no operator API");
      }
    }
  }

  @Test
  void a_token_that_cannot_be_had_is_no_silent_server() {
    HttpServer server = answering(request -> request.response().end("{\"data\":[]}"));
    ApiClient failing = ApiClient.create(
        vertx, at(server), () -> Future.failedFuture(new IllegalStateException("no such secret")));
    ApiClient throwing = ApiClient.create(vertx, at(server), () -> {
      throw new IllegalStateException("no such secret");
    });

    for (ApiClient client : List.of(failing, throwing)) {
      assertFails(ErrorCode.TRANSPORT_UNAVAILABLE, client.session(), "no token could be had");
    }
  }

  @Test
  void long_numbers_and_names_of_payloads_are_read_as_the_server_takes_them() {
    String number = "9".repeat(5_000);
    String name = "n".repeat(60_000);
    String payload = "{\"" + name + "\":" + number + "}";
    ApiClient client = ApiClient.create(vertx, at(answering(request -> request
        .response()
        .end(RUN.formatted("queued", "").replace("1.50", payload)))));

    assertThat(await(client.runs().get("run_1")).orElseThrow().run().payload().text())
        .isEqualTo(payload);
  }

  @Test
  void fields_that_a_later_server_adds_are_passed_over() {
    ApiClient client = ApiClient.create(vertx, at(answering(request -> request
        .response()
        .end(
            request.path().endsWith("run_1")
                ? RUN.formatted("queued", ",\"colour\":\"red\",\"more\":{\"a\":[1]}")
                : "{\"data\":[" + RUN.formatted("queued", ",\"colour\":\"red\"")
                    + "],\"estimate\":7}"))));

    assertThat(await(client.runs().get("run_1")).orElseThrow().run().payload().text())
        .isEqualTo("1.50");
    assertThat(await(client.runs().list(RunFilter.ALL, Map.of(), null, null)).data())
        .hasSize(1);
  }

  @Test
  void an_earlier_server_is_asked_for_nothing_that_it_does_not_know_unless_it_is_wanted() {
    List<String> asked = new ArrayList<>();
    ApiClient client =
        ApiClient.create(vertx, at(answering(request -> request.body().onSuccess(body -> {
          asked.add(request.uri().replaceAll(".*/", "") + body);
          request
              .response()
              .end(
                  request.path().endsWith("job-queues")
                      ? "{\"data\":[{\"name\":\"mail\",\"paused\":false,\"counts\":{\"waiting\":1,\"active\":0,"
                          + "\"delayed\":0,\"waiting-children\":0,\"completed\":0,\"failed\":2},\"repeating\":0}]}"
                      : "{\"count\":2}");
        }))));
    FailedJobsFilter withCancelled = new FailedJobsFilter(null, null, null, null, true);

    assertThat(await(client.jobs().queues()).get(0).pausedNames()).isEmpty();
    assertThat(await(client.jobs().retryFailed("mail", FailedJobsFilter.ALL, "why")))
        .isEqualTo(2);
    await(client.jobs().countFailed("mail", FailedJobsFilter.ALL));
    await(client.jobs().retryFailed("mail", withCancelled, "why"));
    await(client.jobs().countFailed("mail", withCancelled));

    assertThat(asked)
        .containsExactly(
            "job-queues",
            "retry-failed{\"reason\":\"why\"}",
            "failed-count",
            "retry-failed{\"reason\":\"why\",\"withCancelled\":true}",
            "failed-count?withCancelled=true");
  }

  @Test
  void a_value_that_only_a_later_release_knows_fails_in_words() {
    ApiClient client = ApiClient.create(vertx, at(answering(request -> request
        .response()
        .end(
            request.path().endsWith("run_1")
                ? RUN.formatted("hibernating", "")
                : "{\"data\":[" + RUN.formatted("hibernating", "") + "]}"))));

    assertFails(
        ErrorCode.ADAPTER_CONTRACT_VIOLATION,
        client.runs().list(RunFilter.ALL, Map.of(), null, null),
        "another one");
    assertFails(ErrorCode.ADAPTER_CONTRACT_VIOLATION, client.runs().get("run_1"), "another one");
  }

  @Test
  void codes_and_conflicts_that_only_a_later_release_knows_keep_their_words() {
    ApiClient client = ApiClient.create(vertx, at(answering(request -> {
      boolean isConflict = request.path().endsWith("cancel");
      request
          .response()
          .setStatusCode(isConflict ? 409 : 418)
          .end(
              isConflict
                  ? "{\"error\":{\"type\":\"api_error\",\"code\":\"storage_conflict\",\"message\":\"m\","
                      + "\"conflict_kind\":\"moon_phase\",\"retryable\":true,\"request_id\":\"req_1\"}}"
                  : "{\"error\":{\"type\":\"tea\",\"code\":\"teapot\",\"message\":\"short and stout\","
                      + "\"request_id\":\"req_1\"}}");
    })));

    assertThatThrownBy(() -> await(client.runs().cancel("run_1", "why")))
        .isInstanceOfSatisfying(RunlaneException.class, failure -> {
          assertThat(failure.isRetryable()).isTrue();
          assertThat(failure.meta())
              .containsEntry(RunlaneException.CONFLICT_KIND, "moon_phase")
              .containsEntry("requestId", "req_1");
        });
    assertThatThrownBy(() -> await(client.session()))
        .isInstanceOfSatisfying(RunlaneException.class, failure -> assertThat(failure.meta())
            .containsEntry("apiCode", "teapot"))
        .hasMessageContaining("short and stout");
  }

  @Test
  void a_certificate_is_held_to_those_that_are_trusted() {
    SelfSignedCertificate known = SelfSignedCertificate.create("localhost");
    SelfSignedCertificate unknown = SelfSignedCertificate.create("localhost");
    HttpServer server = await(vertx
        .createHttpServer(
            new HttpServerOptions().setSsl(true).setKeyCertOptions(known.keyCertOptions()))
        .requestHandler(request -> request.response().end("{\"data\":[]}"))
        .listen(0, "localhost"));
    ApiClientOptions options =
        new ApiClientOptions().setUrl("https://localhost:" + server.actualPort());

    assertThat(await(ApiClient.create(
                vertx,
                new ApiClientOptions(options).setTrustedCertificatePath(known.certificatePath()))
            .fleet()
            .pausedQueues()))
        .isEmpty();
    assertUnavailable(ApiClient.create(
            vertx,
            new ApiClientOptions(options).setTrustedCertificatePath(unknown.certificatePath()))
        .session());
    assertUnavailable(ApiClient.create(vertx, options).session());
    known.delete();
    unknown.delete();
  }

  @Test
  void the_path_of_a_proxy_comes_before_those_of_the_api() {
    List<String> paths = new ArrayList<>();
    HttpServer server = answering(request -> {
      paths.add(request.uri());
      request.response().end("{\"data\":[]}");
    });
    ApiClient client = ApiClient.create(
        vertx, new ApiClientOptions().setUrl("http://127.0.0.1:" + server.actualPort() + "/ops/"));

    await(client.fleet().processes(5, "a&b"));
    await(client.fleet().leasesOf("..", 1));

    assertThat(paths)
        .containsExactly(
            "/ops/api/v1/processes?limit=5&cursor=a%26b",
            "/ops/api/v1/processes/%2E%2E/leases?limit=1");
  }

  @Test
  void a_url_with_a_password_is_refused_unquoted() {
    assertThatThrownBy(() -> new ApiClientOptions().setUrl("https://me:geheim@example.com"))
        .isInstanceOf(RunlaneException.class)
        .hasMessageNotContaining("geheim");
  }

  private static HttpServer answering(Handler<HttpServerRequest> handler) {
    return await(vertx.createHttpServer().requestHandler(handler).listen(0, "127.0.0.1"));
  }

  private static ApiClientOptions at(HttpServer server) {
    return new ApiClientOptions().setUrl("http://127.0.0.1:" + server.actualPort());
  }

  private static void assertUnavailable(Future<?> future) {
    assertThatThrownBy(() -> await(future))
        .isInstanceOfSatisfying(RunlaneException.class, failure -> {
          assertThat(failure.code()).isEqualTo(ErrorCode.TRANSPORT_UNAVAILABLE);
          assertThat(failure.isRetryable()).isTrue();
        });
  }

  private static void assertFails(ErrorCode code, Future<?> future, String words) {
    assertThatThrownBy(() -> await(future))
        .isInstanceOfSatisfying(
            RunlaneException.class, failure -> assertThat(failure.code()).isEqualTo(code))
        .hasMessageContaining(words);
  }
}
