package dev.runlane.cli;

import static dev.runlane.cli.OperatedFleet.await;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.runlane.cli.terminal.Terminal;
import dev.runlane.console.ConsoleOptions;
import dev.runlane.console.OperatorConsole;
import dev.runlane.console.access.Role;
import dev.runlane.console.access.TokenOptions;
import dev.runlane.jobs.memory.MemoryJobStore;
import dev.runlane.jobs.queue.Jobs;
import dev.runlane.operator.task.RuntimeTask;
import dev.runlane.operator.task.TaskKey;
import dev.runlane.operator.task.TriggerRules;
import dev.runlane.run.IdempotencyTtl;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunStatus;
import dev.runlane.runtime.task.TriggerOptions;
import io.vertx.core.Handler;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.core.net.NetServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("runlane --url")
@DisplayNameGeneration(ReplaceUnderscores.class)
class RemoteTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String OPERATOR = "operator-0123456789abcdef0123456789abcdef";
  private static final String ADMIN = "admin-0123456789abcdef0123456789abcdef";
  private static final String VIEWER = "viewer-0123456789abcdef0123456789abcdef";

  private static OperatedFleet fleet;
  private static Jobs jobs;
  private static OperatorConsole console;
  private static String url;

  @BeforeAll
  static void start() {
    fleet = OperatedFleet.onEmptied().working();
    MemoryJobStore store = new MemoryJobStore();
    await(store.connect());
    jobs = Jobs.create(fleet.vertx, store);
    console = OperatorConsole.create(
            fleet.vertx,
            fleet.worker,
            new ConsoleOptions()
                .setPort(0)
                .setTokens(List.of(
                    new TokenOptions().setName("olga").setToken(OPERATOR).setRole(Role.OPERATOR),
                    new TokenOptions().setName("ada").setToken(ADMIN).setRole(Role.ADMIN),
                    new TokenOptions().setName("vic").setToken(VIEWER).setRole(Role.VIEWER))))
        .withJobs(jobs);
    url = "http://127.0.0.1:" + await(console.start());
  }

  @AfterAll
  static void stop() {
    await(console.close());
    await(jobs.close());
    fleet.close();
  }

  private static Printed remote(String... arguments) {
    return by(Map.of("RUNLANE_URL", url, "RUNLANE_TOKEN", OPERATOR), arguments);
  }

  private static Printed by(Map<String, String> variables, String... arguments) {
    Map<String, String> all = new TreeMap<>(variables);
    all.put("USER", "ada");
    return Printed.by(all, Terminal.NONE, arguments);
  }

  private static JsonNode json(String... arguments) {
    List<String> all = new ArrayList<>(List.of(arguments));
    all.add("--json");
    Printed printed = remote(all.toArray(String[]::new));
    try {
      return JSON.readTree(printed.out());
    } catch (JsonProcessingException notJson) {
      throw new AssertionError(printed.toString(), notJson);
    }
  }

  private static RunRecord ended(int number) {
    RunRecord run = fleet.charged(number);
    OperatedFleet.until(() -> fleet.get(run.id()).status().isTerminal());
    return fleet.get(run.id());
  }

  @Test
  void runs_are_shown_as_they_are_from_the_database() {
    RunRecord run = ended(-3);
    OperatedFleet.until(() -> fleet.runlane("runs", "log", run.id()).out().contains("charging"));

    for (String[] command : List.of(
        new String[] {"runs", "get", run.id()}, new String[] {"runs", "events", run.id()})) {
      Printed local = fleet.runlane(command);
      Printed remote = remote(command);
      assertThat(remote.err()).isEmpty();
      assertThat(withoutAges(remote.out())).isEqualTo(withoutAges(local.out()));
      assertThat(remote.exitCode()).isEqualTo(local.exitCode());
    }
    assertThat(remote("runs", "log", run.id()).out())
        .contains("charging")
        .isEqualTo(fleet.runlane("runs", "log", run.id()).out());
    assertThat(remote("runs", "explain", run.id()).out()).contains("card declined [last_failure]");
    assertThat(remote("runs", "list", "--status", "failed").out())
        .contains(run.id())
        .contains("card declined");
    assertThat(json("runs", "get", run.id())).isEqualTo(fleet.json("runs", "get", run.id()));
    assertThat(json("runs", "list", "--limit", "1"))
        .isEqualTo(fleet.json("runs", "list", "--limit", "1"));
  }

  private static String withoutAges(String text) {
    return text.replaceAll("\\(\\w+ ago\\)", "(age)");
  }

  @Test
  void a_run_is_triggered_and_followed_to_its_end() {
    Printed failed = remote("trigger", "charge", "-p", "-1", "--watch", "--tag", "customer:anna");

    assertThat(failed.exitCode()).as(failed.toString()).isEqualTo(1);
    assertThat(failed.out()).contains("run.created").contains("card declined");
    assertThat(json("runs", "list", "--tag", "customer:anna").path("data")).hasSize(1);
    assertThat(remote("runs", "watch", "run_none").exitCode()).isEqualTo(4);
  }

  @Test
  void the_reason_of_a_trigger_stands_in_the_log_of_actions_and_in_the_run() {
    String run = json("trigger", "charge", "-p", "5", "--reason", "the till was closed")
        .path("run")
        .path("id")
        .asText();

    JsonNode action = newest("task.trigger");
    assertThat(action.path("reason").asText()).isEqualTo("the till was closed");
    assertThat(action.path("result").asText()).isEqualTo("created " + run);
    assertThat(fleet.runlane("runs", "events", run, "--json").out())
        .contains("\"reason\":\"the till was closed\"");
  }

  private static JsonNode newest(String action) {
    for (JsonNode each : json("actions", "list").path("data")) {
      if (each.path("action").asText().equals(action)) {
        return each;
      }
    }
    throw new AssertionError("nobody did " + action);
  }

  @Test
  void a_trigger_without_keys_is_refused_for_a_task_of_the_server_as_over_http() {
    Printed refused = remote("trigger", "charge", "-p", "5", "--without-keys");

    assertThat(refused.exitCode()).as(refused.toString()).isEqualTo(1);
    assertThat(refused.err())
        .contains("this process has the task, and its code makes them", "validation_failed");
  }

  @Test
  void a_run_of_another_processs_task_is_triggered_by_what_that_one_said() {
    fleet.publish(new RuntimeTask(
        "foreign",
        "default",
        true,
        "java.lang.Integer",
        null,
        List.of(TaskKey.IDEMPOTENCY),
        new TriggerRules(IdempotencyTtl.of(Duration.ofHours(1)), true, List.of("customer"))));
    String[] trigger = {"trigger", "foreign", "-p", "1", "--key", "A-1", "--reason", "by hand"};

    assertThat(remote(trigger).err()).contains("give --tag customer:VALUE, or --without-tags");
    String[] all =
        Stream.concat(Stream.of(trigger), Stream.of("--without-tags")).toArray(String[]::new);
    Printed made = remote(all);
    assertThat(made.exitCode()).as(made.toString()).isZero();
    assertThat(fleet.get(made.out().split(" ")[1]).keys().idempotencyTtl())
        .isEqualTo(IdempotencyTtl.of(Duration.ofHours(1)));
    all[3] = "2";
    assertThat(remote(all).err()).contains("which has another payload");
  }

  @Test
  void a_key_is_freed_by_the_token_with_a_reason() {
    RunRecord owner = await(fleet.worker.trigger(
            OperatedFleet.CHARGE, 1, new TriggerOptions().setIdempotencyKey("kept")))
        .run();
    OperatedFleet.until(() -> fleet.get(owner.id()).status().isTerminal());

    assertThat(remote("runs", "free-key", "charge", "kept").exitCode()).isEqualTo(2);
    JsonNode freed = json("runs", "free-key", "charge", "kept", "--reason", "wrong card");
    assertThat(freed.path("wasHeld").asBoolean()).isTrue();
    assertThat(freed.path("runId").asText()).isEqualTo(owner.id());
    assertThat(remote("actions", "list").out()).contains("olga", "charge/kept");
  }

  @Test
  void runs_are_cancelled_retried_and_run_again_by_the_token_with_a_reason() {
    RunRecord failed = ended(-4);

    assertThat(remote("runs", "retry", failed.id()).exitCode()).isEqualTo(2);
    assertThat(remote("runs", "retry", failed.id()).err()).contains("--reason");
    Printed retried = remote("runs", "retry", failed.id(), "--reason", "try again");
    assertThat(retried.exitCode()).as(retried.toString()).isZero();
    assertThat(retried.out()).contains("is made again as run_");
    String mended = json("runs", "rerun", failed.id(), "-p", "5", "--reason", "another number")
        .path("newRunId")
        .asText();
    assertThat(fleet.get(mended).payload().text()).isEqualTo("5");
    Printed refused =
        remote("runs", "rerun", failed.id(), "-p", "\"no number\"", "--reason", "another number");
    assertThat(refused.exitCode()).as(refused.toString()).isEqualTo(1);
    assertThat(refused.err()).contains("validation_failed");
    RunRecord held = await(fleet.worker.trigger(fleet.hold, "x")).run();
    OperatedFleet.until(() -> fleet.get(held.id()).status() == RunStatus.RUNNING);
    assertThat(remote("runs", "cancel", held.id(), "--reason", "stop it").exitCode())
        .isZero();
    assertThat(fleet.json("runs", "events", held.id()).toString())
        .contains("olga")
        .contains("stop it");
    assertThat(json("runs", "rerun", "--task", "charge", "--status", "failed", "--dry-run")
            .path("matched")
            .asInt())
        .isPositive();
  }

  @Test
  void queues_workers_outbox_and_actions_are_shown_and_changed() {
    assertThat(remote("queues", "list").out()).contains("default").contains("one");
    OperatedFleet.until(() -> json("workers").path("data").size() == 1);
    assertThat(remote("workers").out()).contains("default").contains("living");
    assertThat(json("workers").path("data").get(0).path("gone").asBoolean()).isFalse();
    Printed paused = remote("queues", "pause", "mail", "--reason", "quiet");
    assertThat(paused.exitCode()).as(paused.toString()).isZero();
    assertThat(remote("queues", "list").out()).contains("olga").contains("quiet");
    assertThat(remote("queues", "resume", "mail", "--reason", "go on").exitCode())
        .isZero();
    assertThat(remote("actions", "list", "--limit", "1").out())
        .contains("queue.resume")
        .contains("olga");
    JsonNode found = json(
        "actions",
        "list",
        "--actor",
        "olga",
        "--action",
        "queue.pause",
        "--target",
        "mail",
        "--since",
        "1h");
    assertThat(found.path("data").findValuesAsText("reason")).containsExactly("quiet");
    assertThat(remote("actions", "list", "--until", "1h").err())
        .contains("No action is like this.");
    assertThat(remote("outbox", "list").err()).contains("No message is dead_lettered");
    assertThat(remote("outbox", "redrive", "--dead-letters", "--yes", "--reason", "why")
            .out())
        .contains("0 messages");
    assertThat(remote("schedules", "list").err()).contains("No process has registered");
    assertThat(remote("schedules", "pause", "charge", "none", "--reason", "why").exitCode())
        .isEqualTo(4);
  }

  /** Runs the command against a server that answers by the test's own function of the request. */
  private static Printed stubbed(Handler<HttpServerRequest> answers, String... arguments) {
    HttpServer server =
        await(fleet.vertx.createHttpServer().requestHandler(answers).listen(0));
    try {
      return by(Map.of("RUNLANE_URL", "http://127.0.0.1:" + server.actualPort()), arguments);
    } finally {
      await(server.close());
    }
  }

  @Test
  void more_messages_are_redriven_than_one_request_takes() {
    List<String> arguments = new ArrayList<>(List.of("outbox", "redrive", "--reason", "why"));
    for (int i = 0; i < 201; i++) {
      arguments.add("message_" + i);
    }

    Printed redriven = remote(arguments.toArray(String[]::new));

    assertThat(redriven.err()).doesNotContain("maxItems");
    assertThat(redriven.out()).as(redriven.toString()).contains("0 messages");
  }

  @Test
  void a_failure_of_the_server_is_told_with_the_request_that_its_log_names() {
    Printed failed = stubbed(
        request -> request
            .response()
            .setStatusCode(500)
            .end(
                "{\"error\":{\"type\":\"api_error\",\"code\":\"internal_error\",\"message\":\"the request failed\","
                    + "\"request_id\":\"req_7\",\"retryable\":false}}"),
        "workers");

    assertThat(failed.err())
        .isEqualTo("runlane: the request failed (internal_error, request req_7)\n");
    assertThat(failed.exitCode()).isEqualTo(1);
  }

  @Test
  void a_job_that_is_made_between_two_pages_doubles_none() {
    Printed jobs = stubbed(
        request -> {
          int made = request.getParam("skip").equals("0") ? 300 : 301;
          int skip = Integer.parseInt(request.getParam("skip"));
          JsonArray data = new JsonArray();
          for (int i = skip;
              i < Math.min(made, skip + Integer.parseInt(request.getParam("limit")));
              i++) {
            data.add(new JsonObject()
                .put("id", "job_" + (made - i))
                .put("queueName", "mails")
                .put("name", "welcome")
                .put("state", "waiting")
                .put("startedAttempts", 0)
                .put("createdAt", "2026-01-01T00:00:00Z"));
          }
          request
              .response()
              .end(new JsonObject().put("data", data).put("total", made).encode());
        },
        "jobs",
        "list",
        "mails",
        "-n",
        "1000");

    assertThat(jobs.out().lines().filter(line -> line.startsWith("job_101 "))).hasSize(1);
    assertThat(jobs.out().lines().filter(line -> line.startsWith("job_"))).hasSize(300);
  }

  @Test
  void a_task_that_no_process_tells_of_is_not_found() {
    Printed triggered = remote("trigger", "unknown", "-p", "1", "--queue", "default");

    assertThat(triggered.exitCode()).as(triggered.toString()).isEqualTo(4);
    assertThat(triggered.err()).contains("task_not_found");
  }

  @Test
  void more_leases_are_shown_than_a_page_has() {
    Printed leases = stubbed(
        request -> {
          JsonArray data = new JsonArray();
          for (int i = 0; i < Math.min(201, Integer.parseInt(request.getParam("limit"))); i++) {
            data.add(new JsonObject()
                .put("runId", "run_" + i)
                .put("taskId", "charge")
                .put("queue", "default")
                .put("workerId", "w")
                .put("expiresAt", "2026-01-01T00:00:00Z"));
          }
          request.response().end(new JsonObject().put("data", data).encode());
        },
        "workers",
        "--leases",
        "busy");

    assertThat(leases.out()).as(leases.toString()).contains("run_0 ").contains("run_200 ");
  }

  @Test
  void jobs_are_shown_and_changed() {
    String id = await(jobs.queue("mails").add("welcome", Map.of("to", "ann"))).id();

    assertThat(remote("jobs", "queues").out()).contains("mails");
    assertThat(remote("jobs", "list", "mails").out()).contains(id).contains("welcome");
    assertThat(remote("jobs", "get", "mails", id).out()).contains("ann");
    assertThat(remote("jobs", "logs", "mails", id).exitCode()).isZero();
    assertThat(remote("jobs", "remove", "mails", id).err()).contains("--reason");
    assertThat(remote("jobs", "pause", "mails", "--name", "welcome", "--reason", "x")
            .out())
        .isEqualTo("Queue mails is paused for jobs named welcome\n");
    assertThat(remote("jobs", "queues").out()).contains("paused: welcome");
    assertThat(remote("jobs", "resume", "mails", "--name", "welcome", "--reason", "x")
            .exitCode())
        .isZero();
    assertThat(remote("jobs", "queues").out()).doesNotContain("paused");
    assertThat(remote("jobs", "redrive", "mails", "--dry-run", "--reason", "x").out())
        .isEqualTo("0 would be redriven. Nothing was done: --yes does it.\n");
    assertThat(remote("jobs", "redrive", "mails", "--yes", "--reason", "x").out())
        .isEqualTo("0 jobs redriven\n");
    assertThat(remote("jobs", "cancel", "mails", id, "--reason", "x").out())
        .isEqualTo("1 job cancelled\n");
    assertThat(remote("jobs", "cancel", "mails", id, "--reason", "x").exitCode())
        .isEqualTo(1);
    assertThat(remote("jobs", "remove", "mails", id, "--reason", "not wanted").err())
        .contains("the token may not do this");
    Map<String, String> admin = Map.of("RUNLANE_URL", url, "RUNLANE_TOKEN", ADMIN);
    assertThat(
            by(admin, "jobs", "remove", "mails", id, "--reason", "not wanted").out())
        .contains("1 job removed");
    assertThat(remote("jobs", "get", "mails", id).exitCode()).isEqualTo(4);
  }

  @Test
  void tokens_come_from_files_and_options_too_and_are_shown_nowhere(@TempDir Path folder)
      throws IOException {
    Path file = Files.writeString(folder.resolve("token"), VIEWER + "\n");
    Path wrong = Files.writeString(folder.resolve("wrong"), "wrong-" + VIEWER);

    assertThat(by(Map.of(), "workers", "--url", url, "--token-file", file.toString())
            .exitCode())
        .isZero();
    assertThat(by(Map.of("RUNLANE_URL", url, "RUNLANE_TOKEN_FILE", file.toString()), "workers")
            .exitCode())
        .isZero();
    assertThat(by(Map.of(), "workers", "--url", url, "--token", VIEWER).exitCode())
        .isZero();
    Printed refused = by(Map.of(), "workers", "--url", url, "--token-file", wrong.toString());
    assertThat(refused.exitCode()).isEqualTo(1);
    assertThat(refused.err()).contains("configuration_invalid").doesNotContain(VIEWER);
    Printed viewer =
        by(Map.of(), "queues", "pause", "x", "--reason", "y", "--url", url, "--token", VIEWER);
    assertThat(viewer.exitCode()).isEqualTo(1);
    assertThat(viewer.err()).contains("the token may not do this").doesNotContain(VIEWER);
  }

  @Test
  void what_cannot_be_used_is_said_before_anything_is_sent() {
    String database = OperatedFleet.database().toUri();

    assertThat(by(Map.of("RUNLANE_URL", url, "RUNLANE_DATABASE", database), "workers")
            .err())
        .contains("are both set");
    assertThat(by(Map.of(), "workers", "--url", url, "--database", database).err())
        .contains("exclude each other");
    assertThat(by(Map.of(), "workers", "--token", VIEWER).err()).contains("go with --url");
    assertThat(by(Map.of(), "workers", "--url", "ftp://x").exitCode()).isEqualTo(2);
    assertThat(by(Map.of(), "workers", "--url", url, "-e", "other").err())
        .contains("are the server's");
    assertThat(by(Map.of(), "workers", "--url", url, "--trust", "/none.pem").err())
        .contains("cannot be read");
    // An option counts for more than a variable.
    assertThat(by(
                Map.of("RUNLANE_URL", "http://127.0.0.1:1", "RUNLANE_SCHEMA", fleet.schema),
                "workers",
                "--database",
                database)
            .exitCode())
        .isZero();
  }

  @Test
  void a_server_of_another_environment_than_the_variable_names_is_asked_for_nothing() {
    RunRecord run = await(fleet.worker.trigger(
            OperatedFleet.CHARGE, 1, new TriggerOptions().setDelay(Duration.ofHours(1))))
        .run();
    Map<String, String> other =
        Map.of("RUNLANE_URL", url, "RUNLANE_TOKEN", OPERATOR, "RUNLANE_ENVIRONMENT", "staging");

    Printed refused = by(other, "runs", "cancel", run.id(), "--reason", "not wanted");

    assertThat(refused.exitCode()).as(refused.toString()).isEqualTo(2);
    assertThat(refused.err()).contains("RUNLANE_ENVIRONMENT is staging", "serves default");
    assertThat(fleet.get(run.id()).status().isTerminal()).isFalse();
    Map<String, String> same = new TreeMap<>(other);
    same.put("RUNLANE_ENVIRONMENT", " default ");
    assertThat(by(same, "runs", "cancel", run.id(), "--reason", "not wanted").exitCode())
        .isZero();
  }

  @Test
  void what_changes_something_says_at_a_terminal_where() {
    Terminal terminal = new Terminal(80, false, true, false);
    Map<String, String> variables = Map.of("RUNLANE_URL", url, "RUNLANE_TOKEN", OPERATOR);

    assertThat(Printed.by(variables, terminal, "queues", "resume", "mail", "--reason", "x")
            .err())
        .isEqualTo("runlane: in environment default of " + url + "\n");
    assertThat(fleet.at(terminal, "queues", "resume", "mail").err())
        .isEqualTo("runlane: in environment default, schema " + fleet.schema + "\n");
    assertThat(Printed.by(variables, terminal, "queues", "list").err()).isEmpty();
  }

  @Test
  void steps_that_wait_are_shown_as_they_are_from_the_database() {
    RunRecord run = ended(4);
    for (int position = 1; position <= 2; position++) {
      fleet.sql("SELECT {schema}.request_step(env, '" + run.id() + ":" + position + "', '"
          + run.id()
          + "', " + position + ", 1, 'render', 'renderers', 1, now(), now() + interval '1 hour')"
          + " FROM {schema}.environments");
    }

    for (String[] command : List.of(
        new String[] {"steps", "groups"},
        new String[] {"steps", "list", "--group", "renderers"},
        new String[] {"steps", "list", "--limit", "1"},
        new String[] {"steps", "get", run.id()})) {
      assertThat(json(command)).isEqualTo(fleet.json(command));
      assertThat(remote(command).out()).contains("renderers");
    }
    assertThat(json("steps", "get", run.id()).path("data")).hasSize(2);
    assertThat(remote("steps", "get", "run_none").exitCode()).isEqualTo(4);
  }

  @Test
  void what_works_on_the_database_itself_says_so() {
    for (String[] command : List.of(
        new String[] {"migrate", "--plan"},
        new String[] {"doctor"},
        new String[] {"prune", "--older-than", "90d", "--yes"},
        new String[] {"worker", "--classpath", "x.jar"},
        new String[] {"tick", "--classpath", "x.jar"},
        new String[] {"serve", "--classpath", "x.jar"},
        new String[] {"dev", "--classpath", "x.jar"})) {
      List<String> all = new ArrayList<>(List.of(command));
      all.addAll(List.of("--url", url));
      Printed refused = by(Map.of(), all.toArray(String[]::new));
      assertThat(refused.exitCode()).as(refused.toString()).isEqualTo(2);
      assertThat(refused.err()).contains("not over --url");
    }
    assertThat(by(Map.of("RUNLANE_URL", url), "doctor").err()).contains("no database");
  }

  @Test
  void a_server_that_is_silent_or_gone_cannot_be_reached() {
    NetServer silent =
        await(fleet.vertx.createNetServer().connectHandler(socket -> {}).listen(0));
    String address = "http://127.0.0.1:" + silent.actualPort();

    Printed late = by(Map.of(), "workers", "--url", address, "--answer-within", "300ms");
    await(silent.close());
    Printed gone = by(Map.of(), "workers", "--url", address);

    assertThat(late.exitCode()).as(late.toString()).isEqualTo(5);
    assertThat(late.err()).contains("operator API").doesNotContain("database");
    assertThat(gone.exitCode()).as(gone.toString()).isEqualTo(5);
  }
}
