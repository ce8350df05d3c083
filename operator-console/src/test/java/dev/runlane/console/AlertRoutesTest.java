package dev.runlane.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.console.ConsoleFixture.Answered;
import dev.runlane.operator.alert.AlertFinding;
import dev.runlane.operator.alert.ObserveAlerts;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Rules, alerts, saved filters and occupied slots over HTTP. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class AlertRoutesTest {
  private static final Instant NOON = Instant.parse("2026-05-01T12:00:00Z");
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
  void a_rule_is_made_changed_at_its_version_silenced_and_removed() {
    Answered made = put("/api/v1/alert-rules/late", rule("oldest_due", 60).put("version", 0));
    Answered again = put("/api/v1/alert-rules/late", rule("oldest_due", 90).put("version", 0));
    Answered changed = put(
        "/api/v1/alert-rules/late",
        rule("oldest_due", 90).put("version", 1).put("window", "5m").put("queue", "mail"));
    Answered silenced = console.post(
        "/api/v1/alert-rules/late/silence",
        new JsonObject().put("reason", "we know").put("until", "2999-01-01T00:00:00Z"));
    JsonObject listed = rules().getJsonObject(0);

    assertThat(made.json().getInteger("version")).isEqualTo(1);
    assertThat(again.status()).isEqualTo(409);
    assertThat(again.error().getString("code")).isEqualTo("version_conflict");
    assertThat(changed.json().getInteger("version")).isEqualTo(2);
    assertThat(silenced.json().getInteger("version")).isEqualTo(3);
    assertThat(listed.getDouble("threshold")).isEqualTo(90);
    assertThat(listed.getString("queue")).isEqualTo("mail");
    assertThat(listed.getString("silencedUntil")).isEqualTo("2999-01-01T00:00:00Z");
    assertThat(listed.getJsonArray("channels")).isEqualTo(new JsonArray().add("pager"));
    assertThat(listed.getJsonObject("actor").getString("id")).isEqualTo("local");
    assertThat(console.post("/api/v1/alert-rules/late/remove", reason()).json())
        .isEqualTo(new JsonObject().put("removed", true));
    assertThat(rules()).isEmpty();
    assertThat(console.get("/api/v1/actions").text())
        .contains(
            "alert_rule.put",
            "version 2",
            "was changed meanwhile",
            "alert_rule.silence",
            "silent until 2999-01-01T00:00:00Z",
            "alert_rule.remove",
            "we know")
        .doesNotContain("Optional");
  }

  @Test
  void a_rule_is_silenced_for_a_time_by_the_servers_clock() {
    put("/api/v1/alert-rules/night", rule("oldest_due", 60));
    assertThat(rules().getJsonObject(0).getBoolean("isSilent")).isFalse();
    Instant before = Instant.now();

    assertThat(console
            .post("/api/v1/alert-rules/night/silence", reason().put("for", "8h"))
            .json()
            .getInteger("version"))
        .isEqualTo(2);

    assertThat(rules().getJsonObject(0).getBoolean("isSilent")).isTrue();
    assertThat(Instant.parse(rules().getJsonObject(0).getString("silencedUntil")))
        .isBetween(before.plusSeconds(8 * 3_600), Instant.now().plusSeconds(8 * 3_600));
    for (JsonObject malformed : List.of(
        reason().put("for", "-1h"),
        reason().put("for", "0s"),
        reason().put("for", "366d"),
        reason().put("for", "1h").put("until", "2999-01-01T00:00:00Z"))) {
      assertThat(console.post("/api/v1/alert-rules/night/silence", malformed).status())
          .as(malformed.encode())
          .isEqualTo(400);
    }
    console.post("/api/v1/alert-rules/night/silence", reason());
    assertThat(rules().getJsonObject(0).getBoolean("isSilent")).isFalse();
    console.post("/api/v1/alert-rules/night/remove", reason());
  }

  @Test
  void a_test_of_a_channel_is_an_alert_still_to_be_told_over_it_alone() {
    Answered sent = console.post("/api/v1/alert-channels/pager/test", reason());
    String id = sent.json().getString("alertId");

    assertThat(sent.status()).isEqualTo(200);
    JsonObject alert = console.get("/api/v1/alerts").json().getJsonArray("data").stream()
        .map(JsonObject.class::cast)
        .filter(each -> each.getString("id").equals(id))
        .findFirst()
        .orElseThrow();
    assertThat(alert.getString("text")).contains("a test of channel pager");
    assertThat(alert.encode()).contains("pager");
    assertThat(console.get("/api/v1/actions").text()).contains("alert_channel.test");
    assertThat(
            console.post("/api/v1/alert-channels/pager/test", new JsonObject()).status())
        .as("without a reason")
        .isEqualTo(400);
    assertThat(console.post("/api/v1/alert-channels/a:b/test", reason()).status())
        .isEqualTo(400);
  }

  @Test
  void what_is_no_rule_is_refused() {
    for (JsonObject malformed : List.of(
        rule("failure_rate", 1.5),
        rule("nonsense", 1),
        rule("oldest_due", 0),
        rule("oldest_due", 1).put("window", "1s"),
        rule("oldest_due", 1).put("window", "soon"),
        rule("oldest_due", 1).put("queue", "a:b"),
        rule("oldest_due", 1).put("silencedUntil", "2026-99-01T00:00:00Z"))) {
      assertThat(put("/api/v1/alert-rules/bad", malformed).status())
          .as(malformed.encode())
          .isEqualTo(400);
    }
    assertThat(console.post("/api/v1/alert-rules/missing/silence", reason()).status())
        .isEqualTo(404);
  }

  @Test
  void alerts_are_listed_by_rule_and_state_and_as_csv() {
    observe("rule_a", NOON, new AlertFinding("alert_1", "mail", "mail is late"));
    observe("rule_b", NOON.plusSeconds(1), new AlertFinding("alert_2", "orders", "orders is late"));
    observe("rule_a", NOON.plusSeconds(2));

    assertThat(ids("/api/v1/alerts?rule=rule_a")).containsExactly("alert_1");
    assertThat(ids("/api/v1/alerts?state=open")).contains("alert_2").doesNotContain("alert_1");
    assertThat(ids("/api/v1/alerts?state=resolved")).contains("alert_1").doesNotContain("alert_2");
    assertThat(console.get("/api/v1/alerts?format=csv").text())
        .contains("\"alert_2\",\"rule_b\",\"orders\",\"orders is late\",\"open\"");
  }

  @Test
  void a_filter_is_kept_for_all_and_removed() {
    Answered kept = put(
        "/api/v1/saved-filters/failed-today",
        new JsonObject().put("view", "runs").put("title", "Failed").put("query", "status=failed"));
    JsonObject listed =
        console.get("/api/v1/saved-filters").json().getJsonArray("data").getJsonObject(0);

    assertThat(kept.json().getInteger("version")).isEqualTo(1);
    assertThat(listed.getString("query")).isEqualTo("status=failed");
    assertThat(listed.getString("view")).isEqualTo("runs");
    assertThat(
            console.post("/api/v1/saved-filters/failed-today/remove", reason()).json())
        .isEqualTo(new JsonObject().put("removed", true));
    assertThat(console.get("/api/v1/saved-filters").json().getJsonArray("data")).isEmpty();
  }

  @Test
  @Timeout(120)
  void the_keys_that_hold_the_slots_of_a_queue_are_told() {
    JsonObject body = new JsonObject()
        .put("payload", new JsonObject())
        .put("queue", "bounded")
        .put("concurrencyKey", "acme");
    assertThat(console.post("/api/v1/tasks/gated/trigger", body).status()).isEqualTo(201);
    JsonObject occupied = occupied();
    while (occupied.getJsonArray("data").isEmpty()) { // until a worker has claimed it
      occupied = occupied();
    }

    assertThat(occupied)
        .isEqualTo(new JsonObject()
            .put("concurrencyLimit", 1)
            .put(
                "data",
                new JsonArray()
                    .add(new JsonObject().put("concurrencyKey", "acme").put("occupied", 1))));
  }

  private static JsonObject occupied() {
    return console.get("/api/v1/queues/bounded/occupied").json();
  }

  private static JsonObject rule(String kind, double threshold) {
    return new JsonObject()
        .put("reason", "to be told")
        .put("kind", kind)
        .put("threshold", threshold)
        .put("channels", new JsonArray().add("pager"));
  }

  private static JsonObject reason() {
    return new JsonObject().put("reason", "it is over");
  }

  private static Answered put(String path, JsonObject body) {
    return console.send("PUT", path, body.encode(), Map.of("content-type", "application/json"));
  }

  private static JsonArray rules() {
    return console.get("/api/v1/alert-rules").json().getJsonArray("data");
  }

  private static List<String> ids(String path) {
    return console.get(path).json().getJsonArray("data").stream()
        .map(each -> ((JsonObject) each).getString("id"))
        .toList();
  }

  private static void observe(String ruleId, Instant now, AlertFinding... findings) {
    ConsoleFixture.await(console
        .runlane
        .lane()
        .storage()
        .operator()
        .orElseThrow()
        .observeAlerts(new ObserveAlerts(
            console.runlane.environment(), ruleId, List.of(findings), List.of(), now)));
  }
}
