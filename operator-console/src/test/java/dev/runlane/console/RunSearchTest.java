package dev.runlane.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.console.access.Role;
import dev.runlane.console.access.TokenOptions;
import dev.runlane.storage.ForwardingStorageAdapter;
import dev.runlane.storage.memory.MemoryStorage;
import dev.runlane.storage.read.ListRuns;
import dev.runlane.storage.read.Page;
import dev.runlane.storage.read.RunSummary;
import dev.runlane.timing.Clock;
import io.vertx.core.Future;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
class RunSearchTest {
  private static final String TRACE = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

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
  void a_text_of_the_failure_is_found_among_a_bounded_number_of_runs() {
    String failed = console.trigger("fails", new JsonObject());
    console.ended(failed);
    for (int number = 0; number < 3; number++) {
      console.ended(console.trigger("echo", new JsonObject()));
    }

    JsonObject found =
        console.get("/api/v1/run-search?failureText=TASK%20failed").json();

    assertThat(ids(found)).contains(failed);
    assertThat(found.getJsonObject("looked").getInteger("runs")).isGreaterThanOrEqualTo(4);
    assertThat(found.getJsonObject("looked").getBoolean("isCut")).isFalse();
    assertThat(ids(console.get("/api/v1/run-search?errorCode=task_failed").json()))
        .contains(failed);
    assertThat(ids(console.get("/api/v1/run-search?errorCode=task_fail").json()))
        .isEmpty();
    assertThat(
            ids(console.get("/api/v1/run-search?failureText=failed&task=echo").json()))
        .isEmpty();
  }

  @Test
  void who_may_not_see_a_failure_does_not_find_it_by_its_text() {
    String token = "viewer-0123456789-0123456789-0123456789";
    ConsoleOptions options = new ConsoleOptions()
        .setMaskedPaths(List.of("$.failure.message"))
        .setTokens(List.of(
            new TokenOptions().setName("vera").setRole(Role.VIEWER).setToken(token),
            new TokenOptions().setName("ada").setRole(Role.ADMIN).setToken(token + "-admin")));
    try (ConsoleFixture masked = new ConsoleFixture(options)) {
      String search = "/api/v1/run-search?failureText=task";
      Map<String, String> admin =
          Map.of("authorization", "Bearer " + token + "-admin", "content-type", "application/json");
      String run = masked
          .send("POST", "/api/v1/tasks/fails/trigger", "{\"payload\":{}}", admin)
          .json()
          .getJsonObject("run")
          .getString("id");
      ConsoleFixture.await(masked.runlane.awaitRun(run, ConsoleFixture.LONGEST));

      assertThat(ids(masked.send("GET", search, null, admin).json())).containsExactly(run);
      assertThat(ids(masked
              .send("GET", search, null, Map.of("authorization", "Bearer " + token))
              .json()))
          .isEmpty();
    }
  }

  @Test
  void each_status_is_counted() {
    JsonObject key =
        new JsonObject().put("payload", new JsonObject()).put("concurrencyKey", "counted");
    IntStream.range(0, 3).forEach(number -> console.ended(trigger("echo", key)));
    console.ended(trigger("fails", key));

    JsonObject counts = console.get("/api/v1/run-counts?concurrencyKey=counted").json();

    assertThat(counts.getInteger("atMost")).isEqualTo(1_000);
    assertThat(counts.getJsonObject("counts").getInteger("succeeded")).isEqualTo(3);
    assertThat(counts.getJsonObject("counts").getInteger("failed")).isEqualTo(1);
    assertThat(counts.getJsonObject("counts").getInteger("running")).isZero();
  }

  @Test
  void runs_that_have_to_do_with_one_are_told() {
    JsonObject traced = new JsonObject()
        .put("payload", new JsonObject())
        .put("concurrencyKey", "related")
        .put("traceCarrier", new JsonObject().put("traceparent", TRACE));
    String first = trigger("fails", traced);
    console.ended(first);
    String sameTrace = trigger("echo", new JsonObject(traced.encode()).put("concurrencyKey", "x"));
    String sameKey = trigger(
        "echo", new JsonObject().put("concurrencyKey", "related").put("payload", new JsonObject()));
    String retry = console
        .post("/api/v1/runs/" + first + "/retry", new JsonObject().put("reason", "once more"))
        .json()
        .getJsonObject("run")
        .getString("id");

    JsonArray related =
        console.get("/api/v1/runs/" + first + "/related").json().getJsonArray("data");

    assertThat(relation(related, retry)).isEqualTo("reruns");
    assertThat(relation(related, sameTrace)).isEqualTo("trace");
    assertThat(relation(related, sameKey)).isEqualTo("key");
    assertThat(relation(
            console.get("/api/v1/runs/" + retry + "/related").json().getJsonArray("data"), first))
        .isEqualTo("source");
    assertThat(console.get("/api/v1/runs/none/related").status()).isEqualTo(404);
  }

  @Test
  void a_trace_with_more_runs_than_are_told_is_said_to_be_cut() {
    JsonObject traced = new JsonObject()
        .put("payload", new JsonObject())
        .put("delay", "1h")
        .put("traceCarrier", new JsonObject().put("traceparent", TRACE.replace('4', '5')));
    List<String> ofTrace =
        IntStream.range(0, 25).mapToObj(number -> trigger("echo", traced)).toList();

    JsonObject related =
        console.get("/api/v1/runs/" + ofTrace.get(0) + "/related").json();

    assertThat(related.getJsonArray("data")).hasSize(20);
    assertThat(related.getBoolean("isCut")).isTrue();
    assertThat(related.getInteger("looked")).isGreaterThanOrEqualTo(ofTrace.size());
  }

  @Test
  void runs_of_a_key_are_told_that_stand_behind_pages_without_any() {
    for (int pages : List.of(1, 100)) {
      EmptyPages storage = new EmptyPages(pages);
      try (ConsoleFixture other = new ConsoleFixture(
          vertx -> ConsoleFixture.lane(storage), new ConsoleOptions(), Clock.system())) {
        List<String> ofKey = IntStream.range(0, 2)
            .mapToObj(number -> other
                .post(
                    "/api/v1/tasks/echo/trigger",
                    new JsonObject()
                        .put("payload", new JsonObject())
                        .put("delay", "1h")
                        .put("concurrencyKey", "few"))
                .json()
                .getJsonObject("run")
                .getString("id"))
            .toList();

        JsonObject related =
            other.get("/api/v1/runs/" + ofKey.get(0) + "/related").json();

        assertThat(relation(related.getJsonArray("data"), ofKey.get(1)))
            .isEqualTo(pages == 1 ? "key" : "none");
        assertThat(related.getBoolean("isCut")).isEqualTo(pages > 1);
      }
    }
  }

  private static String trigger(String task, JsonObject body) {
    return console
        .post("/api/v1/tasks/" + task + "/trigger", body)
        .json()
        .getJsonObject("run")
        .getString("id");
  }

  private static List<String> ids(JsonObject page) {
    return page.getJsonArray("data").stream()
        .map(run -> ((JsonObject) run).getString("id"))
        .toList();
  }

  private static String relation(JsonArray related, String run) {
    return related.stream()
        .map(JsonObject.class::cast)
        .filter(each -> each.getJsonObject("run").getString("id").equals(run))
        .map(each -> each.getString("relation"))
        .findFirst()
        .orElse("none");
  }

  /** Answers so many pages without a run before those of a key. */
  private static final class EmptyPages extends ForwardingStorageAdapter {
    private static final String EMPTY = "empty ";

    private final int pages;

    EmptyPages(int pages) {
      super(new MemoryStorage());
      this.pages = pages;
    }

    @Override
    public Future<Page<RunSummary>> listRuns(ListRuns query) {
      String cursor = query.cursor();
      int page = cursor == null ? 0 : Integer.parseInt(cursor.substring(EMPTY.length()));
      return query.filter().concurrencyKey() != null && page < pages
          ? Future.succeededFuture(new Page<>(List.of(), EMPTY + (page + 1)))
          : super.listRuns(
              new ListRuns(query.environment(), query.filter(), query.sort(), query.limit(), null));
    }
  }
}
