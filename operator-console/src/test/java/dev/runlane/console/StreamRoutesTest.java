package dev.runlane.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.console.EventReader.Event;
import dev.runlane.console.access.Role;
import dev.runlane.console.access.TokenOptions;
import dev.runlane.storage.memory.MemoryStorage;
import dev.runlane.timing.Clock;
import dev.runlane.timing.Ids;
import dev.runlane.timing.Randomness;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Promise;
import io.vertx.core.ThreadingModel;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
@DisplayNameGeneration(ReplaceUnderscores.class)
class StreamRoutesTest {
  private static final String CHANGES = "/api/v1/changes";

  private static ConsoleFixture console;

  @BeforeAll
  static void start() {
    console = new ConsoleFixture(new ConsoleOptions());
  }

  @AfterAll
  static void stop() {
    console.close();
  }

  @Test
  void a_run_is_told_from_its_creation_to_its_end_without_its_payload() {
    try (EventReader stream = console.stream(CHANGES, Map.of())) {
      String id = console.trigger("echo", new JsonObject().put("secret", "s3cret"));

      JsonObject created = stream.change(id, "run.created");
      stream.change(id, "run.started");
      JsonObject ended = stream.change(id, "run.succeeded");

      assertThat(created.getString("taskId")).isEqualTo("echo");
      assertThat(created.encode() + ended.encode()).doesNotContain("s3cret");
    }
  }

  @Test
  void a_stream_of_one_run_or_of_some_types_tells_nothing_else() {
    String watched = "the one that is watched";
    String address = CHANGES + "?type=run.failed&run=" + watched.replace(" ", "%20");
    try (EventReader stream = console.stream(address, Map.of())) {
      console.ended(console.trigger("fails", new JsonObject()));
      console.post(
          "/api/v1/tasks/fails/trigger",
          new JsonObject().put("runId", watched).put("payload", new JsonObject()));

      Event first = stream.next(event -> !event.name().isEmpty());

      assertThat(first.data().getString("runId")).isEqualTo(watched);
      assertThat(first.data().getString("type")).isEqualTo("run.failed");
    }
  }

  @Test
  void a_stream_goes_on_from_where_the_one_before_was() {
    String position;
    try (EventReader stream = console.stream(CHANGES, Map.of())) {
      stream.change(console.trigger("echo", new JsonObject()), "run.succeeded");
      position = stream.next(event -> !event.id().isEmpty()).id();
    }
    String missed = console.trigger("echo", new JsonObject());
    console.ended(missed);

    try (EventReader stream = console.stream(CHANGES, Map.of("Last-Event-ID", position))) {
      stream.change(missed, "run.created");
      stream.change(missed, "run.succeeded");
    }
  }

  @Test
  void who_was_away_for_too_long_is_told_that_changes_are_missing() {
    try (EventReader stream = console.stream(
        CHANGES,
        Map.of("Last-Event-ID", Instant.now().minus(Duration.ofHours(1)).toString()))) {
      assertThat(stream.next(event -> !event.name().isEmpty()).name()).isEqualTo("skipped");
    }
  }

  @Test
  void a_console_whose_clock_is_ahead_tells_what_happens_by_the_clock_of_the_storage() {
    Clock ahead = () -> Clock.system().now().plusSeconds(10);
    MemoryStorage storage =
        new MemoryStorage(new Ids(Clock.system(), Randomness.system()), Clock.system());
    Map<String, String> toCome =
        Map.of("Last-Event-ID", ahead.now().plusSeconds(60).toString());
    try (ConsoleFixture other =
            ConsoleFixture.ofMachine(vertx -> ConsoleFixture.lane(storage), ahead);
        EventReader now = other.stream(CHANGES, Map.of());
        EventReader later = other.stream(CHANGES, toCome)) {
      String id = other.trigger("echo", new JsonObject());

      assertThat(soon(now).getString("runId")).isEqualTo(id);
      assertThat(soon(later).getString("runId")).isEqualTo(id);
    }
  }

  /** The next change of a run, which comes before the second sign of life: there is one every 15 s. */
  private static JsonObject soon(EventReader stream) {
    int signs = 0;
    while (signs < 2) {
      Event event = stream.next();
      if (isRun(event)) {
        return event.data();
      }
      signs += event.id().isEmpty() ? 0 : 1;
    }
    throw new AssertionError("no change of a run was told");
  }

  @Test
  void what_is_no_position_is_refused() {
    for (String foreign :
        List.of("17", "2026-13-01T12:00:00Z", "eyJvIjoxfQ", "0000-12-31T23:59:59Z")) {
      assertThat(console
              .send("GET", CHANGES, null, Map.of("Last-Event-ID", foreign))
              .status())
          .as(foreign)
          .isEqualTo(400);
    }
  }

  @Test
  void a_position_at_the_beginning_of_time_is_refused_and_other_streams_go_on() {
    try (EventReader stream = console.stream(CHANGES, Map.of());
        EventReader early =
            console.stream(CHANGES, Map.of("Last-Event-ID", "0001-01-01T00:00:00Z"))) {
      assertThat(console
              .send("GET", CHANGES, null, Map.of("Last-Event-ID", Instant.MIN.toString()))
              .status())
          .isEqualTo(400);

      stream.change(console.trigger("echo", new JsonObject()), "run.succeeded");
      assertThat(early.next(event -> !event.name().isEmpty()).name()).isEqualTo("skipped");
    }
  }

  @Test
  void a_console_whose_verticle_is_gone_with_its_worker_pool_closes_all_the_same()
      throws Exception {
    OperatorConsole other =
        OperatorConsole.create(console.vertx, console.runlane, new ConsoleOptions().setPort(0));
    Promise<Integer> port = Promise.promise();
    String verticle = ConsoleFixture.await(console.vertx.deployVerticle(
        context -> other.start().onSuccess(port::complete),
        new DeploymentOptions()
            .setThreadingModel(ThreadingModel.WORKER)
            .setWorkerPoolName("its own")));
    URI changes = URI.create("http://127.0.0.1:" + ConsoleFixture.await(port.future()) + CHANGES);
    assertThat(HttpClient.newHttpClient()
            .send(HttpRequest.newBuilder(changes).build(), BodyHandlers.ofInputStream())
            .statusCode())
        .isEqualTo(200);

    ConsoleFixture.await(console.vertx.undeploy(verticle));

    ConsoleFixture.await(other.close());
  }

  @Test
  void the_progress_of_an_action_on_many_runs_is_told_up_to_its_end() {
    String ofFewRuns = CHANGES + "?type=run.created"; // which says nothing of such actions
    try (EventReader stream = console.stream(ofFewRuns, Map.of())) {
      String failed = console.trigger("fails", new JsonObject());
      console.ended(failed);
      JsonObject started = console
          .post(
              "/api/v1/bulk-actions",
              new JsonObject()
                  .put("action", "retry")
                  .put("reason", "it was fixed")
                  .put("filter", new JsonObject().put("task", new JsonArray().add("fails"))))
          .json();

      Event ended = stream.next(event -> event.name().equals("bulk-action")
          && event.data().getString("id").equals(started.getString("id"))
          && event.data().containsKey("endedAt"));

      assertThat(ended.data().getString("state")).isEqualTo("done");
    }
  }

  @Test
  void no_more_streams_are_open_than_allowed() {
    try (ConsoleFixture other = new ConsoleFixture(new ConsoleOptions().setMaxStreams(2));
        EventReader first = other.stream(CHANGES, Map.of());
        EventReader second = other.stream(CHANGES, Map.of())) {
      assertThat(first).isNotSameAs(second);
      assertThat(other.get(CHANGES).status()).isEqualTo(429);
    }
  }

  @Test
  void masked_values_are_masked_in_a_stream_too() {
    ConsoleOptions options = new ConsoleOptions()
        .setMaskedPaths(List.of("$.failure.message"))
        .setTokens(List.of(
            token("vera", Role.VIEWER), token("ada", Role.ADMIN), token("olga", Role.OPERATOR)));
    Map<String, String> viewer =
        Map.of("authorization", "Bearer vera-0123456789-0123456789-0123456789");
    Map<String, String> admin =
        Map.of("authorization", "Bearer ada-0123456789-0123456789-0123456789");
    try (ConsoleFixture other = new ConsoleFixture(options);
        EventReader masked = other.stream(CHANGES + "?type=run.failed", viewer);
        EventReader plain = other.stream(CHANGES + "?type=run.failed", admin)) {
      assertThat(other.get(CHANGES).status()).isEqualTo(401);
      other.send(
          "POST",
          "/api/v1/tasks/fails/trigger",
          "{\"payload\":{}}",
          Map.of(
              "authorization",
              "Bearer olga-0123456789-0123456789-0123456789",
              "content-type",
              "application/json"));

      assertThat(plain.next(StreamRoutesTest::isRun).data().encode()).contains("Task failed.");
      assertThat(masked.next(StreamRoutesTest::isRun).data().encode())
          .contains("[masked]")
          .doesNotContain("Task failed.");
    }
  }

  @Test
  void the_reason_and_the_actor_of_an_action_on_many_runs_are_masked_in_a_stream_too() {
    ConsoleOptions options = new ConsoleOptions()
        .setMaskedPaths(List.of("$.reason", "$.actor.id"))
        .setTokens(List.of(token("vera", Role.VIEWER), token("ada", Role.ADMIN)));
    Map<String, String> viewer =
        Map.of("authorization", "Bearer vera-0123456789-0123456789-0123456789");
    Map<String, String> admin = Map.of(
        "authorization",
        "Bearer ada-0123456789-0123456789-0123456789",
        "content-type",
        "application/json");
    try (ConsoleFixture other = new ConsoleFixture(options);
        EventReader masked = other.stream(CHANGES, viewer);
        EventReader plain = other.stream(CHANGES, admin)) {
      other.send(
          "POST",
          "/api/v1/bulk-actions",
          "{\"action\":\"retry\",\"reason\":\"of Mr Smith\",\"filter\":{}}",
          admin);

      JsonObject shown = plain.next(StreamRoutesTest::isAction).data();
      assertThat(shown.getString("reason")).isEqualTo("of Mr Smith");
      assertThat(shown.getString("actor")).isEqualTo("ada");
      JsonObject hidden = masked.next(StreamRoutesTest::isAction).data();
      assertThat(hidden.getString("reason")).isEqualTo("[masked]");
      assertThat(hidden.getString("actor")).isEqualTo("[masked]");
    }
  }

  @Test
  void a_stream_ends_with_its_token() {
    Instant[] now = {Instant.now()};
    Clock clock = () -> now[0];
    ConsoleOptions options = new ConsoleOptions()
        .setTokens(
            List.of(token("vera", Role.VIEWER).setExpiresAt(now[0].plus(Duration.ofMinutes(1)))));
    try (ConsoleFixture other = new ConsoleFixture(options, clock);
        EventReader stream = other.stream(
            CHANGES, Map.of("authorization", "Bearer vera-0123456789-0123456789-0123456789"))) {
      now[0] = now[0].plus(Duration.ofMinutes(2));

      while (!stream.isOver()) {
        // what was written before
      }
      assertThat(other
              .send(
                  "GET",
                  CHANGES,
                  null,
                  Map.of("authorization", "Bearer vera-0123456789-0123456789-0123456789"))
              .status())
          .isEqualTo(401);
    }
  }

  private static boolean isAction(Event event) {
    return event.name().equals("bulk-action");
  }

  private static boolean isRun(Event event) {
    return event.name().equals("run");
  }

  private static TokenOptions token(String name, Role role) {
    return new TokenOptions()
        .setName(name)
        .setRole(role)
        .setToken(name + "-0123456789-0123456789-0123456789");
  }
}
