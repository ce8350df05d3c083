package dev.runlane.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.runlane.console.ConsoleFixture.Answered;
import dev.runlane.operator.action.OperatorAction;
import dev.runlane.operator.task.RuntimeTask;
import dev.runlane.operator.task.TaskKey;
import dev.runlane.operator.task.TriggerRules;
import dev.runlane.run.IdempotencyTtl;
import dev.runlane.run.Json;
import dev.runlane.runtime.host.RunlaneOptions;
import dev.runlane.storage.ForwardingStorageAdapter;
import dev.runlane.storage.memory.MemoryLane;
import dev.runlane.storage.memory.MemoryStorage;
import dev.runlane.storage.read.ListRuns;
import dev.runlane.storage.read.Page;
import dev.runlane.storage.read.RunSummary;
import dev.runlane.timing.Clock;
import io.vertx.core.Future;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
class RunRoutesTest {
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
  void the_document_is_served_as_it_is_used() {
    Answered document = console.get("/api/openapi.json");

    assertThat(document.status()).isEqualTo(200);
    assertThat(document.json().getString("openapi")).startsWith("3.1");
    assertThat(document.json().getJsonObject("paths").fieldNames()).contains("/api/v1/runs");
  }

  @Test
  void on_the_loopback_address_a_console_without_tokens_takes_everybody_as_admin() {
    JsonObject session = console.get("/api/v1/session").json();

    assertThat(session.getString("role")).isEqualTo("admin");
    assertThat(session.getString("environment")).isEqualTo(ConsoleFixture.ENVIRONMENT);
  }

  @Test
  void a_triggered_run_ends_and_tells_its_output() {
    Answered made = console.send(
        "POST",
        "/api/v1/tasks/echo/trigger",
        "{\"payload\":{\"n\":12345678901234567890.10,\"t\":\"\ud83d\ude00 50%\"}}",
        Map.of("content-type", "application/json"));

    JsonObject run = console.ended(made.json().getJsonObject("run").getString("id"));

    assertThat(run.getString("status")).isEqualTo("succeeded");
    assertThat(run.getJsonObject("output").getString("t")).isEqualTo("\ud83d\ude00 50%");
    assertThat(console.get("/api/v1/runs/" + run.getString("id")).text())
        .contains("12345678901234567890.10");
  }

  @Test
  void a_list_is_filtered_and_goes_on_with_its_cursor() {
    List<String> made = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      made.add(triggerWithKey("list-" + i, "pages"));
    }
    made.forEach(console::ended);
    List<String> listed = new ArrayList<>();
    String path =
        "/api/v1/runs?concurrencyKey=pages&status=succeeded&status=failed&limit=2&direction=asc";
    String cursor = "";
    int pages = 0;
    do {
      JsonObject page = console.get(path + cursor).json();
      page.getJsonArray("data").forEach(run -> listed.add(((JsonObject) run).getString("id")));
      cursor = page.containsKey("nextCursor") ? "&cursor=" + page.getString("nextCursor") : "";
      pages++;
    } while (!cursor.isEmpty());

    assertThat(listed).containsExactlyElementsOf(made);
    assertThat(pages).isEqualTo(3);
  }

  @Test
  void a_cursor_of_another_list_is_refused() {
    for (int i = 0; i < 2; i++) {
      triggerWithKey("foreign-" + i, "foreign");
    }
    String cursor =
        console.get("/api/v1/runs?concurrencyKey=foreign&limit=1").json().getString("nextCursor");

    Answered refused = console.get("/api/v1/runs?concurrencyKey=other&cursor=" + cursor);

    assertThat(refused.status()).isEqualTo(400);
    assertThat(refused.error().getString("code")).isEqualTo("validation_failed");
  }

  @Test
  void values_of_the_query_are_decoded_once() {
    for (String key : List.of(
        "100%", "50%25", "1.5", "a+b c&d=e", "\"quoted\"", "%", "\u00e4\ud83d\ude00", "007")) {
      String id = triggerWithKey("decoded " + key, key);

      JsonArray found = console
          .get("/api/v1/runs?concurrencyKey=" + URLEncoder.encode(key, StandardCharsets.UTF_8))
          .json()
          .getJsonArray("data");

      assertThat(found).as(key).hasSize(1);
      assertThat(found.getJsonObject(0).getString("id")).isEqualTo(id);
    }
  }

  @Test
  void ids_of_the_path_are_decoded_once() {
    String id = "order/7 100%25";
    JsonObject made = console
        .post(
            "/api/v1/tasks/echo/trigger",
            new JsonObject().put("runId", id).put("payload", new JsonObject()))
        .json();

    assertThat(made.getJsonObject("run").getString("id")).isEqualTo(id);
    assertThat(console.get("/api/v1/runs/order%2F7%20100%2525").json().getString("id"))
        .isEqualTo(id);
  }

  @Test
  void a_page_of_csv_has_its_cursor_in_a_header_and_no_formula() {
    triggerWithKey("csv-1", "=1+1");
    triggerWithKey("csv-2", "=1+1");

    Answered csv = console.get("/api/v1/runs?concurrencyKey=%3D1%2B1&limit=1&format=csv");

    assertThat(csv.header("content-type")).startsWith("text/csv");
    assertThat(csv.header("x-next-cursor")).isNotEmpty();
    assertThat(csv.text()).startsWith("id,taskId,queue").contains("\"'=1+1\"");
  }

  @Test
  void a_page_of_csv_says_in_a_header_that_runs_are_missing() {
    ForwardingStorageAdapter cut = new ForwardingStorageAdapter(new MemoryStorage()) {
      @Override
      public Future<Page<RunSummary>> listRuns(ListRuns query) {
        return super.listRuns(query).map(page -> new Page<>(page.data(), null, true));
      }
    };
    try (ConsoleFixture other = new ConsoleFixture(
        vertx -> ConsoleFixture.lane(cut), new ConsoleOptions(), Clock.system())) {
      assertThat(other.get("/api/v1/runs").json().getBoolean("isCut")).isTrue();
      assertThat(other.get("/api/v1/runs?format=csv").header("x-is-cut")).isEqualTo("true");
    }
    assertThat(console.get("/api/v1/runs?format=csv").header("x-is-cut")).isEmpty();
  }

  @Test
  void a_history_is_paged_and_downloaded_as_a_whole() {
    String id = console.trigger("echo", new JsonObject());
    console.ended(id);

    JsonObject file = console.get("/api/v1/runs/" + id + "/history").json();
    JsonObject page =
        console.get("/api/v1/runs/" + id + "/events?limit=2&direction=desc").json();

    assertThat(types(file.getJsonArray("events")))
        .startsWith("run.created")
        .endsWith("run.succeeded");
    assertThat(types(page.getJsonArray("data"))).hasSize(2).startsWith("run.succeeded");
    assertThat(page.getString("nextCursor")).isNotEmpty();
    assertThat(file.getJsonObject("run").getString("id")).isEqualTo(id);
    assertThat(console.get("/api/v1/runs/" + id + "/events?format=csv").text())
        .startsWith("sequence,");
    assertThat(console.get("/api/v1/runs/" + id + "/attempts").json().getJsonArray("data"))
        .hasSize(1);
  }

  @Test
  void a_page_of_a_history_ends_once_it_has_a_few_mebibytes_whatever_its_limit() {
    int half = 500_000;
    String id =
        console.trigger("steps", new JsonObject().put("steps", 20).put("output", "x".repeat(half)));
    ConsoleFixture.await(console.runlane.awaitRun(id, ConsoleFixture.LONGEST));
    String events = "/api/v1/runs/" + id + "/events?limit=200";
    List<Object> listed = new ArrayList<>();
    String cursor = "";
    while (cursor != null) {
      JsonObject page = console.get(events + cursor).json();
      assertThat(page.encode().length()).isLessThan(4 * 1_048_576 + 2 * half);
      page.getJsonArray("data").forEach(listed::add);
      String next = page.getString("nextCursor");
      cursor = next == null ? null : "&cursor=" + next;
    }

    JsonArray file = console.get("/api/v1/runs/" + id + "/history").json().getJsonArray("events");
    assertThat(file.encode().length()).isGreaterThan(20 * half);
    assertThat(new JsonArray(listed)).isEqualTo(file);
  }

  @Test
  void a_history_is_listed_without_its_heartbeats_where_that_is_asked_for() {
    try (ConsoleFixture renewing = new ConsoleFixture(
        vertx -> MemoryLane.create(),
        new ConsoleOptions(),
        Clock.system(),
        new RunlaneOptions().setLeaseDuration(Duration.ofMillis(900)))) {
      String events = "/api/v1/runs/" + renewing.trigger("gated", new JsonObject()) + "/events";
      List<String> all;
      Instant until = Instant.now().plusSeconds(30);
      do {
        all = types(renewing.get(events).json().getJsonArray("data"));
      } while (!all.contains("run.lease_heartbeat") && Instant.now().isBefore(until));

      assertThat(all).contains("run.lease_heartbeat");
      assertThat(types(renewing.get(events + "?heartbeats=false").json().getJsonArray("data")))
          .startsWith("run.created")
          .contains("run.started")
          .doesNotContain("run.lease_heartbeat");
      assertThat(types(renewing.get(events + "?heartbeats=true").json().getJsonArray("data")))
          .contains("run.lease_heartbeat");
      assertThat(renewing.get(events + "?heartbeats=no").status()).isEqualTo(400);
    }
  }

  @Test
  void who_reads_a_running_run_does_not_learn_the_token_of_its_lease() {
    String id = console.trigger("gated", new JsonObject());
    Answered run;
    do {
      run = console.get("/api/v1/runs/" + id);
    } while (!run.json().getString("status").equals("running"));

    assertThat(run.json().getJsonObject("lease").fieldNames())
        .containsExactlyInAnyOrder("workerId", "expiresAt");
    assertThat(console.get("/api/v1/runs/" + id + "/history").text()).doesNotContain("tok_");
    assertThat(console.get("/api/v1/runs/" + id + "/explanation").text())
        .contains("leased")
        .doesNotContain("tok_");
    console.post("/api/v1/runs/" + id + "/cancel", reason("enough"));
  }

  @Test
  void cancelling_records_who_did_it_and_why() {
    String id = later();

    Answered cancelled = console.post("/api/v1/runs/" + id + "/cancel", reason("ordered twice"));

    assertThat(cancelled.json().getString("status")).isEqualTo("cancelled");
    JsonArray events = console
        .get("/api/v1/runs/" + id + "/events?direction=desc&limit=1")
        .json()
        .getJsonArray("data");
    assertThat(events.getJsonObject(0).getString("reason")).isEqualTo("ordered twice");
    assertThat(events.getJsonObject(0).getJsonObject("actor").getString("id")).isEqualTo("local");
    Answered again = console.post("/api/v1/runs/" + id + "/cancel", reason("again"));
    assertThat(again.status()).isEqualTo(400);
  }

  @Test
  void what_is_done_stands_in_the_log_of_actions_with_who_why_and_what_came_of_it() {
    String id = later();
    console.post("/api/v1/runs/" + id + "/cancel", reason("for the log"));
    console.post("/api/v1/runs/" + id + "/cancel", reason("for the log, again"));

    List<OperatorAction> actions =
        ConsoleFixture.await(console.runlane.operator().actions(200, null)).data();

    assertThat(actions)
        .filteredOn(action -> id.equals(action.target()))
        .extracting(OperatorAction::action, OperatorAction::reason, OperatorAction::succeeded)
        .containsExactlyInAnyOrder(
            tuple("run.cancel", "for the log", true),
            tuple("run.cancel", "for the log, again", false));
    assertThat(actions)
        .anySatisfy(action -> assertThat(action.result()).isEqualTo("created " + id))
        .allSatisfy(action -> assertThat(action.actor().id()).isEqualTo("local"));
  }

  @Test
  void a_failed_run_is_retried_and_run_again_with_another_payload() {
    String id = console.trigger("fails", new JsonObject().put("n", 1));
    assertThat(console.ended(id).getString("status")).isEqualTo("failed");

    JsonObject retried =
        console.post("/api/v1/runs/" + id + "/retry", reason("mended")).json();
    Answered rerun = console.post(
        "/api/v1/runs/" + id + "/rerun",
        reason("edited").put("payload", new JsonObject().put("n", 2)));

    assertThat(retried.getJsonObject("run").getJsonObject("source").getString("type"))
        .isEqualTo("manual_retry");
    assertThat(rerun.status()).isEqualTo(201);
    JsonObject run = rerun.json().getJsonObject("run");
    assertThat(run.getJsonObject("payload").getInteger("n")).isEqualTo(2);
    assertThat(run.getJsonObject("source").getString("sourceRunId")).isEqualTo(id);
    assertThat(console.get("/api/v1/runs/" + id).json().getJsonObject("payload").getInteger("n"))
        .isEqualTo(1);
  }

  @Test
  void a_payload_that_breaks_the_schema_of_its_task_is_refused() {
    JsonObject schema = console.get("/api/v1/tasks/checked").json().getJsonObject("payloadSchema");
    Answered refused = console.post(
        "/api/v1/tasks/checked/trigger", new JsonObject().put("payload", new JsonObject()));

    assertThat(schema.getJsonArray("required")).contains("name");
    assertThat(refused.status()).isEqualTo(400);
    assertThat(refused.error().getString("code")).isEqualTo("validation_failed");
  }

  @Test
  void a_task_of_another_process_is_told_and_triggered_by_what_that_one_said() {
    console.publish(new RuntimeTask(
        "foreign",
        "mail",
        true,
        "com.example.Foreign",
        Json.ofChecked("{\"type\":\"object\",\"required\":[\"name\"]}"),
        List.of(TaskKey.SINGLETON)));
    JsonObject named = new JsonObject().put("payload", new JsonObject().put("name", "x"));
    String path = "/api/v1/tasks/foreign/trigger";

    JsonObject task = console.get("/api/v1/tasks/foreign").json();
    assertThat(task.getBoolean("isLocal")).isFalse();
    assertThat(task.getJsonArray("keys")).containsExactly("singletonKey");
    assertThat(task.getString("publishedBy")).isEqualTo("elsewhere");
    assertThat(task.getJsonObject("payloadSchema").getJsonArray("required")).contains("name");
    assertThat(console.get("/api/v1/tasks").json().getJsonArray("data").stream()
            .map(each -> ((JsonObject) each).getString("id")))
        .contains("echo", "foreign");
    assertThat(console.post(path, named).error().getString("message")).contains("singletonKey");
    assertThat(console
            .post(
                path, new JsonObject().put("payload", new JsonObject()).put("singletonKey", "one"))
            .error()
            .getString("message"))
        .contains("required");
    Answered made = console.post(path, named.copy().put("singletonKey", "one"));
    assertThat(made.status()).isEqualTo(201);
    assertThat(made.json().getJsonObject("run").getString("queue")).isEqualTo("mail");
    assertThat(console.post(path, named.copy().put("withoutKeys", true)).status())
        .isEqualTo(201);
    assertThat(console.post("/api/v1/tasks/foreign/run-now", named).status()).isEqualTo(404);
    assertThat(console
            .post("/api/v1/tasks/echo/trigger", named.copy().put("withoutKeys", true))
            .error()
            .getString("param"))
        .isEqualTo("withoutKeys");
  }

  @Test
  void a_key_of_another_processs_task_is_kept_as_that_one_said_or_as_the_caller_says() {
    console.publish(new RuntimeTask(
        "billed",
        "mail",
        true,
        "com.example.Bill",
        null,
        List.of(TaskKey.IDEMPOTENCY),
        new TriggerRules(IdempotencyTtl.of(Duration.ofHours(2)), true, List.of())));
    String path = "/api/v1/tasks/billed/trigger";
    JsonObject body = new JsonObject().put("payload", 1).put("idempotencyKey", "bill-1");

    JsonObject task = console.get("/api/v1/tasks/billed").json();
    assertThat(task.getString("idempotencyTtl")).isEqualTo("2h");
    assertThat(task.getBoolean("refusesOtherPayload")).isTrue();
    assertThat(console.get("/api/v1/tasks/echo").json().getString("idempotencyTtl"))
        .isEqualTo("30d");
    String id = console.post(path, body).json().getJsonObject("run").getString("id");
    assertThat(ttl(id)).isEqualTo(IdempotencyTtl.of(Duration.ofHours(2)));
    Answered other = console.post(path, body.copy().put("payload", 2));
    assertThat(other.status()).isEqualTo(400);
    assertThat(other.error().getString("message")).contains("which has another payload");
    String brief = console
        .post(path, body.copy().put("idempotencyKey", "bill-2").put("idempotencyTtl", "active"))
        .json()
        .getJsonObject("run")
        .getString("id");
    assertThat(ttl(brief)).isEqualTo(IdempotencyTtl.ACTIVE);
  }

  @Test
  void tags_that_the_code_of_another_processs_task_makes_are_given_or_left_out_on_purpose() {
    console.publish(new RuntimeTask(
        "tagged",
        "mail",
        true,
        "com.example.Tagged",
        null,
        List.of(),
        new TriggerRules(null, false, List.of("customer"))));
    String path = "/api/v1/tasks/tagged/trigger";
    JsonObject body = new JsonObject().put("payload", 1);

    assertThat(console.get("/api/v1/tasks/tagged").json().getJsonArray("tags"))
        .containsExactly("customer");
    Answered refused = console.post(path, body);
    assertThat(refused.status()).isEqualTo(400);
    assertThat(refused.error().getString("code")).isEqualTo("validation_failed");
    assertThat(refused.error().getString("message")).endsWith("give tag customer");
    assertThat(console.post(path, body.copy().put("withoutKeys", true)).status())
        .isEqualTo(400);
    JsonObject tags = new JsonObject().put("customer", "anna");
    String tagged = console
        .post(path, body.copy().put("tags", tags))
        .json()
        .getJsonObject("run")
        .getString("id");
    assertThat(console.get("/api/v1/runs/" + tagged).json().getJsonObject("tags"))
        .isEqualTo(tags);
    assertThat(console.post(path, body.copy().put("withoutTags", true)).status())
        .isEqualTo(201);
    assertThat(console
            .post(
                "/api/v1/tasks/echo/trigger",
                new JsonObject().put("payload", new JsonObject()).put("withoutTags", true))
            .error()
            .getString("param"))
        .isEqualTo("withoutTags");
  }

  private static IdempotencyTtl ttl(String runId) {
    return ConsoleFixture.await(console.runlane.runs().get(runId))
        .orElseThrow()
        .keys()
        .idempotencyTtl();
  }

  @Test
  void a_key_of_an_ended_run_is_freed_with_a_reason_and_the_run_that_had_it_is_told() {
    String path = "/api/v1/tasks/echo/reset-key";
    JsonObject freed = new JsonObject().put("idempotencyKey", "kept-1").put("reason", "wrong");
    JsonObject body =
        new JsonObject().put("payload", new JsonObject()).put("idempotencyKey", "kept-1");
    String owner = console
        .post("/api/v1/tasks/echo/trigger", body)
        .json()
        .getJsonObject("run")
        .getString("id");
    ConsoleFixture.await(console.runlane.awaitRun(owner, ConsoleFixture.LONGEST));

    assertThat(console.post(path, freed.copy().putNull("reason")).status()).isEqualTo(400);
    assertThat(console.post(path, freed).json())
        .isEqualTo(new JsonObject().put("wasHeld", true).put("runId", owner));
    assertThat(console.post(path, freed).json()).isEqualTo(new JsonObject().put("wasHeld", false));
    assertThat(console
            .post("/api/v1/tasks/echo/trigger", body.copy().put("delay", "1h"))
            .status())
        .isEqualTo(201);
    Answered active = console.post(path, freed);
    assertThat(active.status()).isEqualTo(409);
    assertThat(active.error().getString("conflict_kind")).isEqualTo("idempotency_key");
    assertThat(console.get("/api/v1/actions").json().getJsonArray("data").stream()
            .map(JsonObject.class::cast)
            .filter(each -> each.getString("action").equals("idempotency_key.reset"))
            .map(each -> each.getString("target") + " " + each.getString("reason") + " "
                + each.getString("result")))
        .contains("echo/kept-1 wrong taken from run " + owner, "echo/kept-1 wrong was free");
  }

  @Test
  void a_key_that_is_owned_answers_with_its_owner() {
    JsonObject body =
        new JsonObject().put("payload", new JsonObject()).put("idempotencyKey", "order-1");

    Answered first = console.post("/api/v1/tasks/echo/trigger", body);
    Answered second = console.post("/api/v1/tasks/echo/trigger", body);

    assertThat(first.status()).isEqualTo(201);
    assertThat(second.status()).isEqualTo(200);
    assertThat(second.json().getString("outcome")).isEqualTo("idempotent_existing");
    assertThat(second.json().getJsonObject("run").getString("id"))
        .isEqualTo(first.json().getJsonObject("run").getString("id"));
  }

  @Test
  void a_run_now_is_answered_with_what_its_attempt_made_of_it() {
    Answered made = console.post(
        "/api/v1/tasks/echo/run-now",
        new JsonObject().put("payload", new JsonObject().put("x", 1)).put("reason", "try it"));

    assertThat(made.status()).isEqualTo(201);
    JsonObject run = made.json().getJsonObject("run");
    assertThat(run.getString("status")).isEqualTo("succeeded");
    assertThat(run.getJsonObject("meta").getString("reason")).isEqualTo("try it");
  }

  @Test
  void what_does_not_exist_is_told_with_its_own_code() {
    assertThat(console.get("/api/v1/runs/none").error().getString("code"))
        .isEqualTo("run_not_found");
    assertThat(console.get("/api/v1/runs/none/history").status()).isEqualTo(404);
    assertThat(console.get("/api/v1/runs/none/explanation").status()).isEqualTo(404);
    assertThat(console.post("/api/v1/runs/none/cancel", reason("x")).status()).isEqualTo(404);
    assertThat(console.get("/api/v1/tasks/none").error().getString("code"))
        .isEqualTo("task_not_found");
  }

  @Test
  void tasks_and_queues_are_told() {
    assertThat(console.get("/api/v1/tasks").json().getJsonArray("data"))
        .hasSizeGreaterThanOrEqualTo(5);
    assertThat(console.get("/api/v1/queues").text()).contains("\"concurrencyLimit\":1");
  }

  private static String later() {
    return console
        .post(
            "/api/v1/tasks/echo/trigger",
            new JsonObject().put("payload", new JsonObject()).put("delay", "1h"))
        .json()
        .getJsonObject("run")
        .getString("id");
  }

  private static String triggerWithKey(String name, String key) {
    Answered made = console.post(
        "/api/v1/tasks/echo/trigger",
        new JsonObject()
            .put("payload", new JsonObject().put("name", name))
            .put("concurrencyKey", key));
    assertThat(made.status()).isEqualTo(201);
    return made.json().getJsonObject("run").getString("id");
  }

  private static JsonObject reason(String why) {
    return new JsonObject().put("reason", why);
  }

  private static List<String> types(JsonArray events) {
    return events.stream().map(event -> ((JsonObject) event).getString("type")).toList();
  }
}
