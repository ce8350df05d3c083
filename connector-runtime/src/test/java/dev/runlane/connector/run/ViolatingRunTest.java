package dev.runlane.connector.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.connector.process.ChildProcessOptions;
import dev.runlane.connector.run.Runs.Finished;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayNameGeneration(ReplaceUnderscores.class)
@DisplayName("a connector that breaks the protocol")
class ViolatingRunTest {
  private static final String GOOD =
      "echo '{\"type\":\"RECORD\",\"stream\":\"books\",\"key\":\"a\",\"emitted_at\":\"t\",\"data\":{\"id\":\"a\"}}'; ";
  private static final String STATE =
      "echo '{\"type\":\"STATE\",\"stream\":\"books\",\"cursor\":{\"page\":5}}'; ";

  private final Runs runs =
      new Runs(new ChildProcessOptions().setMaxLineBytes(1 << 20).setMaxOutputBytes(8 << 20));

  @AfterEach
  void close() {
    runs.close();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{\"type\":\"RECORD\",\"stream\":\"films\",\"key\":\"b\",\"emitted_at\":\"t\",\"data\":{}}|record_for_undeclared_stream",
        "{\"type\":\"RECORD\",\"stream\":\"books\",\"key\":\"b\",\"emitted_at\":\"t\",\"data\":{\"id\":\"b\",\"price\":1,\"at\":\"2026-02-01\"}}|record_outside_fields",
        "{\"type\":\"RECORD\",\"stream\":\"books\",\"key\":\"z\",\"emitted_at\":\"t\",\"data\":{\"id\":\"z\",\"at\":\"2026-02-01\"}}|record_outside_resources",
        "{\"type\":\"RECORD\",\"stream\":\"books\",\"key\":\"b\",\"emitted_at\":\"t\",\"data\":{\"id\":\"b\",\"at\":\"2025-12-31\"}}|record_outside_time_range",
        "{\"type\":\"STATE\",\"stream\":\"films\",\"cursor\":{}}|state_for_undeclared_stream",
        "{\"type\":\"STATE\",\"stream\":\"books\",\"cursor\":7}|state_cursor_invalid",
        "{\"type\":\"PROGRESS\",\"stream\":\"films\",\"message\":\"m\"}|progress_for_undeclared_stream",
        "{\"type\":\"SKIP_RESULT\",\"stream\":\"films\"}|skip_for_undeclared_stream",
        "{\"type\":\"NEWS\"}|unknown_message_type",
        "{\"type\":\"PROGRESS\"}|invalid_message",
        "hello|invalid_json",
        "{\"type\":\"PROGRESS\",\"message\":\"m\",\"count\":1e99999999999}|invalid_json"
      })
  void R2_S1_R2_S2_R2_S3_fails_the_run_keeps_what_was_valid_and_commits_nothing(
      String line, String subtype) {
    runs.scope("""
        [{"name": "books", "fields": ["at"], "resources": ["a", "b"],
          "time_range": {"since": "2026-01-01"}}]""");
    String good =
        "echo '{\"type\":\"RECORD\",\"stream\":\"books\",\"key\":\"a\",\"emitted_at\":\"t\",\"data\":{\"id\":\"a\",\"at\":\"2026-02-01\"}}'; ";

    Finished run = runs.run(good + STATE + good + "echo '" + line + "'; exec sleep 60");

    assertThat(run.terminal().type().value()).isEqualTo("run.failed");
    assertThat(run.reason()).isEqualTo("connector_protocol_violation");
    assertThat(run.subtype()).isEqualTo(subtype);
    assertThat(run.end().path("violation").path("line").asInt()).isEqualTo(4);
    assertThat(run.end().path("violation").path("last_valid_event_type").asText())
        .isEqualTo("run.state_staged");
    assertThat(run.end().path("checkpoint_commit_status").asText()).isEqualTo("not_committed");
    assertThat(run.end().path("records_emitted").asInt()).isEqualTo(2);
    assertThat(run.end().path("records_accepted").asInt()).isEqualTo(2);
    assertThat(runs.records("books")).containsExactly("a");
    assertThat(runs.cursors()).isEmpty();
    assertThat(runs.signals.violations).hasSize(1);
  }

  @Test
  void a_message_of_more_attachments_than_an_event_holds_is_invalid() {
    String attachments = "{\"kind\":\"qr\"},".repeat(32) + "{\"kind\":\"qr\"}";

    Finished run = runs.run(GOOD
        + "echo '{\"type\":\"ASSISTANCE\",\"assistance_request_id\":\"a\",\"progress_posture\":\"blocked\","
        + "\"owner_action\":\"act_elsewhere\",\"response_contract\":\"none\",\"message\":\"look\","
        + "\"attachments\":[" + attachments + "]}'");

    assertThat(run.subtype()).isEqualTo("invalid_message");
    assertThat(runs.records("books")).containsExactly("a");
  }

  @Test
  void R2_S3_progress_of_an_undeclared_stream_names_what_was_expected() {
    Finished run =
        runs.run("echo '{\"type\":\"PROGRESS\",\"stream\":\"films\",\"message\":\"m\"}'");

    assertThat(run.end().path("violation").toString())
        .contains("\"subtype\":\"progress_for_undeclared_stream\"")
        .contains("\"message_type\":\"PROGRESS\"")
        .contains("\"stream\":\"films\"")
        .contains("\"received\":\"films\"")
        .contains("\"expected\":[\"books\",\"loans\"]")
        .contains("\"last_valid_event_type\":\"run.started\"");
    assertThat(run.types()).doesNotContain("run.progress_reported");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "echo '{\"type\":\"PROGRESS\",\"message\":\"m\"}'",
        "sleep 0.2; echo '{\"type\":\"PROGRESS\",\"message\":\"m\"}'",
        "cat >/dev/null; echo not json",
        "echo '{\"type\":\"DONE\",\"status\":\"succeeded\",\"records_emitted\":1}'"
      })
  void R2_S4_output_after_DONE_fails_the_run_and_commits_nothing_however_late_it_comes(
      String more) {
    Finished run = runs.run(GOOD
        + STATE
        + "echo '{\"type\":\"DONE\",\"status\":\"succeeded\",\"records_emitted\":1}'; "
        + more);

    assertThat(run.reason()).isEqualTo("connector_protocol_violation");
    assertThat(run.subtype()).isEqualTo("message_after_done");
    assertThat(runs.records("books")).containsExactly("a");
    assertThat(runs.cursors()).isEmpty();
  }

  @Test
  void a_line_beyond_the_limit_ends_the_run() {
    Finished run = runs.run(GOOD + "head -c 100000000 /dev/zero | tr '\\0' x; echo; exec sleep 60");

    assertThat(run.subtype()).isEqualTo("line_too_long");
    assertThat(run.end().path("violation").path("line").asInt()).isEqualTo(2);
    assertThat(runs.records("books")).containsExactly("a");
  }

  @Test
  void more_output_than_a_run_may_have_ends_it() {
    Finished run = runs.run("while :; do echo '{\"type\":\"PROGRESS\",\"message\":\""
        + "m".repeat(10_000) + "\"}'; done");

    assertThat(run.subtype()).isEqualTo("too_much_output");
  }

  @Test
  void a_child_that_never_exits_after_DONE_is_ended_and_the_run_does_not_succeed() {
    Finished run = runs.withoutPatience()
        .run(
            STATE
                + "echo '{\"type\":\"DONE\",\"status\":\"succeeded\",\"records_emitted\":0}'; exec sleep 60");

    assertThat(run.subtype()).isEqualTo("exit_code_mismatch");
    assertThat(run.end().path("exit_code").asInt()).isEqualTo(128 + 15);
    assertThat(runs.cursors()).isEmpty();
  }

  @Test
  void a_child_that_exits_without_DONE_fails_the_run_with_the_tail_of_its_errors() {
    Finished run =
        runs.run(GOOD + STATE + GOOD + "echo 'login with password=hunter2 failed' >&2; exit 7");

    assertThat(run.reason()).isEqualTo("connector_exit_without_done");
    assertThat(run.end().path("exit_code").asInt()).isEqualTo(7);
    assertThat(run.end()
            .path("connector_diagnostics")
            .path("stderr_tail")
            .path("text")
            .asText())
        .isEqualTo("login with password=[REDACTED] failed\n");
    assertThat(run.end().path("buffered_records_dropped").asInt()).isEqualTo(1);
    assertThat(runs.records("books")).containsExactly("a");
    assertThat(runs.cursors()).isEmpty();
  }

  @Test
  void a_child_that_was_killed_fails_the_run() {
    Finished run = runs.run(STATE + "kill -9 $$");

    assertThat(run.reason()).isEqualTo("connector_exit_without_done");
    assertThat(run.end().path("exit_code").asInt()).isEqualTo(128 + 9);
  }

  @Test
  void a_child_that_closes_its_output_and_stays_is_ended() {
    Finished run = runs.withoutPatience().run(STATE + "exec >&-; exec sleep 60");

    assertThat(run.reason()).isEqualTo("connector_exit_without_done");
  }

  @Test
  void a_child_that_closed_its_input_cannot_be_answered() {
    Finished run = runs.withoutPatience()
        .run("exec <&-; sleep 0.2; "
            + "echo '{\"type\":\"DETAIL_GAPS_PAGE_REQUEST\",\"request_id\":\"p\"}'; exec sleep 60");

    assertThat(run.reason()).isEqualTo("connector_stdin_closed");
    assertThat(run.end().path("stdin_closed_at_phase").asText()).isIn("start", "unknown");
  }

  @Test
  void a_child_that_reads_nothing_and_says_it_all_is_fine() {
    Finished run =
        runs.run("echo '{\"type\":\"DONE\",\"status\":\"succeeded\",\"records_emitted\":0}'");

    assertThat(run.terminal().type().value()).isEqualTo("run.completed");
  }

  @Test
  void a_program_that_is_not_there_ends_the_run_as_not_launched() {
    Finished run = runs.finish(runs.begin(List.of("/no/such/connector")));

    assertThat(run.types()).containsExactly("run.failed");
    assertThat(run.reason()).isEqualTo("launch_failed");
    assertThat(run.end().path("records_emitted").asInt(-1)).isZero();
  }
}
