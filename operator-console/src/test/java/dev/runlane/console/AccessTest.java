package dev.runlane.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.runlane.console.ConsoleFixture.Answered;
import dev.runlane.console.access.Masks;
import dev.runlane.console.access.Role;
import dev.runlane.console.access.TokenOptions;
import dev.runlane.operator.depth.TakeSample;
import dev.runlane.operator.task.RuntimeTask;
import dev.runlane.operator.task.TriggerRules;
import dev.runlane.operator.throughput.AddThroughput;
import dev.runlane.operator.throughput.Latencies;
import dev.runlane.operator.throughput.ThroughputBucket;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.task.RunActionOptions;
import dev.runlane.testinfra.process.CapturedErrors;
import dev.runlane.testinfra.process.Poll;
import io.vertx.core.Future;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.openapi.contract.Operation;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
@DisplayNameGeneration(ReplaceUnderscores.class)
class AccessTest {
  private static final Instant NOW = Instant.parse("2026-05-01T12:00:00Z");
  private static final String VIEWER = "viewer-0123456789-0123456789-0123456789";
  private static final String OPERATOR = "operator-0123456789-0123456789-0123456789";
  private static final String ADMIN = "admin-0123456789-0123456789-0123456789";
  private static final String EXPIRED = "expired-0123456789-0123456789-0123456789";
  private static final String STAGING = "staging-0123456789-0123456789-0123456789";

  private static final Map<String, String> OLGA =
      Map.of("authorization", "Bearer " + OPERATOR, "content-type", "application/json");
  private static final Map<String, String> CAY =
      Map.of("authorization", "Bearer " + ADMIN, "content-type", "application/json");

  private static ConsoleFixture console;

  @BeforeAll
  static void start() {
    console = new ConsoleFixture(
        new ConsoleOptions()
            .setMaxFailedLogins(1_000)
            .setMaskedPaths(List.of("$..card.number", "$..iban"))
            .setTokens(List.of(
                token("ann", VIEWER, Role.VIEWER),
                token("ben", OPERATOR, Role.OPERATOR),
                token("cay", ADMIN, Role.ADMIN),
                token("dan", EXPIRED, Role.ADMIN).setExpiresAt(NOW),
                token("eve", STAGING, Role.ADMIN).setEnvironment("staging"))),
        () -> NOW);
  }

  @AfterAll
  static void stop() {
    console.close();
  }

  @Test
  void beyond_the_loopback_address_no_console_is_made_without_tokens() {
    assertThatThrownBy(() -> OperatorConsole.create(
            console.vertx, console.runlane, new ConsoleOptions().setHost("0.0.0.0")))
        .isInstanceOfSatisfying(RunlaneException.class, failure -> assertThat(failure.code())
            .isEqualTo(ErrorCode.CONFIGURATION_INVALID));
  }

  @Test
  void a_public_url_that_is_more_than_an_origin_is_no_configuration() {
    for (String url : List.of(
        "https://runs.example.com/console",
        "https://runs.example.com/?a=b",
        "https://runs.example.com/#a",
        "https://ann@runs.example.com",
        "ftp://runs.example.com",
        "runs.example.com")) {
      assertThatThrownBy(() -> new ConsoleOptions().setPublicUrl(url))
          .as(url)
          .isInstanceOfSatisfying(RunlaneException.class, failure -> assertThat(failure.code())
              .isEqualTo(ErrorCode.CONFIGURATION_INVALID));
    }
  }

  @Test
  void a_public_url_with_the_port_that_its_scheme_has_anyway_is_the_origin_that_browsers_send() {
    ConsoleOptions options = new ConsoleOptions().setPublicUrl("https://runs.example.com:443/");
    try (ConsoleFixture other = new ConsoleFixture(options)) {
      Answered answered = other.send(
          "POST",
          "/api/v1/tasks/echo/trigger",
          "{\"payload\":{}}",
          Map.of("origin", "https://runs.example.com", "content-type", "application/json"));

      assertThat(answered.status()).isEqualTo(201);
    }
    assertThat(new ConsoleOptions().setPublicUrl("http://[::1]:8080").getPublicUrl())
        .hasValue("http://[::1]:8080");
  }

  @Test
  void a_console_without_tokens_behind_a_proxy_says_that_the_proxy_makes_admins() {
    ConsoleOptions open = new ConsoleOptions().setPort(0).setPublicUrl("https://runs.example.com");
    ConsoleOptions known =
        new ConsoleOptions(open).setTokens(List.of(token("cay", ADMIN, Role.ADMIN)));

    assertThat(startedWith(open))
        .anyMatch(line -> line.contains("WARN")
            && line.contains("whoever is let through by the proxy at https://runs.example.com"));
    assertThat(startedWith(known)).noneMatch(line -> line.contains("proxy"));
    assertThat(startedWith(new ConsoleOptions(open).setPublicUrl("http://localhost")))
        .noneMatch(line -> line.contains("proxy"));
  }

  private static List<String> startedWith(ConsoleOptions options) {
    OperatorConsole other = OperatorConsole.create(console.vertx, console.runlane, options);
    return CapturedErrors.during(
        () -> ConsoleFixture.await(other.start().compose(port -> other.close())));
  }

  @Test
  void a_token_that_is_short_or_lacks_its_name_is_no_configuration() {
    assertThatThrownBy(() -> new TokenOptions().setToken("short"))
        .isInstanceOf(RunlaneException.class);
    assertThatThrownBy(() -> OperatorConsole.create(
            console.vertx,
            console.runlane,
            new ConsoleOptions().setTokens(List.of(new TokenOptions().setToken(ADMIN)))))
        .isInstanceOf(RunlaneException.class);
    assertThat(new ConsoleOptions()
            .setTokens(List.of(token("x", ADMIN, Role.ADMIN)))
            .toString())
        .doesNotContain(ADMIN);
  }

  @Test
  void every_route_refuses_who_shows_no_token_an_expired_or_an_unknown_one() {
    for (Operation operation : console.contract().operations()) {
      for (String shown :
          new String[] {"", "Bearer " + EXPIRED, "Bearer nobody", "Basic " + ADMIN}) {
        Answered refused = ask(operation, shown);

        assertThat(refused.status()).as(operation.getOperationId() + shown).isEqualTo(401);
        assertThat(refused.error().getString("type")).isEqualTo("authentication_error");
        assertThat(refused.header("www-authenticate")).startsWith("Bearer");
      }
    }
  }

  @Test
  void every_route_refuses_a_token_of_another_environment() {
    for (Operation operation : console.contract().operations()) {
      Answered refused = ask(operation, "Bearer " + STAGING);

      assertThat(refused.status()).as(operation.getOperationId()).isEqualTo(403);
      assertThat(refused.error().getString("code")).isEqualTo("other_environment");
    }
  }

  @Test
  void every_route_that_acts_refuses_a_viewer() {
    for (Operation operation : console.contract().operations()) {
      boolean reads = operation.getHttpMethod().equals(HttpMethod.GET);
      Answered answered = ask(operation, "Bearer " + VIEWER);

      if (reads) {
        assertThat(answered.status()).as(operation.getOperationId()).isIn(200, 404);
      } else {
        assertThat(answered.status()).as(operation.getOperationId()).isEqualTo(403);
        assertThat(answered.error().getString("code")).isEqualTo("role_missing");
      }
    }
  }

  @Test
  void an_action_is_recorded_under_the_name_of_its_token() {
    String id = trigger(OPERATOR, new JsonObject().put("delay", "1h"));

    Answered cancelled =
        as(OPERATOR, "POST", "/api/v1/runs/" + id + "/cancel", "{\"reason\":\"r\"}");

    assertThat(cancelled.status()).isEqualTo(200);
    assertThat(as(VIEWER, "GET", "/api/v1/runs/" + id + "/history", null).text())
        .contains("\"id\":\"ben\"");
  }

  @Test
  void what_is_refused_and_would_have_changed_something_is_logged() {
    List<String> lines = CapturedErrors.during(() -> {
      as(VIEWER, "POST", "/api/v1/runs/r1/cancel", "{\"reason\":\"r\"}");
      as("nobody", "POST", "/api/v1/runs/r2/cancel", "{\"reason\":\"r\"}");
      as("nobody", "GET", "/api/v1/runs/r3", null);
    });

    assertThat(lines)
        .anyMatch(
            line -> line.contains("POST /api/v1/runs/r1/cancel refused as role_missing to ann"))
        .anyMatch(line ->
            line.contains("POST /api/v1/runs/r2/cancel refused as unauthorized to nobody known"))
        .noneMatch(line -> line.contains("/runs/r3"));
  }

  @Test
  void what_is_done_is_one_line_of_the_log_whatever_stands_in_the_path() {
    List<String> lines = CapturedErrors.during(() -> as(
        OPERATOR,
        "POST",
        "/api/v1/runs/a%0Ab%C2%85c%E2%80%A8d%E2%80%A9e/cancel",
        "{\"reason\":\"r\\u0085\\u2028s\"}"));

    assertThat(lines).anyMatch(line -> line.contains("cancelRun [a b c d e] failed"));
    assertThat(String.join("", lines)).doesNotContain("\u0085", "\u2028", "\u2029");
  }

  @Test
  void reasons_of_actions_and_of_paused_queues_are_masked_where_a_path_names_them() {
    String operator = "olga-0123456789-0123456789-0123456789";
    ConsoleOptions options = new ConsoleOptions()
        .setMaskedPaths(List.of("$.reason"))
        .setTokens(List.of(token("olga", operator, Role.OPERATOR)));
    Map<String, String> olga =
        Map.of("authorization", "Bearer " + operator, "content-type", "application/json");
    try (ConsoleFixture other = new ConsoleFixture(options)) {
      other.send("POST", "/api/v1/queues/mail/pause", "{\"reason\":\"of Mr Smith\"}", olga);

      for (String path : List.of("actions", "actions?format=csv", "paused-queues")) {
        assertThat(other.send("GET", "/api/v1/" + path, null, olga).text())
            .as(path)
            .contains("[masked]")
            .doesNotContain("Smith");
      }
    }
  }

  @Test
  void an_explanation_hides_a_failure_that_was_masked_when_the_next_attempt_runs_and_has_ended() {
    String operator = "olga-0123456789-0123456789-0123456789";
    ConsoleOptions options = new ConsoleOptions()
        .setMaskedPaths(List.of("$.failure.message", "$.reason"))
        .setTokens(List.of(token("olga", operator, Role.OPERATOR)));
    Map<String, String> olga =
        Map.of("authorization", "Bearer " + operator, "content-type", "application/json");
    try (ConsoleFixture other = new ConsoleFixture(options)) {
      String id = trigger(other, olga, "recovers", new JsonObject());
      while (!other
          .send("GET", "/api/v1/runs/" + id, null, olga)
          .text()
          .contains("\"attempts\":2")) {
        // the first attempt fails
      }
      String explanation = "/api/v1/runs/" + id + "/explanation";
      String running = other.send("GET", explanation, null, olga).text();
      other.gate.complete();
      ConsoleFixture.await(other.runlane.awaitRun(id, ConsoleFixture.LONGEST));

      for (String told :
          List.of(running, other.send("GET", explanation, null, olga).text())) {
        assertThat(told).contains("last_failure", "[masked]").doesNotContain("card", "4711 was");
      }
    }
  }

  @Test
  void an_explanation_hides_why_a_queue_was_paused_where_reasons_are_masked() {
    String operator = "olga-0123456789-0123456789-0123456789";
    ConsoleOptions options = new ConsoleOptions()
        .setMaskedPaths(List.of("$.reason"))
        .setTokens(List.of(token("olga", operator, Role.OPERATOR)));
    Map<String, String> olga =
        Map.of("authorization", "Bearer " + operator, "content-type", "application/json");
    try (ConsoleFixture other = new ConsoleFixture(options)) {
      other.send("POST", "/api/v1/queues/mail/pause", "{\"reason\":\"of Mr Smith\"}", olga);
      String id = trigger(other, olga, "echo", new JsonObject());

      assertThat(other
              .send("GET", "/api/v1/runs/" + id + "/explanation", null, olga)
              .text())
          .contains("queue_paused", "[masked]")
          .doesNotContain("Smith");
    }
  }

  @Test
  void who_may_not_see_a_key_or_a_tag_does_not_guess_it_by_a_filter() {
    ConsoleOptions options = new ConsoleOptions()
        .setMaskedPaths(List.of(
            "$.concurrencyKey", "$.idempotencyKey", "$.singletonKey", "$.tags", "$.failure"))
        .setTokens(
            List.of(token("olga", OPERATOR, Role.OPERATOR), token("cay", ADMIN, Role.ADMIN)));
    Map<String, String> olga =
        Map.of("authorization", "Bearer " + OPERATOR, "content-type", "application/json");
    Map<String, String> cay =
        Map.of("authorization", "Bearer " + ADMIN, "content-type", "application/json");
    try (ConsoleFixture other = new ConsoleFixture(options)) {
      for (String filter : List.of(
          "runs?concurrencyKey=smith",
          "runs?idempotencyKey=smith",
          "runs?singletonKey=smith",
          "runs?tag=customer:smith",
          "run-counts?concurrencyKey=smith",
          "run-search?failureText=x&tag=customer:smith",
          "run-search?failureText=x&concurrencyKey=smith")) {
        Answered refused = other.send("GET", "/api/v1/" + filter, null, olga);
        assertThat(refused.status()).as(filter).isEqualTo(403);
        assertThat(refused.error().getString("code")).isEqualTo("filter_masked");
        assertThat(other.send("GET", "/api/v1/" + filter, null, cay).status())
            .as(filter)
            .isEqualTo(200);
      }
      String bulk = "{\"action\":\"cancel\",\"reason\":\"r\",\"dryRun\":true,"
          + "\"filter\":{\"concurrencyKey\":\"smith\"}}";
      assertThat(other.send("POST", "/api/v1/bulk-actions", bulk, olga).status())
          .isEqualTo(403);
      assertThat(other.send("POST", "/api/v1/bulk-actions", bulk, cay).status()).isEqualTo(200);
      for (String hidden :
          List.of("\"tag\":[\"customer:smith\"]", "\"errorCode\":\"task_failed\"")) {
        String guess =
            "{\"action\":\"cancel\",\"reason\":\"r\",\"dryRun\":true,\"filter\":{" + hidden + "}}";
        assertThat(other.send("POST", "/api/v1/bulk-actions", guess, olga).status())
            .isEqualTo(403);
        assertThat(other.send("POST", "/api/v1/bulk-actions", guess, cay).status())
            .isEqualTo(200);
      }
      String reset = "/api/v1/tasks/echo/reset-key";
      String key = "{\"idempotencyKey\":\"smith\",\"reason\":\"r\"}";
      assertThat(other.send("POST", reset, key, olga).error().getString("code"))
          .isEqualTo("filter_masked");
      assertThat(other.send("POST", reset, key, cay).status()).isEqualTo(200);
      assertThat(other.send("GET", "/api/v1/actions", null, olga).text())
          .contains("idempotency_key.reset")
          .doesNotContain("smith");
      assertThat(other.send("GET", "/api/v1/actions", null, cay).text()).contains("echo/smith");
      for (String named : List.of("", "&action=idempotency_key.reset")) {
        String guess = "/api/v1/actions?target=echo/smith" + named;
        assertThat(other.send("GET", guess, null, olga).error().getString("code"))
            .isEqualTo("filter_masked");
        assertThat(other.send("GET", guess, null, cay).text()).contains("echo/smith");
      }
      assertThat(other
              .send("GET", "/api/v1/actions?target=mail&action=queue.pause", null, olga)
              .status())
          .isEqualTo(200);
      assertThat(other.send("GET", "/api/v1/runs?task=echo", null, olga).status())
          .isEqualTo(200);
    }
  }

  @Test
  void who_may_not_see_a_key_is_not_told_which_other_runs_have_it() {
    try (ConsoleFixture other = maskedConsole("$.concurrencyKey", "$.singletonKey")) {
      String smith = "{\"payload\":{},\"queue\":\"bounded\",\"concurrencyKey\":\"smith\"}";
      String first = other
          .send("POST", "/api/v1/tasks/gated/trigger", smith, CAY)
          .json()
          .getJsonObject("run")
          .getString("id");
      assertThat(Poll.until(ConsoleFixture.LONGEST, () -> other
              .send("GET", "/api/v1/runs/" + first, null, CAY)
              .json()
              .getString("status")
              .equals("running")))
          .as("it has the slot")
          .isTrue();
      String guess = other
          .send("POST", "/api/v1/tasks/echo/trigger", smith, OLGA)
          .json()
          .getJsonObject("run")
          .getString("id");
      String explanation = "/api/v1/runs/" + guess + "/explanation";
      assertThat(Poll.until(
              ConsoleFixture.LONGEST,
              () -> other.send("GET", explanation, null, CAY).text().contains("partition_full")))
          .isTrue();

      assertThat(other.send("GET", explanation, null, CAY).text()).contains(first);
      assertThat(other.send("GET", explanation, null, OLGA).text())
          .contains("partition_full", "[masked]")
          .doesNotContain(first);
      String related = "/api/v1/runs/" + guess + "/related";
      assertThat(other.send("GET", related, null, CAY).text())
          .contains("\"relation\":\"key\"", first);
      assertThat(other.send("GET", related, null, OLGA).json().getJsonArray("data"))
          .isEmpty();
    }
  }

  @Test
  void the_log_of_actions_hides_the_names_of_filters_where_filters_may_be_hidden() {
    String filter = "{\"view\":\"runs\",\"title\":\"late\",\"query\":\"concurrencyKey=smith\"}";
    for (String path : List.of("$.concurrencyKey", "$..customer", "$.failure.code")) {
      try (ConsoleFixture other = maskedConsole(path)) {
        other.send("PUT", "/api/v1/saved-filters/smith", filter, CAY);
        other.send("POST", "/api/v1/saved-filters/smith/remove", "{\"reason\":\"r\"}", CAY);

        assertThat(other.send("GET", "/api/v1/actions", null, OLGA).text())
            .as(path)
            .contains("saved_filter.put", "saved_filter.remove", "[masked]")
            .doesNotContain("smith");
        assertThat(other.send("GET", "/api/v1/actions?format=csv", null, OLGA).text())
            .as(path)
            .doesNotContain("smith");
        for (String named :
            List.of("", "&action=saved_filter.put", "&action=saved_filter.remove")) {
          assertFilterMasked(other, "/api/v1/actions?target=smith" + named, "smith");
        }
      }
    }
    try (ConsoleFixture other = maskedConsole("$.payload.card", "$..card.number")) {
      other.send("PUT", "/api/v1/saved-filters/smith", filter, CAY);

      assertThat(other.send("GET", "/api/v1/actions?target=smith", null, OLGA).text())
          .as("what no filter can ask for")
          .contains("\"target\":\"smith\"");
    }
  }

  @Test
  void the_log_of_actions_hides_the_names_of_jobs_where_those_are_hidden() {
    try (ConsoleFixture other = maskedConsole("$.name")) {
      String pause = "/api/v1/job-queues/mails/pause";
      other.send("POST", pause, "{\"name\":\"smith\",\"reason\":\"r\"}", CAY);
      other.send("POST", pause, "{\"reason\":\"r\"}", CAY);
      ConsoleFixture.await(other
          .runlane
          .operator()
          .recorded(
              "job_queue.resume", // as the command line does
              "mails/smith",
              RunActionOptions.by("cay"),
              () -> Future.succeededFuture("done")));

      assertThat(other.send("GET", "/api/v1/actions", null, CAY).text())
          .contains("\"result\":\"jobs named smith\"", "\"target\":\"mails/smith\"");
      assertThat(other.send("GET", "/api/v1/actions", null, OLGA).text())
          .contains("job_queue.pause", "job_queue.resume", "\"target\":\"mails\"", "[masked]")
          .doesNotContain("smith");
      for (String named : List.of("", "&action=job_queue.resume")) {
        assertFilterMasked(other, "/api/v1/actions?target=mails/smith" + named, "smith");
      }
      assertThat(other
              .send("GET", "/api/v1/actions?target=mails&action=job_queue.pause", null, OLGA)
              .status())
          .isEqualTo(200);
    }
  }

  @Test
  void who_began_actions_on_many_runs_and_tests_of_channels_is_hidden_where_actors_are() {
    try (ConsoleFixture other = maskedConsole("$.actor.id")) {
      String bulk = "/api/v1/bulk-actions";
      String begun = other
          .send("POST", bulk, "{\"action\":\"cancel\",\"reason\":\"r\",\"filter\":{}}", CAY)
          .json()
          .getString("id");
      other.send("POST", "/api/v1/alert-channels/pager/test", "{\"reason\":\"r\"}", CAY);

      for (String path : List.of(bulk, bulk + "/" + begun, "/api/v1/alerts", "/api/v1/actions")) {
        assertThat(other.send("GET", path, null, CAY).text()).as(path).contains("cayenne");
        assertThat(other.send("GET", path, null, OLGA).text())
            .as(path)
            .contains("[masked]")
            .doesNotContain("cayenne");
      }
    }
  }

  /** A console that hides these from the operator olga, and nothing from the admin cayenne. */
  private static ConsoleFixture maskedConsole(String... paths) {
    return new ConsoleFixture(new ConsoleOptions()
        .setMaskedPaths(List.of(paths))
        .setTokens(
            List.of(token("olga", OPERATOR, Role.OPERATOR), token("cayenne", ADMIN, Role.ADMIN))));
  }

  private static void assertFilterMasked(ConsoleFixture at, String path, String found) {
    assertThat(at.send("GET", path, null, OLGA).error().getString("code"))
        .as(path)
        .isEqualTo("filter_masked");
    assertThat(at.send("GET", path, null, CAY).text()).as(path).contains(found);
  }

  @Test
  void who_may_not_see_the_names_of_jobs_does_not_guess_them_by_a_filter() {
    ConsoleOptions options = new ConsoleOptions()
        .setMaskedPaths(List.of("$.name", "$.state"))
        .setTokens(
            List.of(token("olga", OPERATOR, Role.OPERATOR), token("cay", ADMIN, Role.ADMIN)));
    Map<String, String> olga = Map.of("authorization", "Bearer " + OPERATOR);
    Map<String, String> cay = Map.of("authorization", "Bearer " + ADMIN);
    try (ConsoleFixture other = new ConsoleFixture(options)) {
      String jobs = "/api/v1/job-queues/mails/jobs";
      ConsoleFixture.await(other.jobs.queue("mails").add("of Mr Smith", Map.of()));

      for (String filter : List.of("?name=Smith", "?state=waiting")) {
        Answered refused = other.send("GET", jobs + filter, null, olga);
        assertThat(refused.status()).as(filter).isEqualTo(403);
        assertThat(refused.error().getString("code")).isEqualTo("filter_masked");
        assertThat(other.send("GET", jobs + filter, null, cay).text())
            .as(filter)
            .contains("Smith");
      }
      assertThat(other.send("GET", jobs, null, olga).text())
          .contains("[masked]")
          .doesNotContain("Smith");
    }
  }

  @Test
  void what_operators_see_of_processes_steps_rules_and_filters_is_masked_as_in_runs() {
    ConsoleOptions options = new ConsoleOptions()
        .setMaskedPaths(List.of(
            "$.lease.workerId",
            "$.host",
            "$.group",
            "$.payload.secret",
            "$.processId",
            "$.actor.id",
            "$.concurrencyKey"))
        .setTokens(
            List.of(token("olga", OPERATOR, Role.OPERATOR), token("cay", ADMIN, Role.ADMIN)));
    Map<String, String> olga =
        Map.of("authorization", "Bearer " + OPERATOR, "content-type", "application/json");
    Map<String, String> cay =
        Map.of("authorization", "Bearer " + ADMIN, "content-type", "application/json");
    try (ConsoleFixture other = new ConsoleFixture(options)) {
      trigger(other, olga, "gated", new JsonObject());
      String prints = trigger(other, olga, "prints", new JsonObject().put("secret", "of Mr Smith"));
      String filter = "/api/v1/saved-filters/smith";
      String kept = "{\"view\":\"runs\",\"title\":\"of Mr Smith\",\"query\":"
          + "\"status=failed&concurrencyKey=Mr%20Smith\"}";
      assertThat(other.send("PUT", filter, kept, olga).status()).isEqualTo(200);
      assertThat(other
              .send(
                  "PUT",
                  "/api/v1/alert-rules/late",
                  "{\"kind\":\"oldest_due\",\"threshold\":60,\"reason\":\"r\"}",
                  olga)
              .status())
          .isEqualTo(200);
      String process = rows(other, "processes", cay).getJsonObject(0).getString("id");
      Map<String, List<String>> hidden = Map.of(
          "processes",
          List.of("host"),
          "processes/" + process + "/leases",
          List.of("workerId"),
          "steps?runId=" + prints,
          List.of("group"),
          "step-groups",
          List.of("group"),
          "published-queues",
          List.of("processId"),
          "saved-filters",
          List.of("title", "query"));

      hidden.forEach((path, fields) -> fields.forEach(field -> {
        assertThat(rows(other, path, cay).getJsonObject(0).getString(field))
            .as(path + " to an admin")
            .isNotBlank()
            .isNotEqualTo("[masked]");
        assertThat(rows(other, path, olga).getJsonObject(0).getString(field))
            .as(path + " to an operator")
            .isEqualTo("[masked]");
      }));
      assertThat(rows(other, "alert-rules", olga).getJsonObject(0).getJsonObject("actor"))
          .isEqualTo(new JsonObject().put("type", "operator").put("id", "[masked]"));
      for (String path : List.of("events", "history")) {
        String events = "/api/v1/runs/" + prints + "/" + path;
        assertThat(other.send("GET", events, null, cay).text()).contains("of Mr Smith");
        assertThat(other.send("GET", events, null, olga).text())
            .as(path)
            .contains("\"input\":{\"secret\":\"[masked]\"}")
            .doesNotContain("Smith");
      }
      assertThat(other.send("GET", "/api/v1/steps?group=mail", null, olga).status())
          .isEqualTo(403);
      takeSample(other);
      assertThat(other.send("GET", "/api/v1/depths", null, cay).text())
          .contains("\"group\":\"invoice-print\"");
      assertThat(other.send("GET", "/api/v1/depths", null, olga).text())
          .contains("\"group\":\"[masked]\"")
          .doesNotContain("invoice");
      String shown = "{\"view\":\"runs\",\"title\":\"[masked]\",\"query\":\"[masked]\"}";
      assertThat(other.send("PUT", filter, shown, olga).error().getString("param"))
          .isEqualTo("title");
      assertThat(other.send("PUT", filter, shown, cay).status()).isEqualTo(200);
    }
  }

  @Test
  void a_filter_that_is_hidden_from_who_takes_its_name_stays_as_it_is() {
    ConsoleOptions options = new ConsoleOptions()
        .setMaskedPaths(List.of("$.concurrencyKey"))
        .setTokens(
            List.of(token("olga", OPERATOR, Role.OPERATOR), token("cay", ADMIN, Role.ADMIN)));
    Map<String, String> olga =
        Map.of("authorization", "Bearer " + OPERATOR, "content-type", "application/json");
    Map<String, String> cay =
        Map.of("authorization", "Bearer " + ADMIN, "content-type", "application/json");
    String hers = "{\"view\":\"runs\",\"title\":\"late\",\"query\":\"status=failed\"}";
    try (ConsoleFixture other = new ConsoleFixture(options)) {
      String hidden = "/api/v1/saved-filters/z-smith";
      String kept =
          "{\"view\":\"runs\",\"title\":\"of Mr Smith\",\"query\":" + "\"concurrencyKey=smith\"}";
      assertThat(other.send("PUT", hidden, kept, cay).status()).isEqualTo(200);
      for (int i = 0; i < 205; i++) { // the hidden one is on the second page of the storage
        assertThat(
                other.send("PUT", "/api/v1/saved-filters/late-" + i, hers, olga).status())
            .isEqualTo(200);
      }

      for (Answered refused : List.of(
          other.send("PUT", hidden, hers, olga),
          other.send("POST", hidden + "/remove", "{\"reason\":\"r\"}", olga))) {
        assertThat(refused.status()).isEqualTo(403);
        assertThat(refused.error().getString("code")).isEqualTo("filter_masked");
        assertThat(refused.error().getString("param")).isEqualTo("name");
      }
      String last = other
          .send("GET", "/api/v1/saved-filters?limit=200", null, cay)
          .json()
          .getString("nextCursor");
      assertThat(other
              .send("GET", "/api/v1/saved-filters?limit=200&cursor=" + last, null, cay)
              .text())
          .contains("concurrencyKey=smith");
      assertThat(other
              .send("PUT", "/api/v1/saved-filters/late-1", hers, olga)
              .json()
              .getInteger("version"))
          .as("what she sees she changes")
          .isEqualTo(2);
      assertThat(other
              .send("POST", "/api/v1/saved-filters/late-1/remove", "{\"reason\":\"r\"}", olga)
              .json())
          .isEqualTo(new JsonObject().put("removed", true));
      assertThat(other.send("PUT", hidden, hers, cay).json().getInteger("version"))
          .isEqualTo(2);
    }
  }

  @Test
  void queues_and_tasks_are_masked_in_depths_throughput_and_what_tasks_say_too() {
    Instant minute = NOW.truncatedTo(ChronoUnit.MINUTES);
    String range = "from=" + minute + "&until=" + minute.plusSeconds(120);
    try (ConsoleFixture other = maskedConsole("$.queue", "$.taskId")) {
      trigger(other, OLGA, "gated", new JsonObject());
      takeSample(other);
      assertThat(other.send("GET", "/api/v1/depths", null, CAY).text())
          .contains("\"queue\":\"mail\"");
      assertThat(other.send("GET", "/api/v1/depths", null, OLGA).text())
          .contains("\"queue\":\"[masked]\"")
          .doesNotContain("mail");
      other.publish(new RuntimeTask(
          "elsewhere",
          "smith",
          true,
          "com.example.Elsewhere",
          null,
          List.of(),
          new TriggerRules(null, false, List.of())));
      addThroughput(other, minute, "smith-1", "of smith-2");
      addThroughput(other, minute, "smith-3", "of smith-4");
      addThroughput(other, minute.plusSeconds(60), "smith-5", "of smith-6");

      for (String path : List.of(
          "throughput?" + range,
          "throughput?format=csv&" + range,
          "throughput/series?" + range,
          "throughput/series?by=task&" + range,
          "tasks",
          "tasks/elsewhere")) {
        assertThat(other.send("GET", "/api/v1/" + path, null, CAY).text())
            .as(path)
            .contains("smith");
        assertThat(other.send("GET", "/api/v1/" + path, null, OLGA).text())
            .as(path)
            .contains("[masked]")
            .doesNotContain("smith");
      }
      for (String path : List.of("throughput", "throughput/series")) {
        for (String filter : List.of("queue=smith-1", "task=of%20smith-2")) {
          assertFilterMasked(other, "/api/v1/" + path + "?" + range + "&" + filter, "smith-1");
        }
      }
      assertThat(countedTo(other, "/api/v1/throughput?" + range + "&limit=1", "smith"))
          .isEqualTo(3);
    }
  }

  @Test
  void the_cursor_of_a_list_in_the_order_of_hidden_values_has_none_of_them() {
    String kept = "{\"view\":\"runs\",\"title\":\"t\",\"query\":\"concurrencyKey=smith\"}";
    try (ConsoleFixture other = maskedConsole("$.concurrencyKey", "$.scheduleId")) {
      for (String name : List.of("of-smith-1", "of-smith-2", "of-smith-3")) {
        other.send("PUT", "/api/v1/saved-filters/" + name, kept, CAY);
      }

      assertThat(countedTo(other, "/api/v1/saved-filters?limit=1", "smith")).isEqualTo(3);
      String telling = other
          .send("GET", "/api/v1/saved-filters?limit=1", null, CAY)
          .json()
          .getString("nextCursor");
      Answered refused =
          other.send("GET", "/api/v1/saved-filters?limit=1&cursor=" + telling, null, OLGA);
      assertThat(refused.status()).as("a place among names").isEqualTo(400);
      assertThat(refused.error().getString("param")).isEqualTo("cursor");
      assertThat(other
              .send("GET", "/api/v1/schedules?cursor=" + telling, null, OLGA)
              .status())
          .isEqualTo(400);
      assertThat(rows(other, "schedules?limit=1", OLGA).encode())
          .contains("\"scheduleId\":\"[masked]\"");
    }
  }

  /** Counts what waits, as a process does once a minute. */
  private static void takeSample(ConsoleFixture at) {
    ConsoleFixture.await(at.runlane
        .lane()
        .storage()
        .operator()
        .orElseThrow()
        .takeSample(new TakeSample(
            at.runlane.environment(), Instant.now().plus(TakeSample.EVERY), TakeSample.EVERY)));
  }

  /** How many rows there are on all pages for the operator, none of whose cursors has the text. */
  private static int countedTo(ConsoleFixture at, String path, String hidden) {
    int rows = 0;
    String cursor = "";
    while (cursor != null) {
      JsonObject page = at.send("GET", path + cursor, null, OLGA).json();
      rows += page.getJsonArray("data").size();
      String next = page.getString("nextCursor");
      cursor = next == null ? null : "&cursor=" + next;
      assertThat(new String(
              Base64.getUrlDecoder().decode(next == null ? "" : next), StandardCharsets.UTF_8))
          .doesNotContain(hidden);
    }
    return rows;
  }

  private static void addThroughput(ConsoleFixture at, Instant minute, String queue, String task) {
    ConsoleFixture.await(at.runlane
        .lane()
        .storage()
        .operator()
        .orElseThrow()
        .addThroughput(new AddThroughput(
            at.runlane.environment(),
            List.of(new ThroughputBucket(
                minute,
                queue,
                task,
                1,
                1,
                1,
                0,
                0,
                0,
                0,
                0,
                Latencies.NONE,
                Latencies.NONE,
                Latencies.NONE)))));
  }

  /** The rows of a list, once it has any. */
  private static JsonArray rows(ConsoleFixture at, String path, Map<String, String> headers) {
    AtomicReference<JsonArray> rows = new AtomicReference<>(new JsonArray());
    assertThat(Poll.until(Duration.ofSeconds(60), () -> {
          rows.set(at.send("GET", "/api/v1/" + path, null, headers).json().getJsonArray("data"));
          return !rows.get().isEmpty();
        }))
        .as("rows of %s", path)
        .isTrue();
    return rows.get();
  }

  @Test
  void keys_of_taken_slots_are_masked_by_the_path_that_masks_them_in_runs() {
    ConsoleOptions options = new ConsoleOptions()
        .setMaskedPaths(List.of("$.concurrencyKey"))
        .setTokens(List.of(token("olga", OPERATOR, Role.OPERATOR)));
    Map<String, String> olga =
        Map.of("authorization", "Bearer " + OPERATOR, "content-type", "application/json");
    try (ConsoleFixture other = new ConsoleFixture(options)) {
      other.send(
          "POST",
          "/api/v1/tasks/gated/trigger",
          "{\"payload\":{},\"queue\":\"bounded\",\"concurrencyKey\":\"smith\"}",
          olga);
      String occupied;
      do {
        occupied =
            other.send("GET", "/api/v1/queues/bounded/occupied", null, olga).text();
      } while (!occupied.contains("\"occupied\":1")); // until a worker has claimed it

      assertThat(occupied).contains("[masked]").doesNotContain("smith");
    }
  }

  @Test
  void masked_values_are_seen_by_an_admin_alone_on_every_route_of_a_run() {
    String id = trigger(
        OPERATOR,
        new JsonObject()
            .put(
                "payload",
                new JsonObject(
                    "{\"card\":{\"number\":\"4711\",\"kind\":\"x\"},\"a\":[{\"iban\":\"DE00\"}]}")));
    ConsoleFixture.await(console.runlane.awaitRun(id, ConsoleFixture.LONGEST));
    for (String path :
        new String[] {"", "/history", "/events", "/events?format=csv", "/explanation", "/attempts"
        }) {
      for (String token : new String[] {VIEWER, OPERATOR}) {
        assertThat(as(token, "GET", "/api/v1/runs/" + id + path, null).text())
            .as(path)
            .doesNotContain("4711\",\"kind")
            .doesNotContain("DE00");
      }
    }
    assertThat(as(VIEWER, "GET", "/api/v1/runs/" + id, null).json().getJsonObject("payload"))
        .isEqualTo(new JsonObject(
            "{\"card\":{\"number\":\"[masked]\",\"kind\":\"x\"},\"a\":[{\"iban\":\"[masked]\"}]}"));
    assertThat(as(ADMIN, "GET", "/api/v1/runs/" + id, null).text()).contains("4711", "DE00");
  }

  @Test
  void a_guess_of_a_masked_payload_is_answered_alike_whether_it_is_right_or_not() {
    console.publish(new RuntimeTask(
        "elsewhere",
        "mail",
        true,
        "com.example.Elsewhere",
        null,
        List.of(),
        new TriggerRules(null, true, List.of())));
    for (String task : List.of("echo", "numbered", "elsewhere")) { // the latter refuse others
      String path = "/api/v1/tasks/" + task + "/trigger";
      assertThat(as(ADMIN, "POST", path, guess("pin-" + task, "4711")).status()).isEqualTo(201);

      Answered wrong = as(OPERATOR, "POST", path, guess("pin-" + task, "4710"));
      Answered right = as(OPERATOR, "POST", path, guess("pin-" + task, "4711"));

      assertThat(right.status()).as(task).isEqualTo(wrong.status());
      assertThat(right.json().getValue("samePayload"))
          .isEqualTo(wrong.json().getValue("samePayload"));
      if (!task.equals("echo")) {
        assertThat(right.error().getString("message"))
            .isEqualTo(wrong.error().getString("message"));
      }
      JsonObject seen = as(ADMIN, "POST", path, guess("pin-" + task, "4711")).json();
      assertThat(seen.getBoolean("samePayload")).as("who sees it all").isTrue();
    }
  }

  @Test
  void who_may_not_see_keys_does_not_try_them_by_triggering() {
    try (ConsoleFixture other = maskedConsole("$.idempotencyKey", "$.singletonKey")) {
      for (String key : List.of("idempotencyKey", "singletonKey")) {
        String body =
            new JsonObject().put("payload", new JsonObject()).put(key, "smith").encode();
        for (String how : List.of("trigger", "run-now")) {
          String path = "/api/v1/tasks/gated/" + how;
          assertThat(other.send("POST", path, body, CAY).status()).as(key).isLessThan(300);

          Answered refused = other.send("POST", path, body, OLGA);

          assertThat(refused.status()).as(key).isEqualTo(403);
          assertThat(refused.error().getString("code")).isEqualTo("filter_masked");
          assertThat(refused.error().getString("param")).isEqualTo(key);
        }
      }
      trigger(other, OLGA, "echo", new JsonObject());
    }
  }

  private static String guess(String key, String number) {
    return new JsonObject()
        .put("idempotencyKey", key)
        .put("payload", new JsonObject().put("card", new JsonObject().put("number", number)))
        .encode();
  }

  @Test
  void a_payload_with_the_mask_where_a_value_is_hidden_is_not_run_again() {
    String stored = "{\"card\":{\"number\":\"4711\"},\"a\":[{\"iban\":\"DE00\"}],\"note\":\"x\"}";
    String id = trigger(OPERATOR, new JsonObject().put("payload", new JsonObject(stored)));
    ConsoleFixture.await(console.runlane.awaitRun(id, ConsoleFixture.LONGEST));
    JsonObject shown =
        as(OPERATOR, "GET", "/api/v1/runs/" + id, null).json().getJsonObject("payload");
    String again = "/api/v1/runs/" + id + "/rerun";

    for (Object masked : List.of(
        shown,
        new JsonObject(stored).put("card", shown.getJsonObject("card")),
        new JsonObject(stored).put("a", shown.getJsonArray("a")))) {
      JsonObject body = new JsonObject().put("reason", "r").put("payload", masked);
      Answered refused = as(OPERATOR, "POST", again, body.encode());

      assertThat(refused.status()).as(body.encode()).isEqualTo(400);
      assertThat(refused.error().getString("code")).isEqualTo("validation_failed");
      assertThat(refused.error().getString("param")).isEqualTo("payload");
      assertThat(as(
                  OPERATOR,
                  "POST",
                  "/api/v1/tasks/echo/trigger",
                  new JsonObject().put("payload", masked).encode())
              .status())
          .isEqualTo(400);
      assertThat(as(ADMIN, "POST", again, body.encode()).status()).isEqualTo(201);
    }
    JsonObject whole = new JsonObject()
        .put("reason", "r")
        .put("payload", new JsonObject(stored).put("note", "[masked]"));
    assertThat(as(OPERATOR, "POST", again, whole.encode()).status())
        .as("where nothing is hidden the text is a text")
        .isEqualTo(201);
  }

  @Test
  void a_malformed_path_to_mask_is_no_configuration() {
    for (String path : new String[] {"", "$", "payload", "$.", "$.a[", "$.a b", "$x"}) {
      assertThatThrownBy(() -> new Masks(List.of(path), Role.ADMIN))
          .as(path)
          .isInstanceOf(RunlaneException.class);
    }
  }

  @Test
  void a_page_of_another_site_or_origin_changes_nothing() {
    for (Map<String, String> header : List.of(
        Map.of("sec-fetch-site", "cross-site"),
        Map.of("sec-fetch-site", "same-site"),
        Map.of("origin", "http://evil.example"),
        Map.of("origin", "https://127.0.0.1:" + console.port),
        Map.of("origin", "null"))) {
      Map<String, String> all = new java.util.HashMap<>(header);
      all.put("content-type", "application/json");
      all.put("authorization", "Bearer " + ADMIN);

      Answered refused = console.send("POST", "/api/v1/tasks/echo/trigger", "{}", all);

      assertThat(refused.status()).as(header.toString()).isEqualTo(403);
      assertThat(refused.error().getString("code")).isEqualTo("cross_site_request");
    }
    Answered own = console.send(
        "POST",
        "/api/v1/tasks/echo/trigger",
        "{\"payload\":{}}",
        Map.of(
            "origin",
            "http://127.0.0.1:" + console.port,
            "sec-fetch-site",
            "same-origin",
            "content-type",
            "application/json",
            "authorization",
            "Bearer " + ADMIN));
    assertThat(own.status()).isEqualTo(201);
  }

  @Test
  void on_the_loopback_address_a_foreign_name_is_refused() {
    for (String host :
        new String[] {"Host: evil.example\r\n", "Host: 127.0.0.1.evil.example\r\n"}) {
      assertThat(
              console.raw("GET /api/v1/session HTTP/1.1\r\n" + host + "Connection: close\r\n\r\n"))
          .startsWith("HTTP/1.1 403")
          .contains("host_not_allowed");
    }
  }

  @Test
  void an_address_with_too_many_refused_tokens_has_to_wait() {
    try (ConsoleFixture strict = new ConsoleFixture(
        new ConsoleOptions()
            .setMaxFailedLogins(3)
            .setTokens(List.of(token("cay", ADMIN, Role.ADMIN))),
        () -> NOW)) {
      Map<String, String> wrong = Map.of("authorization", "Bearer wrong");
      for (int i = 0; i < 3; i++) {
        assertThat(strict.send("GET", "/api/v1/session", null, wrong).status()).isEqualTo(401);
      }
      Answered refused = strict.send("GET", "/api/v1/session", null, wrong);

      assertThat(refused.status()).isEqualTo(429);
      assertThat(refused.header("retry-after")).isEqualTo("60");
      assertThat(refused.error().getString("type")).isEqualTo("rate_limit_error");
    }
  }

  @Test
  void an_expired_token_is_no_guess_that_locks_its_address_out() {
    try (ConsoleFixture strict = new ConsoleFixture(
        new ConsoleOptions()
            .setMaxFailedLogins(3)
            .setTokens(List.of(
                token("cay", ADMIN, Role.ADMIN),
                token("dan", EXPIRED, Role.ADMIN).setExpiresAt(NOW))),
        () -> NOW)) {
      for (int i = 0; i < 5; i++) {
        assertThat(strict
                .send("GET", "/api/v1/session", null, Map.of("authorization", "Bearer " + EXPIRED))
                .status())
            .isEqualTo(401);
      }

      assertThat(strict
              .send("GET", "/api/v1/session", null, Map.of("authorization", "Bearer " + ADMIN))
              .status())
          .isEqualTo(200);
    }
  }

  private static Answered ask(Operation operation, String authorization) {
    boolean reads = operation.getHttpMethod().equals(HttpMethod.GET);
    Map<String, String> headers = new java.util.HashMap<>();
    if (!reads) {
      headers.put("content-type", "application/json");
    }
    if (!authorization.isEmpty()) {
      headers.put("authorization", authorization);
    }
    return console.send(
        operation.getHttpMethod().name(),
        operation.getOpenAPIPath().replaceAll("\\{\\w+}", "none"),
        reads ? null : "{\"reason\":\"r\"}",
        headers);
  }

  private static String trigger(String token, JsonObject body) {
    JsonObject all = body.containsKey("payload") ? body : body.put("payload", new JsonObject());
    return as(token, "POST", "/api/v1/tasks/echo/trigger", all.toString())
        .json()
        .getJsonObject("run")
        .getString("id");
  }

  private static String trigger(
      ConsoleFixture at, Map<String, String> headers, String task, JsonObject payload) {
    return at.send(
            "POST",
            "/api/v1/tasks/" + task + "/trigger",
            new JsonObject().put("payload", payload).encode(),
            headers)
        .json()
        .getJsonObject("run")
        .getString("id");
  }

  private static Answered as(String token, String method, String path, String body) {
    Map<String, String> headers = new java.util.HashMap<>();
    headers.put("authorization", "Bearer " + token);
    if (body != null) {
      headers.put("content-type", "application/json");
    }
    return console.send(method, path, body, headers);
  }

  private static TokenOptions token(String name, String token, Role role) {
    return new TokenOptions().setName(name).setToken(token).setRole(role);
  }
}
