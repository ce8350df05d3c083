package dev.runlane.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.console.ConsoleFixture.Answered;
import dev.runlane.console.access.Role;
import dev.runlane.console.access.TokenOptions;
import dev.runlane.runtime.task.TriggerOptions;
import dev.runlane.timing.Clock;
import io.vertx.core.Future;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
class BulkRoutesTest {
  private static final String BULK = "/api/v1/bulk-actions";

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
  void runs_of_a_filter_are_counted_by_a_dry_run_and_cancelled_in_the_background() {
    List<String> meant = List.of(later("many"), later("many"), later("many"));
    String other = later("other");
    JsonObject wanted = wanted("cancel", "many");

    JsonObject counted = console.post(BULK, wanted.copy().put("dryRun", true)).json();
    assertThat(counted.getInteger("count")).isEqualTo(3);
    assertThat(status(meant.get(0))).isEqualTo("scheduled");

    JsonObject ended = ended(console.post(BULK, wanted));

    assertThat(ended.getString("state")).isEqualTo("done");
    assertThat(ended.getInteger("done")).isEqualTo(3);
    assertThat(meant).allSatisfy(id -> assertThat(status(id)).isEqualTo("cancelled"));
    assertThat(status(other)).isEqualTo("scheduled");
    JsonArray actions = console.get("/api/v1/actions?limit=200").json().getJsonArray("data");
    assertThat(actions.stream().map(action -> (JsonObject) action)).anySatisfy(action -> {
      assertThat(action.getString("action")).isEqualTo("runs.bulk_cancel");
      assertThat(action.getString("target")).isEqualTo(ended.getString("id"));
      assertThat(action.getString("reason")).isEqualTo("a flood");
    });
    assertThat(console.get(BULK).text()).contains(ended.getString("id"));
  }

  @Test
  void runs_that_a_retry_makes_are_none_of_it() {
    List<String> failed = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      failed.add(console.trigger("fails", new JsonObject()));
    }
    failed.forEach(console::ended);
    JsonObject wanted = wanted("retry", null);
    wanted.getJsonObject("filter").put("task", new JsonArray().add("fails"));

    JsonObject ended = ended(console.post(BULK, wanted));

    assertThat(ended.getInteger("done")).isEqualTo(2);
  }

  /** A console whose clock is ahead of the one that stamps runs: its filter takes what the action makes. */
  @Test
  void runs_that_end_at_once_are_made_again_once_however_the_clocks_stand() {
    int runs = 250; // more than a page
    Clock ahead = () -> Clock.system().now().plusSeconds(60);
    try (ConsoleFixture other = new ConsoleFixture(new ConsoleOptions(), ahead)) {
      Stream.generate(() -> other.runlane.triggerJson("echo", "{}", new TriggerOptions()))
          .limit(runs)
          .toList()
          .forEach(each -> ConsoleFixture.await(each.compose(
              made -> other.runlane.awaitRun(made.run().id(), ConsoleFixture.LONGEST))));

      JsonObject ended =
          ended(other, other.post(BULK, wanted("rerun", null)).json().getString("id"));

      assertThat(ended.getInteger("done")).isEqualTo(runs);
      assertThat(ended.getBoolean("hasLeft")).isFalse();
      assertThat(Instant.parse(ended.getJsonObject("filter").getString("createdBefore")))
          .as("what another action with its filter ends with")
          .isBefore(Instant.now());
    }
  }

  @Test
  void runs_of_tags_are_changed_and_no_others_the_oldest_first() {
    String first = tagged("acme");
    String second = tagged("acme");
    String other = tagged("globex");
    JsonObject wanted = wanted("cancel", null).put("limit", 1);
    wanted.getJsonObject("filter").put("tag", new JsonArray().add("customer:acme"));

    int counted = console
        .post(BULK, wanted.copy().put("dryRun", true).put("limit", 9))
        .json()
        .getInteger("count");
    JsonObject ended = ended(console.post(BULK, wanted));

    assertThat(counted).isEqualTo(2);
    assertThat(ended.getInteger("done")).isEqualTo(1);
    assertThat(ended.getBoolean("hasLeft")).isTrue();
    assertThat(ended.getJsonObject("filter").getJsonArray("tag")).containsExactly("customer:acme");
    assertThat(List.of(status(first), status(second), status(other)))
        .containsExactly("cancelled", "scheduled", "scheduled");
  }

  @Test
  void runs_whose_failure_has_a_code_are_changed_and_no_others() {
    try (ConsoleFixture other = new ConsoleFixture(new ConsoleOptions())) {
      String code = other
          .ended(other.trigger("fails", new JsonObject()))
          .getJsonObject("failure")
          .getString("code");
      JsonObject wanted = wanted("rerun", null);
      JsonObject filter = wanted.getJsonObject("filter").put("errorCode", "task_not_found");

      JsonObject none = other.post(BULK, wanted.copy().put("dryRun", true)).json();
      filter.put("errorCode", code);
      JsonObject some = other.post(BULK, wanted.copy().put("dryRun", true)).json();
      JsonObject ended = ended(other, other.post(BULK, wanted).json().getString("id"));

      assertThat(none.getInteger("count")).isZero();
      assertThat(none.getBoolean("isCut")).isFalse();
      assertThat(some.getInteger("count")).isEqualTo(1);
      assertThat(ended.getInteger("done")).isEqualTo(1);
    }
  }

  private static String tagged(String customer) {
    return console
        .post(
            "/api/v1/tasks/echo/trigger",
            new JsonObject()
                .put("payload", new JsonObject())
                .put("delay", "1h")
                .put("tags", new JsonObject().put("customer", customer)))
        .json()
        .getJsonObject("run")
        .getString("id");
  }

  @Test
  void no_more_runs_than_the_limit_are_changed_and_statuses_it_cannot_change_are_left_out() {
    String first = later("limited");
    String second = later("limited");

    JsonObject ended = ended(console.post(BULK, wanted("cancel", "limited").put("limit", 1)));

    assertThat(ended.getInteger("done")).isEqualTo(1);
    assertThat(List.of(status(first), status(second)))
        .containsExactlyInAnyOrder("cancelled", "scheduled");
    JsonObject none = wanted("retry", "limited").put("dryRun", true);
    none.getJsonObject("filter").put("status", new JsonArray().add("scheduled"));
    assertThat(console.post(BULK, none).json().getInteger("count")).isZero();
  }

  @Test
  void an_action_with_the_time_of_its_dry_run_leaves_what_was_made_since() {
    String meant = later("counted");
    JsonObject counted =
        console.post(BULK, wanted("cancel", "counted").put("dryRun", true)).json();
    String since = later("counted");

    JsonObject wanted = wanted("cancel", "counted");
    wanted.getJsonObject("filter").put("createdBefore", counted.getString("createdBefore"));
    JsonObject ended = ended(console.post(BULK, wanted));

    assertThat(counted.getInteger("count")).isEqualTo(1);
    assertThat(ended.getInteger("done")).isEqualTo(1);
    assertThat(List.of(status(meant), status(since))).containsExactly("cancelled", "scheduled");
  }

  @Test
  void what_the_limit_leaves_is_done_by_an_action_that_goes_on_where_the_first_ended() {
    List<String> meant = List.of(later("parts"), later("parts"), later("parts"));

    JsonObject first = ended(console.post(BULK, wanted("cancel", "parts").put("limit", 2)));
    JsonObject rest = wanted("cancel", "parts");
    rest.getJsonObject("filter").put("createdFrom", first.getString("reachedCreatedAt"));
    JsonObject second = ended(console.post(BULK, rest));

    assertThat(first.getInteger("done")).isEqualTo(2);
    assertThat(second.getInteger("done")).isEqualTo(1);
    assertThat(second.getInteger("failed")).isZero();
    assertThat(second.containsKey("reachedCreatedAt")).isFalse();
    assertThat(meant).allSatisfy(id -> assertThat(status(id)).isEqualTo("cancelled"));
    assertThat(console.get("/api/v1/actions?limit=200").text())
        .contains("done; createdFrom " + first.getString("reachedCreatedAt") + " goes on");
  }

  @Test
  void an_action_is_stopped_before_its_next_run() {
    HeldCancellations storage = new HeldCancellations();
    try (ConsoleFixture other =
        new ConsoleFixture(vertx -> storage.lane(), new ConsoleOptions(), Clock.system())) {
      List<String> meant = List.of(later(other, "stopped"), later(other, "stopped"));
      String id = other.post(BULK, wanted("cancel", "stopped")).json().getString("id");
      other.post(BULK + "/" + id + "/cancel", new JsonObject().put("reason", "wrong filter"));

      storage.gate.complete();
      JsonObject ended = ended(other, id);

      assertThat(ended.getString("state")).isEqualTo("cancelled");
      assertThat(ended.getInteger("done")).isLessThanOrEqualTo(1);
      assertThat(status(other, meant.get(1))).isEqualTo("scheduled");
    }
  }

  @Test
  void what_a_console_that_is_closed_leaves_of_an_action_is_told_by_the_next_which_goes_on() {
    HeldCancellations storage = new HeldCancellations();
    try (ConsoleFixture first =
            new ConsoleFixture(vertx -> storage.lane(), new ConsoleOptions(), Clock.system());
        ConsoleFixture next =
            new ConsoleFixture(vertx -> storage.lane(), new ConsoleOptions(), Clock.system())) {
      List<String> meant = List.of(later(first, "left"), later(first, "left"));
      JsonObject begun = first.post(BULK, wanted("cancel", "left")).json();
      String id = begun.getString("id");
      assertThat(begun.getBoolean("isHere")).isTrue();
      JsonObject elsewhere = next.get(BULK + "/" + id).json();
      assertThat(elsewhere.getString("state")).isEqualTo("running");
      assertThat(elsewhere.getBoolean("isHere")).isFalse();

      Future<Void> closed = first.closeConsole();
      storage.gate.complete();
      ConsoleFixture.await(closed);

      JsonObject left = next.get(BULK).json().getJsonArray("data").getJsonObject(0);
      assertThat(left.getString("id")).isEqualTo(id);
      assertThat(left.getString("state")).isEqualTo("cancelled");
      assertThat(left.getInteger("done")).isLessThanOrEqualTo(1);
      assertThat(status(next, meant.get(1))).isEqualTo("scheduled");
      assertThat(next.get("/api/v1/actions").text())
          .contains("cancelled; createdFrom " + left.getString("reachedCreatedAt") + " goes on");
      Answered stop =
          next.post(BULK + "/" + id + "/cancel", new JsonObject().put("reason", "enough"));
      assertThat(stop.status()).isEqualTo(409);
      assertThat(stop.error().getString("code")).isEqualTo("bulk_action_elsewhere");

      JsonObject rest = wanted("cancel", null)
          .put(
              "filter",
              left.getJsonObject("filter").put("createdFrom", left.getString("reachedCreatedAt")));
      ended(next, next.post(BULK, rest).json().getString("id"));
      assertThat(meant).allSatisfy(run -> assertThat(status(next, run)).isEqualTo("cancelled"));
    }
  }

  @Test
  void
      an_action_of_which_nothing_was_told_for_long_is_unfinished_and_one_without_rest_is_not_told() {
    HeldCancellations storage = new HeldCancellations();
    Clock ahead = () -> Clock.system().now().plusSeconds(2 * 3_600);
    try (ConsoleFixture lost =
            new ConsoleFixture(vertx -> storage.lane(), new ConsoleOptions(), Clock.system());
        ConsoleFixture next =
            new ConsoleFixture(vertx -> storage.lane(), new ConsoleOptions(), ahead)) {
      later(lost, "lost");
      String id = lost.post(BULK, wanted("cancel", "lost")).json().getString("id");

      JsonObject told = next.get(BULK + "/" + id).json();
      assertThat(told.getString("state")).isEqualTo("unfinished");
      assertThat(told.getJsonObject("filter").getString("concurrencyKey")).isEqualTo("lost");
      assertThat(told.getJsonObject("filter").getString("createdBefore")).isNotNull();

      storage.gate.complete();
      ended(lost, id);
      ConsoleFixture.await(lost.closeConsole());
      assertThat(next.get(BULK).json().getJsonArray("data")).isEmpty();
    }
  }

  @Test
  void the_filter_of_an_action_is_not_told_to_who_may_not_see_what_it_asks_for() {
    ConsoleOptions options = new ConsoleOptions()
        .setMaskedPaths(List.of("$.concurrencyKey"))
        .setTokens(List.of(
            new TokenOptions()
                .setName("olga")
                .setToken("olga-0123456789-0123456789-0123456789")
                .setRole(Role.OPERATOR),
            new TokenOptions()
                .setName("cay")
                .setToken("cay-0123456789-0123456789-0123456789")
                .setRole(Role.ADMIN)));
    Map<String, String> olga =
        Map.of("authorization", "Bearer olga-0123456789-0123456789-0123456789");
    Map<String, String> cay = Map.of(
        "authorization",
        "Bearer cay-0123456789-0123456789-0123456789",
        "content-type",
        "application/json");
    try (ConsoleFixture other = new ConsoleFixture(options)) {
      other.send("POST", BULK, wanted("cancel", "smith").encode(), cay);

      assertThat(other.send("GET", BULK, null, olga).text())
          .contains("bulk_")
          .doesNotContain("smith");
      assertThat(other.send("GET", BULK, null, cay).text()).contains("smith");
    }
  }

  @Test
  void the_reason_of_an_action_is_masked_where_a_path_names_it() {
    String operator = "olga-0123456789-0123456789-0123456789";
    ConsoleOptions options = new ConsoleOptions()
        .setMaskedPaths(List.of("$.reason"))
        .setTokens(
            List.of(new TokenOptions().setName("olga").setToken(operator).setRole(Role.OPERATOR)));
    Map<String, String> olga =
        Map.of("authorization", "Bearer " + operator, "content-type", "application/json");
    try (ConsoleFixture other = new ConsoleFixture(options)) {
      Answered begun = other.send("POST", BULK, wanted("cancel", "masked").encode(), olga);
      String one = BULK + "/" + begun.json().getString("id");
      String stop = "{\"reason\":\"a flood too\"}";

      assertThat(List.of(
              begun.text(),
              other.send("GET", BULK, null, olga).text(),
              other.send("GET", one, null, olga).text(),
              other.send("POST", one + "/cancel", stop, olga).text()))
          .allSatisfy(text -> assertThat(text).contains("[masked]").doesNotContain("flood"));
    }
  }

  @Test
  void a_fifth_action_at_the_same_time_is_refused() {
    HeldCancellations storage = new HeldCancellations();
    try (ConsoleFixture other =
        new ConsoleFixture(vertx -> storage.lane(), new ConsoleOptions(), Clock.system())) {
      for (int i = 0; i < 4; i++) {
        later(other, "busy" + i);
        assertThat(other.post(BULK, wanted("cancel", "busy" + i)).status()).isEqualTo(202);
      }

      Answered fifth = other.post(BULK, wanted("cancel", "busy0"));

      assertThat(fifth.status()).isEqualTo(429);
      assertThat(fifth.error().getString("code")).isEqualTo("resource_limit");
      assertThat(other.post(BULK, wanted("cancel", "busy0").put("dryRun", true)).status())
          .isEqualTo(200);
      storage.gate.complete();
    }
  }

  private static JsonObject ended(Answered begun) {
    return ended(console, begun.json().getString("id"));
  }

  private static JsonObject ended(ConsoleFixture at, String id) {
    JsonObject action;
    do {
      action = at.get(BULK + "/" + id).json();
    } while (!action.containsKey("endedAt"));
    return action;
  }

  private static JsonObject wanted(String action, String key) {
    JsonObject filter = new JsonObject();
    if (key != null) {
      filter.put("concurrencyKey", key);
    }
    return new JsonObject().put("action", action).put("reason", "a flood").put("filter", filter);
  }

  private static String status(String id) {
    return status(console, id);
  }

  private static String status(ConsoleFixture at, String id) {
    return at.get("/api/v1/runs/" + id).json().getString("status");
  }

  private static String later(String key) {
    return later(console, key);
  }

  private static String later(ConsoleFixture at, String key) {
    return at.post(
            "/api/v1/tasks/echo/trigger",
            new JsonObject()
                .put("payload", new JsonObject())
                .put("delay", "1h")
                .put("concurrencyKey", key))
        .json()
        .getJsonObject("run")
        .getString("id");
  }
}
