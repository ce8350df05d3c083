package dev.runlane.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.lane.Lane;
import dev.runlane.lane.Lanes;
import dev.runlane.operator.process.RuntimeProcess;
import dev.runlane.operator.process.SignOfLife;
import dev.runlane.storage.pg.PgStorageAdapter;
import dev.runlane.storage.pg.PgStorageOptions;
import dev.runlane.testinfra.postgres.PostgresAddress;
import dev.runlane.testinfra.postgres.PostgresServers;
import dev.runlane.timing.Clock;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.pgclient.PgConnectOptions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The same console over a real Postgres. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class PostgresConsoleTest {
  private static final PostgresAddress DATABASE =
      PostgresServers.shared().createDatabase("console");

  /** Of its own, for what pauses queues and cancels runs as it comes. */
  private static final PostgresAddress FUZZED =
      PostgresServers.shared().createDatabase("console_fuzzed");

  private static ConsoleFixture console;

  @BeforeAll
  static void start() {
    console = new ConsoleFixture(PostgresConsoleTest::lane, new ConsoleOptions(), Clock.system());
  }

  @AfterAll
  static void stop() {
    console.close();
  }

  private static Lane lane(Vertx vertx) {
    return lane(vertx, DATABASE);
  }

  private static Lane lane(Vertx vertx, PostgresAddress database) {
    PgStorageAdapter storage = PgStorageAdapter.create(
        vertx,
        new PgStorageOptions().setConnectOptions(PgConnectOptions.fromUri(database.toUri())));
    return Lanes.create(storage, storage.notifyTransport());
  }

  @Test
  void a_run_is_triggered_worked_on_and_its_history_read() {
    String id = console.trigger("echo", new JsonObject().put("t", "50% \ud83d\ude00"));

    JsonObject run = console.ended(id);

    assertThat(run.getString("status")).isEqualTo("succeeded");
    assertThat(run.getJsonObject("output").getString("t")).isEqualTo("50% \ud83d\ude00");
    JsonArray events = console.get("/api/v1/runs/" + id + "/history").json().getJsonArray("events");
    assertThat(events.stream().map(event -> ((JsonObject) event).getString("type")))
        .startsWith("run.created")
        .endsWith("run.succeeded");
    assertThat(console.get("/api/v1/actions").text()).contains("created " + id);
    assertThat(console.get("/api/v1/runs?status=succeeded").text()).contains(id);
  }

  @Test
  @Timeout(120)
  void what_another_process_commits_is_told_in_a_stream_of_this_one() {
    try (ConsoleFixture other =
            new ConsoleFixture(PostgresConsoleTest::lane, new ConsoleOptions(), Clock.system());
        EventReader stream = console.stream("/api/v1/changes", Map.of())) {
      String id = other.trigger("echo", new JsonObject());

      assertThat(stream.change(id, "run.created").getInteger("sequence")).isEqualTo(1);
      stream.change(id, "run.succeeded");
    }
  }

  @Test
  void a_process_whose_clock_is_ahead_is_listed_with_its_offset() {
    Instant ahead = Instant.now().plus(Duration.ofHours(1));
    RuntimeProcess process = new RuntimeProcess(
        "fast",
        "machine",
        "",
        List.of(),
        List.of(),
        List.of(),
        List.of(),
        1,
        0,
        Duration.ofSeconds(30),
        ahead);
    ConsoleFixture.await(console
        .runlane
        .lane()
        .storage()
        .operator()
        .orElseThrow()
        .signOfLife(new SignOfLife(console.runlane.environment(), process, ahead)));

    JsonObject listed = console.get("/api/v1/processes").json().getJsonArray("data").stream()
        .map(JsonObject.class::cast)
        .filter(each -> each.getString("id").equals("fast"))
        .findFirst()
        .orElseThrow();

    assertThat(listed.getLong("clockOffsetMillis")).isBetween(3_500_000L, 3_600_000L);
  }

  @Test
  void a_cursor_of_another_list_is_refused() {
    for (int i = 0; i < 2; i++) {
      console.ended(console.trigger("echo", new JsonObject()));
    }
    String cursor = console.get("/api/v1/actions?limit=1").json().getString("nextCursor");

    for (String list : List.of("runs", "processes", "outbox", "steps")) {
      assertThat(console.get("/api/v1/" + list + "?cursor=" + cursor).status())
          .as(list)
          .isEqualTo(400);
    }
  }

  @Test
  void whatever_is_asked_is_answered_as_the_document_says_and_is_no_fault_of_the_console() {
    long seed = Long.getLong("runlane.fuzz.seed", System.nanoTime());

    Set<Integer> wanted = Set.of(200, 400, 404);
    try (ConsoleFixture fuzzed =
        new ConsoleFixture(vertx -> lane(vertx, FUZZED), new ConsoleOptions(), Clock.system())) {
      Map<Integer, Integer> statuses =
          new RequestFuzzer(fuzzed, seed).run(Duration.ofSeconds(3), wanted);

      assertThat(statuses.keySet()).as("seed %d", seed).containsAll(wanted);
    }
  }
}
