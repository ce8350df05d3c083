package dev.runlane.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.runlane.console.ConsoleFixture.Answered;
import dev.runlane.console.access.AccessTokens;
import dev.runlane.console.access.TokenOptions;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.task.TriggerOptions;
import dev.runlane.storage.read.ListRuns;
import dev.runlane.storage.read.Page;
import dev.runlane.storage.read.RunSummary;
import dev.runlane.testinfra.process.CapturedErrors;
import dev.runlane.testinfra.process.Poll;
import dev.runlane.timing.Clock;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.internal.VertxInternal;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
class RequestChecksTest {
  private static final Map<String, String> JSON = Map.of("content-type", "application/json");
  private static final String TRIGGER = "/api/v1/tasks/echo/trigger";

  private static ConsoleFixture console;

  @BeforeAll
  static void start() {
    console = new ConsoleFixture(new ConsoleOptions().setMaxBodyBytes(64 << 10));
  }

  @AfterAll
  static void stop() {
    console.close();
  }

  @Test
  void a_parameter_that_the_document_does_not_know_is_refused() {
    Answered refused = console.get("/api/v1/runs?states=queued");

    assertThat(refused.status()).isEqualTo(400);
    assertThat(refused.error().getString("param")).isEqualTo("query");
  }

  @Test
  void a_value_that_the_document_does_not_allow_is_refused_by_name() {
    assertThat(console.get("/api/v1/runs?limit=0").error().getString("param")).isEqualTo("limit");
    assertThat(console.get("/api/v1/runs?limit=many").status()).isEqualTo(400);
    assertThat(console.get("/api/v1/runs?limit=1&limit=2").status()).isEqualTo(400);
    assertThat(console.get("/api/v1/runs?status=odd").status()).isEqualTo(400);
    assertThat(console.get("/api/v1/runs?createdFrom=2026-13-45T00:00:00Z").status())
        .isEqualTo(400);
  }

  @Test
  void a_tag_that_is_far_too_long_is_refused_like_any_other() {
    String tag = "a:" + "x".repeat(25_000);
    JsonObject filter = new JsonObject().put("tag", new JsonArray().add(tag));

    for (Answered refused : List.of(
        console.get("/api/v1/runs?tag=" + tag),
        console.get("/api/v1/run-search?failureText=x&tag=" + tag),
        console.post(
            "/api/v1/bulk-actions",
            new JsonObject().put("action", "cancel").put("reason", "r").put("filter", filter)))) {
      assertThat(refused.status()).isEqualTo(400);
      assertThat(refused.error().getString("code")).isEqualTo("validation_failed");
    }
    assertThat(console.get("/api/v1/runs?tag=a:two%0Alines").status()).isEqualTo(200);
    assertThat(console.get("/api/v1/runs?tag=a:").status()).isEqualTo(400);
  }

  @Test
  void an_instant_beyond_the_years_1_to_9999_is_refused() {
    for (String odd : List.of("-1000000000-01-01T00:00:00Z", "0000-12-31T23:59:59Z")) {
      for (String path : List.of(
          "/api/v1/throughput?until=",
          "/api/v1/throughput/series?until=",
          "/api/v1/job-queues/mail/metrics?until=",
          "/api/v1/runs?createdFrom=")) {
        assertThat(console.get(path + odd).status()).as(path + odd).isEqualTo(400);
      }
      JsonObject bulk = new JsonObject()
          .put("action", "cancel")
          .put("reason", "r")
          .put("filter", new JsonObject().put("createdBefore", odd));
      assertThat(console.post("/api/v1/bulk-actions", bulk).error().getString("param"))
          .isEqualTo("createdBefore");
    }
  }

  @Test
  void what_is_no_http_or_no_encoding_is_refused_in_the_envelope() {
    for (String line : new String[] {
      "GET /api/v1/runs?concurrencyKey=%zz HTTP/1.1",
      "GET /api/v1/runs/%zz HTTP/1.1",
      "GET /api/v1/runs/%ff%fe HTTP/1.1",
      "GET",
      "GET /" + "x".repeat(40_000) + " HTTP/1.1"
    }) {
      assertThat(console.raw(line + "\r\nHost: localhost\r\nConnection: close\r\n\r\n"))
          .as(line)
          .matches("(?s)HTTP/1.[01] 4.*\"request_id\".*");
    }
  }

  @Test
  void what_breaks_before_an_operation_is_a_fault_of_the_console_and_logged() {
    TokenOptions token = new TokenOptions()
        .setName("ann")
        .setToken("token-0123456789-0123456789-0123456789")
        .setExpiresAt(Instant.MAX);
    Clock broken = () -> {
      if (StackWalker.getInstance()
          .walk(frames -> frames.anyMatch(
              frame -> frame.getClassName().equals(AccessTokens.class.getName())))) {
        throw new IllegalArgumentException("the clock is broken");
      }
      return Instant.EPOCH;
    };
    try (ConsoleFixture odd =
        new ConsoleFixture(new ConsoleOptions().setTokens(List.of(token)), broken)) {
      Map<String, String> shown =
          Map.of("authorization", "Bearer token-0123456789-0123456789-0123456789");
      List<String> lines = CapturedErrors.during(() -> {
        Answered answered = odd.send("GET", "/api/v1/session", null, shown);

        assertThat(answered.status()).isEqualTo(500);
        assertThat(answered.text()).doesNotContain("clock");
      });

      assertThat(lines).anyMatch(line -> line.contains("the clock is broken"));
    }
  }

  @Test
  void a_field_that_the_document_does_not_know_is_refused() {
    Answered refused = console.post(TRIGGER, new JsonObject().put("payloads", 1));

    assertThat(refused.status()).isEqualTo(400);
    assertThat(refused.error().getString("type")).isEqualTo("invalid_request_error");
  }

  @Test
  void a_malformed_body_is_refused() {
    for (String body :
        new String[] {"", "{", "[]", "null", "{\"payload\":1,\"payload\":2}", "{} {}"}) {
      assertThat(console.send("POST", TRIGGER, body, JSON).status()).as(body).isEqualTo(400);
    }
    assertThat(console
            .post("/api/v1/runs/x/cancel", new JsonObject().put("reason", ""))
            .error()
            .getString("param"))
        .isEqualTo("reason");
  }

  @Test
  void a_body_that_is_not_said_to_be_json_is_refused() {
    Answered refused = console.send("POST", TRIGGER, "{}", Map.of("content-type", "text/plain"));

    assertThat(refused.status()).isEqualTo(415);
  }

  @Test
  void a_body_that_is_too_large_is_refused_before_it_is_read() {
    String body = "{\"payload\":\"" + "x".repeat(64 << 10) + "\"}";

    Answered refused = console.send("POST", TRIGGER, body, JSON);

    assertThat(refused.status()).isEqualTo(413);
    assertThat(refused.error().getString("type")).isEqualTo("request_entity_too_large_error");
  }

  @Test
  void who_reads_is_told_to_ask_again_after_a_time_out_and_who_acts_is_not() {
    ConsoleOptions options = new ConsoleOptions().setRequestTimeout(Duration.ofSeconds(2));
    Silent storage = new Silent();
    try (ConsoleFixture other =
        new ConsoleFixture(vertx -> storage.lane(), options, Clock.system())) {
      String run = ConsoleFixture.await(other.runlane.triggerJson(
              "echo", "{}", new TriggerOptions().setDelay(Duration.ofHours(1))))
          .run()
          .id();

      Answered read = other.get("/api/v1/runs");
      Answered cancelled =
          other.post("/api/v1/runs/" + run + "/cancel", new JsonObject().put("reason", "r"));

      assertThat(read.status()).isEqualTo(503);
      assertThat(read.error().getString("code")).isEqualTo("operation_cancelled");
      assertThat(read.error().getBoolean("retryable")).isTrue();
      assertThat(read.header("retry-after")).isEqualTo("1");
      assertThat(cancelled.status()).isEqualTo(503);
      assertThat(cancelled.error().getString("code")).isEqualTo("operation_cancelled");
      assertThat(cancelled.error().containsKey("retryable")).isFalse();
      assertThat(cancelled.header("retry-after")).isEmpty();
      storage.gate.complete();
    }
  }

  @Test
  void a_console_that_is_closed_while_it_starts_listens_to_nobody() {
    OperatorConsole hasty =
        OperatorConsole.create(console.vertx, console.runlane, new ConsoleOptions().setPort(0));

    Future<Integer> started = hasty.start();
    ConsoleFixture.await(hasty.close());

    assertThatThrownBy(() -> ConsoleFixture.await(started))
        .isInstanceOfSatisfying(RunlaneException.class, failure -> assertThat(failure.code())
            .isEqualTo(ErrorCode.OPERATION_CANCELLED));
  }

  @Test
  void a_console_whose_address_is_taken_goes_on_with_nothing() {
    Set<Object> timers = ConcurrentHashMap.newKeySet();
    Vertx counted = (Vertx) Proxy.newProxyInstance(
        Vertx.class.getClassLoader(),
        new Class<?>[] {VertxInternal.class},
        (proxy, method, arguments) -> {
          Object answer = method.invoke(console.vertx, arguments);
          if (method.getName().equals("setTimer")) {
            timers.add(answer);
          } else if (method.getName().equals("cancelTimer")) {
            timers.remove(arguments[0]);
          }
          return answer;
        });
    OperatorConsole second = OperatorConsole.create(
        counted, console.runlane, new ConsoleOptions().setPort(console.port));

    assertThatThrownBy(() -> ConsoleFixture.await(second.start()))
        .isInstanceOfSatisfying(RunlaneException.class, failure -> assertThat(failure.code())
            .isEqualTo(ErrorCode.CONFIGURATION_INVALID));

    assertThat(timers).isEmpty();
  }

  @Test
  void an_unknown_route_and_method_are_told_in_the_envelope() {
    assertThat(console.get("/api/v1/nothing").error().getString("type"))
        .isEqualTo("not_found_error");
    Answered method = console.send("DELETE", "/api/v1/runs", null, Map.of());
    assertThat(method.status()).isEqualTo(405);
    assertThat(method.header("allow")).isEqualTo("GET");
    assertThat(console.get("/nothing").status()).isEqualTo(404);
  }

  @Test
  void every_answer_says_to_the_second_when_its_request_was_begun() {
    Instant before = Instant.now().truncatedTo(ChronoUnit.SECONDS);

    for (String path : List.of("/api/v1/session", "/api/v1/nothing")) {
      String date = console.get(path).header("date");

      assertThat(DateTimeFormatter.RFC_1123_DATE_TIME.parse(date, Instant::from))
          .as(path)
          .isBetween(before, Instant.now());
    }
  }

  @Test
  void every_answer_tells_browsers_to_load_and_keep_nothing() {
    for (String path : new String[] {"/api/v1/runs", "/api/v1/nothing"}) {
      Answered answered = console.get(path);

      assertThat(answered.header("content-security-policy"))
          .contains("default-src 'none'", "frame-ancestors 'none'", "form-action 'none'")
          .doesNotContain("unsafe-inline");
      assertThat(answered.header("x-content-type-options")).isEqualTo("nosniff");
      assertThat(answered.header("x-frame-options")).isEqualTo("DENY");
      assertThat(answered.header("referrer-policy")).isEqualTo("no-referrer");
      assertThat(answered.header("cross-origin-opener-policy")).isEqualTo("same-origin");
      assertThat(answered.header("cross-origin-resource-policy")).isEqualTo("same-origin");
      assertThat(answered.header("cache-control")).isEqualTo("no-store");
      assertThat(answered.header("strict-transport-security")).isEmpty();
    }
  }

  @Test
  void connections_that_were_closed_leave_room_for_others() {
    try (ConsoleFixture narrow = new ConsoleFixture(new ConsoleOptions().setMaxConnections(2))) {
      for (int client = 0; client < 5; client++) {
        assertThat(Poll.until(ConsoleFixture.LONGEST, () -> isAnswered(narrow.port)))
            .as("client %d", client)
            .isTrue();
      }
    }
  }

  private static boolean isAnswered(int port) {
    try (Socket socket = new Socket("127.0.0.1", port)) {
      socket.setSoTimeout((int) ConsoleFixture.LONGEST.toMillis());
      socket
          .getOutputStream()
          .write("GET /api/v1/session HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
              .getBytes(StandardCharsets.US_ASCII));
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
          .startsWith("HTTP/1.1 200");
    } catch (IOException refused) {
      return false; // the one before it is not gone yet
    }
  }

  /** Lists no runs and stores no cancellation until it is told to. */
  private static final class Silent extends HeldCancellations {
    @Override
    public Future<Page<RunSummary>> listRuns(ListRuns query) {
      return gate.future().compose(open -> super.listRuns(query));
    }
  }
}
