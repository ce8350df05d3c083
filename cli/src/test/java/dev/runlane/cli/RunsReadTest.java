package dev.runlane.cli;

import static dev.runlane.cli.OperatedFleet.await;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runlane.cli.run.Interruption;
import dev.runlane.cli.terminal.Terminal;
import dev.runlane.run.RunRecord;
import dev.runlane.runtime.task.TaskResult;
import dev.runlane.runtime.task.TriggerOptions;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("runlane runs")
@DisplayNameGeneration(ReplaceUnderscores.class)
class RunsReadTest {
  private static OperatedFleet fleet;
  private static RunRecord succeeded;
  private static RunRecord failed;
  private static RunRecord holding;
  private static RunRecord waiting;

  @BeforeAll
  static void runs() {
    fleet = OperatedFleet.onEmptied();
    succeeded = fleet.ended(1);
    failed = fleet.ended(-1);
    holding = await(fleet.worker.trigger(
            fleet.hold, "first", new TriggerOptions().setIdempotencyKey("first")))
        .run();
    fleet.worker.executeNext();
    OperatedFleet.until(() -> fleet.get(holding.id()).lease() != null);
    waiting =
        await(fleet.worker.trigger(fleet.hold, "a \u001b[31mred\u001b[0m one")).run();
  }

  @AfterAll
  static void end() {
    fleet.close();
  }

  @Test
  void list_shows_runs_in_aligned_columns_the_newest_first() {
    Printed printed = fleet.runlane("runs", "list");

    assertThat(printed.exitCode()).isZero();
    assertThat(printed.err()).isEmpty();
    String[] lines = printed.out().split("\n");
    assertThat(lines).hasSize(5);
    assertThat(lines[0]).startsWith("RUN ").contains("TASK", "QUEUE", "STATUS", "TRIES", "AGE");
    assertThat(lines[1]).startsWith(waiting.id());
    assertThat(lines[3]).startsWith(failed.id()).contains("failed").endsWith("card declined");
    int status = lines[0].indexOf("STATUS");
    assertThat(lines[1].substring(status)).startsWith("queued");
    assertThat(lines[4].substring(status)).startsWith("succeeded");
  }

  @Test
  void list_filters_by_status_task_queue_key_and_time() {
    assertThat(ids("--status", "failed")).containsExactly(failed.id());
    assertThat(ids("--status", "ended", "--task", "charge"))
        .containsExactly(failed.id(), succeeded.id());
    assertThat(ids("--queue", "one,nowhere")).containsExactly(waiting.id(), holding.id());
    assertThat(ids("--key", "first")).containsExactly(holding.id());
    assertThat(ids("--since", "1h")).hasSize(4);
    assertThat(ids("--until", "1h")).isEmpty();
    assertThat(ids("--since", failed.createdAt().toString(), "--task", "charge"))
        .containsExactly(failed.id());
    assertThat(fleet.runlane("runs", "list", "--task", "none").err()).isEqualTo("No run fits.\n");
  }

  private static Iterable<String> ids(String... filter) {
    String[] arguments = new String[filter.length + 2];
    arguments[0] = "runs";
    arguments[1] = "list";
    System.arraycopy(filter, 0, arguments, 2, filter.length);
    return fleet.json(arguments).path("data").findValuesAsText("id");
  }

  @Test
  void list_goes_on_where_the_page_before_ended() {
    JsonNode first = fleet.json("runs", "list", "--limit", "3");
    JsonNode second =
        fleet.json("runs", "list", "--cursor", first.path("nextCursor").asText());

    assertThat(first.path("data")).hasSize(3);
    assertThat(second.path("data").findValuesAsText("id")).containsExactly(succeeded.id());
    assertThat(second.path("nextCursor").isNull()).isTrue();
    assertThat(fleet.runlane("runs", "list", "--limit", "3").out())
        .contains("More: --cursor " + first.path("nextCursor").asText());
  }

  @Test
  void list_of_runs_since_some_time_ago_goes_on_from_the_time_of_its_first_page() {
    JsonNode first = fleet.json("runs", "list", "--since", "1h", "--until", "0s", "--limit", "3");
    JsonNode second = fleet.json(
        "runs",
        "list",
        "--since",
        "1h",
        "--until",
        "0s",
        "--limit",
        "1",
        "--cursor",
        first.path("nextCursor").asText());

    assertThat(first.path("data")).hasSize(3);
    assertThat(second.path("data").findValuesAsText("id")).containsExactly(succeeded.id());
    assertThat(second.path("nextCursor").isNull()).isTrue();
    assertThat(fleet.runlane("runs", "list", "--since", "1h", "--cursor", "soon/x"))
        .extracting(Printed::exitCode)
        .isEqualTo(2);
  }

  @Test
  void a_table_is_as_wide_as_the_terminal_and_never_cuts_an_id() {
    Printed narrow = fleet.at(new Terminal(80, false, false, false), "runs", "list");

    assertThat(narrow.out().lines()).allMatch(line -> line.codePointCount(0, line.length()) <= 80);
    assertThat(narrow.out()).contains(failed.id()).contains("…").doesNotContain("TRIES");
  }

  @Test
  void colours_are_for_terminals_that_want_them() {
    assertThat(fleet.at(new Terminal(200, true, true, false), "runs", "list").out())
        .contains("\u001b[31mfailed\u001b[0m");
    assertThat(fleet.at(new Terminal(200, false, true, false), "runs", "list").out())
        .doesNotContain("\u001b");
    assertThat(Terminal.ofProcess(Map.of("NO_COLOR", "1", "TERM", "xterm")).hasColour())
        .isFalse();
  }

  @Test
  void get_shows_state_attempts_and_payload_and_lets_nothing_stored_steer_the_terminal() {
    Printed printed = fleet.runlane("runs", "get", failed.id());

    assertThat(printed.exitCode()).isZero();
    assertThat(printed.out())
        .contains("status        failed\n")
        .contains("failure       card declined\n")
        .contains("payload\n  -1\n")
        .containsPattern("ATTEMPT +STARTED")
        .containsPattern("1  20.*Z +\\d+m?s  failed");
    assertThat(fleet
            .at(new Terminal(80, true, true, false), "runs", "get", waiting.id())
            .out())
        .doesNotContain("\u001b[31m")
        .contains("\\u001B[31mred");
  }

  @Test
  void no_answer_shows_the_token_of_a_lease() {
    String token = fleet.get(holding.id()).lease().token();

    assertThat(fleet
            .json("runs", "get", holding.id())
            .path("lease")
            .path("workerId")
            .asText())
        .isNotEmpty();
    assertThat(fleet.runlane("runs", "get", holding.id(), "--json").out()).doesNotContain(token);
    assertThat(fleet.runlane("runs", "get", holding.id()).out()).doesNotContain(token);
    assertThat(fleet.runlane("runs", "events", holding.id(), "--json").out()).doesNotContain(token);
    assertThat(fleet.runlane("runs", "events", holding.id()).out()).doesNotContain(token);
  }

  @Test
  void events_tell_the_history_in_order() {
    Printed printed = fleet.runlane("runs", "events", failed.id());

    assertThat(printed.out())
        .containsSubsequence(
            "SEQ",
            "run.created",
            "run.lease_claimed",
            "run.started",
            "run.failed",
            "card declined");
    JsonNode events = fleet.json("runs", "events", failed.id()).path("data");
    assertThat(events.get(0).path("type").asText()).isEqualTo("run.created");
    assertThat(events.get(events.size() - 1).path("type").asText()).isEqualTo("run.failed");
  }

  @Test
  void explain_says_why_a_run_waits_by_what_workers_have_published() {
    Printed printed = fleet.runlane("runs", "explain", waiting.id());

    assertThat(printed.exitCode()).isZero();
    assertThat(printed.out())
        .startsWith("Run " + waiting.id() + " of task hold in queue one is queued.\n")
        .contains("All 1 slots of its partition are taken, by " + holding.id())
        .contains("[partition_full]")
        .doesNotContain("no_task");
    assertThat(fleet.json("runs", "explain", waiting.id()).path("reasons").findValuesAsText("code"))
        .contains("partition_full");
  }

  @Test
  void watch_ends_with_the_run_and_its_exit_code_tells_how() {
    assertThat(fleet.runlane("runs", "watch", succeeded.id()).exitCode()).isZero();
    Printed printed = fleet.runlane("runs", "watch", failed.id());
    assertThat(printed.exitCode()).isEqualTo(1);
    assertThat(printed.out())
        .contains("run.created")
        .endsWith("Run " + failed.id() + " failed: card declined\n");
    assertThat(fleet.runlane("runs", "watch", "--timeout", "1ms", waiting.id()).err())
        .isEqualTo("runlane: run " + waiting.id()
            + " did not end within PT0.001S (operation_cancelled)\n");
  }

  @Test
  void watch_follows_a_run_live_and_ctrl_c_leaves_it_alone() throws Exception {
    try (OperatedFleet other = OperatedFleet.onEmptied().working()) {
      RunRecord run = await(other.worker.trigger(other.hold, "x")).run();
      CompletableFuture<Printed> watching =
          CompletableFuture.supplyAsync(() -> other.runlane("runs", "watch", run.id()));
      Interruption interruption = new Interruption();
      CompletableFuture<Printed> interrupted = CompletableFuture.supplyAsync(
          () -> other.interruptible(interruption, "runs", "watch", run.id()));

      interruption.requested().complete(null);
      assertThat(interrupted.get(60, TimeUnit.SECONDS).exitCode()).isEqualTo(130);
      assertThat(interrupted.join().err()).startsWith("runlane: interrupted");
      other.held.complete(TaskResult.done());

      assertThat(watching.get(60, TimeUnit.SECONDS).exitCode()).isZero();
      assertThat(watching.join().out())
          .containsSubsequence("run.created", "run.started", "run.succeeded", "succeeded\n");
    }
  }

  @Test
  void failures_are_one_line_with_their_code() {
    assertThat(fleet.runlane("runs", "get", "run_unknown"))
        .isEqualTo(new Printed(4, "", "runlane: run run_unknown does not exist (run_not_found)\n"));
    assertThat(fleet.runlane("runs", "explain", "a:b").exitCode()).isEqualTo(1);
    assertThat(fleet.runlane("runs", "list", "--status", "lost").err())
        .startsWith("runlane: --status: there is no lost; there are active, ended, queued");
    assertThat(fleet.runlane("runs", "list", "--since", "yesterday").exitCode()).isEqualTo(2);
    assertThat(fleet.runlane("runs", "list", "--limit", "0").exitCode()).isEqualTo(2);
    assertThat(fleet.runlane("runs", "list", "--cursor", "x").err())
        .containsPattern("^runlane: .*\\(validation_failed\\)\n$");
  }

  @Test
  void a_schema_without_tables_is_told_and_left_as_it_is() {
    Printed printed = fleet.runlane("runs", "list", "--schema", "not_there");

    assertThat(printed.exitCode()).isEqualTo(1);
    assertThat(printed.err())
        .startsWith("runlane: schema not_there lacks migration 1 (runs)")
        .endsWith("(configuration_invalid)\n");
    assertThat(
            fleet.sql("SELECT 1 FROM pg_namespace WHERE nspname = 'not_there'").size())
        .isZero();
  }

  @Test
  void the_address_comes_from_options_variables_or_a_file_and_is_never_shown(@TempDir Path folder)
      throws Exception {
    String address = OperatedFleet.database().toUri();
    Path file = Files.writeString(folder.resolve("database"), address + "\n");
    String[] list = {"runs", "list", "--schema", fleet.schema};

    assertThat(Printed.by(Map.of("RUNLANE_DATABASE_FILE", file.toString()), Terminal.NONE, list)
            .exitCode())
        .isZero();
    assertThat(
            Printed.by("runs", "list", "--schema", fleet.schema, "--database-file", file.toString())
                .exitCode())
        .isZero();
    assertThat(Printed.by("runs", "list", "--schema", fleet.schema, "--database", address)
            .exitCode())
        .isZero();
    assertThat(Printed.by(list).err()).startsWith("runlane: no database: set RUNLANE_DATABASE");
    assertThat(Printed.by(list).exitCode()).isEqualTo(2);
  }

  @Test
  void nothing_of_an_address_is_in_what_is_said_of_it() {
    Printed unreachable =
        Printed.by("runs", "list", "--database", "postgresql://eve:s3cret@127.0.0.1:1/orders");
    Printed malformed = Printed.by("runs", "list", "--database", "postgres//eve:s3cret@x");

    assertThat(unreachable.exitCode()).isEqualTo(5);
    assertThat(unreachable.err()).endsWith("(storage_unavailable)\n").hasLineCount(1);
    assertThat(malformed.exitCode()).isEqualTo(2);
    assertThat(unreachable.err() + malformed.err())
        .doesNotContain("s3cret")
        .doesNotContain("eve")
        .doesNotContain("orders");
  }
}
