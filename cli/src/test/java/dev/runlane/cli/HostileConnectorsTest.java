package dev.runlane.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runlane.cli.report.ExitCode;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Through the command; those tagged are shown of the runtime itself too, by the tests of connector-runtime. */
@Tag("slow")
@DisplayName("a hostile connector")
@DisplayNameGeneration(ReplaceUnderscores.class)
class HostileConnectorsTest {
  private static final String VIOLATION = "connector_protocol_violation";
  private static final int KILLED = 128 + 9;
  private static final List<String> QUICK = List.of("--limit-exit", "500ms");

  @Test
  void that_is_not_hostile_at_all_completes() throws Exception {
    try (CommandRun run = CommandRun.of(List.of(), "well_behaved.sh")) {
      assertThat(run.exitCode()).isEqualTo(ExitCode.COMPLETED.value());
      assertThat(run.summary().path("status").asText()).isEqualTo("completed");
      assertThat(run.summary().path("records").path("items").path("accepted").asInt())
          .isEqualTo(2);
      assertThat(run.summary().path("state").path("items").path("at").asInt()).isEqualTo(2);
      assertThat(run.eventTypes())
          .startsWith("run.started")
          .contains("run.state_staged")
          .endsWith("run.completed");
      run.assertOneEndAndNothingLeft();
    }
  }

  @Tag("full")
  @Test
  void R2_S4_that_goes_on_after_DONE_fails_and_leaves_no_cursor() throws Exception {
    for (String script : List.of("output_after_done.sh", "output_after_done_late.sh")) {
      try (CommandRun run = CommandRun.of(List.of(), script)) {
        assertViolation(run, "message_after_done", 1);
        assertThat(run.violation().path("line").asInt()).isEqualTo(4);
      }
    }
  }

  @Tag("full")
  @Test
  void R3_S4_that_counts_wrong_fails_with_both_counts() throws Exception {
    try (CommandRun run = CommandRun.of(List.of(), "wrong_count.sh")) {
      assertViolation(run, "records_emitted_mismatch", 1);
      assertThat(run.summary().path("terminal").path("records_emitted").asInt()).isEqualTo(1);
      assertThat(run.summary().path("terminal").path("reported_records_emitted").asInt())
          .isEqualTo(3);
    }
  }

  @Tag("full")
  @Test
  void R3_S4_that_exits_as_if_it_had_failed_fails() throws Exception {
    try (CommandRun run = CommandRun.of(List.of(), "exit_code.sh")) {
      assertViolation(run, "exit_code_mismatch", 1);
      assertThat(run.terminal("exit_code").asInt()).isEqualTo(7);
    }
  }

  @Tag("full")
  @Test
  void R2_S1_that_sends_an_undeclared_stream_keeps_the_record_before_it() throws Exception {
    try (CommandRun run = CommandRun.of(List.of(), "undeclared_stream.sh")) {
      assertViolation(run, "record_for_undeclared_stream", 1);
      assertThat(run.violation().path("line").asInt()).isEqualTo(2);
    }
  }

  @Tag("full")
  @Test
  void R2_S1_that_sends_a_resource_nobody_asked_for_keeps_the_record_before_it() throws Exception {
    String scope = "{\"streams\":[{\"name\":\"items\",\"resources\":[\"a\"]}]}";
    try (CommandRun run = CommandRun.of(List.of("--scope", scope), "outside_resources.sh")) {
      assertViolation(run, "record_outside_resources", 1);
    }
  }

  @Tag("full")
  @Test
  void R5_S4_that_writes_no_JSON_while_it_waits_for_an_answer_fails_at_once() throws Exception {
    try (CommandRun run =
        CommandRun.of(List.of("--interaction", "ask"), "not_json_while_waiting.sh")) {
      assertViolation(run, "message_while_waiting", 0);
      assertThat(run.violation().path("line").asInt()).isEqualTo(2);
      assertThat(run.eventTypes()).doesNotContain("run.interaction_completed");
      assertThat(run.printed()).doesNotContain("thinking");
    }
  }

  @Tag("full")
  @Test
  void R5_S3_that_asks_where_nobody_can_answer_fails_without_an_event_of_it() throws Exception {
    try (CommandRun run = CommandRun.of(List.of("--no-interaction"), "asks_unasked.sh")) {
      assertViolation(run, "interaction_unavailable", 0);
      assertThat(run.eventTypes()).containsExactly("run.started", "run.failed");
    }
  }

  @Test
  void that_never_exits_after_DONE_is_killed_and_has_not_succeeded() throws Exception {
    try (CommandRun run = CommandRun.here(QUICK, "never_exits.sh")) {
      assertViolation(run, "exit_code_mismatch", 1);
      assertThat(run.terminal("exit_code").asInt()).isEqualTo(KILLED);
    }
  }

  @Test
  void that_never_talks_is_ended_by_the_limit_of_silence() throws Exception {
    try (CommandRun run = CommandRun.here(List.of("--limit-silence", "500ms"), "never_talks.sh")) {
      assertFailure(run, "run_timed_out", 0);
    }
  }

  @Tag("full")
  @Test
  void that_runs_for_too_long_is_ended_by_the_limit_of_time() throws Exception {
    try (CommandRun run = CommandRun.of(List.of("--limit-time", "1s"), "endless_records.sh")) {
      assertThat(run.exitCode()).isEqualTo(ExitCode.FAILED.value());
      assertThat(run.summary().path("reason").asText()).isEqualTo("run_timed_out");
      run.assertOneEndAndNothingLeft();
    }
  }

  @Test
  void whose_grandchild_ignores_SIGTERM_in_a_session_of_its_own_leaves_no_process()
      throws Exception {
    try (CommandRun run = CommandRun.here(List.of(), "deaf_grandchild.sh")) {
      assertThat(run.exitCode()).isEqualTo(ExitCode.COMPLETED.value());
      assertThat(run.accepted()).isEqualTo(1);
      run.assertOneEndAndNothingLeft();
    }
  }

  @Tag("full")
  @Test
  void that_starts_a_hundred_deaf_processes_leaves_none() throws Exception {
    try (CommandRun run = CommandRun.of(List.of(), "fork_bomb.sh")) {
      assertViolation(run, "invalid_json", 0);
    }
  }

  @Test
  void with_a_line_of_100_MB_fails_within_a_heap_of_96() throws Exception {
    List<String> limited = List.of("--limit-line", "1048576");
    try (CommandRun run = CommandRun.of(limited, "long_line.sh")) {
      assertViolation(run, "line_too_long", 1);
      assertThat(run.violation().path("line").asInt()).isEqualTo(2);
    }
    try (CommandRun run = CommandRun.of(limited, "endless_line.sh")) {
      assertViolation(run, "line_too_long", 0);
      assertThat(run.violation().path("line").asInt()).isEqualTo(1);
    }
  }

  @Tag("full")
  @Test
  void that_makes_endless_noise_fails_on_its_first_line() throws Exception {
    try (CommandRun run = CommandRun.of(List.of(), "endless_noise.sh")) {
      assertViolation(run, "invalid_json", 0);
      assertThat(run.violation().path("line").asInt()).isEqualTo(1);
    }
  }

  @Tag("full")
  @Test
  void that_sends_endless_records_is_ended_by_the_limit_of_output() throws Exception {
    try (CommandRun run =
        CommandRun.of(List.of("--limit-output", "10000000"), "endless_records.sh")) {
      assertThat(run.exitCode()).isEqualTo(ExitCode.FAILED.value());
      assertThat(run.summary().path("reason").asText()).isEqualTo(VIOLATION);
      assertThat(run.violation().path("subtype").asText()).isEqualTo("too_much_output");
      run.assertOneEndAndNothingLeft();
    }
  }

  @Test
  void with_more_records_than_its_heap_would_hold_completes() throws Exception {
    try (CommandRun run = CommandRun.within("64m", List.of(), "many_records.sh", "700000")) {
      assertThat(run.exitCode()).isEqualTo(ExitCode.COMPLETED.value());
      JsonNode items = run.summary().path("records").path("items");
      assertThat(items.path("accepted").asInt()).isEqualTo(700_000);
      assertThat(items.path("bytes").asLong()).isGreaterThan(91L * 700_000);
      run.assertOneEndAndNothingLeft();
    }
  }

  @Test
  void that_shows_its_secret_is_told_without_it() throws Exception {
    try (CommandRun run =
        CommandRun.of(List.of("--secret", "HOSTILE_TOKEN"), "secret_on_stderr.sh")) {
      assertFailure(run, "connector_exit_without_done", 0);
      assertThat(run.printed()).contains("login failed").doesNotContain("s3cr3t", "of-the/owner");
    }
  }

  @Tag("full")
  @Test
  void that_shows_its_secret_encoded_in_its_cursor_and_in_names_is_told_without_it()
      throws Exception {
    for (String ending : List.of("keeps", "violates")) {
      try (CommandRun run =
          CommandRun.of(List.of("--secret", "HOSTILE_TOKEN"), "secret_everywhere.sh", ending)) {
        assertThat(run.exitCode())
            .isEqualTo((ending.equals("keeps") ? ExitCode.COMPLETED : ExitCode.FAILED).value());
        assertThat(run.printed())
            .contains("sent [REDACTED]", "asked /?k=[REDACTED]")
            .doesNotContain("s3cr3t", "of-the", "czNjcjN0");
      }
    }
  }

  @Tag("full")
  @Test
  void whose_descendant_hides_from_it_and_everybody_leaves_no_process() throws Exception {
    String nap = "7" + System.nanoTime() % 1_000_000_000;
    try (CommandRun run = CommandRun.of(List.of(), "hidden_orphan.sh", nap)) {
      assertThat(run.exitCode()).isEqualTo(ExitCode.COMPLETED.value());
      assertThat(run.accepted()).isEqualTo(1);
      assertThat(ProcessHandle.allProcesses()
              .map(process -> process.info().commandLine().orElse(""))
              .filter(line -> line.endsWith("sleep " + nap)))
          .isEmpty();
    }
  }

  @Tag("full")
  @Test
  void that_closes_its_output_early_has_ended_without_DONE() throws Exception {
    try (CommandRun run = CommandRun.of(QUICK, "stdout_closed_early.sh")) {
      assertFailure(run, "connector_exit_without_done", 0);
    }
  }

  @Tag("full")
  @Test
  void that_closes_its_input_and_then_asks_cannot_be_answered() throws Exception {
    List<String> options = List.of("--interaction", "ask", "--limit-exit", "500ms");
    try (CommandRun run = CommandRun.of(options, "stdin_closed.sh")) {
      run.awaitEvent("run.interaction_required").type("123456");

      assertFailure(run, "connector_stdin_closed", 0);
      assertThat(run.printed()).doesNotContain("123456");
    }
  }

  @Test
  void that_is_killed_has_ended_without_DONE_and_leaves_no_cursor() throws Exception {
    try (CommandRun run = CommandRun.here(List.of(), "killed_between.sh")) {
      assertFailure(run, "connector_exit_without_done", 1);
      assertThat(run.terminal("exit_code").asInt()).isEqualTo(KILLED);
    }
  }

  @Tag("full")
  @Test
  void that_is_killed_in_the_middle_of_a_record_has_written_a_line_that_is_no_message()
      throws Exception {
    try (CommandRun run = CommandRun.of(List.of(), "killed.sh")) {
      assertViolation(run, "invalid_json", 1);
      assertThat(run.violation().path("line").asInt()).isEqualTo(2);
    }
  }

  @Tag("full")
  @Test
  void whose_blank_lines_mean_nothing_breaks_a_rule_in_the_line_an_editor_shows() throws Exception {
    try (CommandRun run = CommandRun.of(List.of(), "blank_lines.sh")) {
      assertViolation(run, "record_for_undeclared_stream", 2);
      assertThat(run.violation().path("line").asInt()).isEqualTo(6);
    }
  }

  @Test
  void with_JSON_of_a_hundred_thousand_levels_fails() throws Exception {
    try (CommandRun run = CommandRun.here(List.of(), "deep_json.sh")) {
      assertViolation(run, "invalid_json", 0);
    }
  }

  @Tag("full")
  @Test
  void with_bytes_that_are_no_text_fails() throws Exception {
    try (CommandRun run = CommandRun.of(List.of(), "not_utf8.sh")) {
      assertViolation(run, "invalid_json", 0);
    }
  }

  @Test
  void R4_S7_is_cancelled_by_Ctrl_C_with_all_its_processes() throws Exception {
    try (CommandRun run = CommandRun.of(List.of(), "never_talks.sh")) {
      run.awaitEvent("run.started").interrupt();

      assertThat(run.exitCode()).isEqualTo(ExitCode.INTERRUPTED.value());
      assertThat(run.eventTypes()).contains("run.cancel_requested").endsWith("run.cancelled");
      assertThat(run.summary().path("reason").asText()).isEqualTo("owner_cancel_forced");
      run.assertOneEndAndNothingLeft();
    }
  }

  private static void assertViolation(CommandRun run, String subtype, int accepted)
      throws Exception {
    assertFailure(run, VIOLATION, accepted);
    assertThat(run.violation().path("subtype").asText()).isEqualTo(subtype);
    assertThat(run.terminal("violation").path("subtype").asText()).isEqualTo(subtype);
  }

  /** What was valid is kept where that can be told, nothing else is, and no cursor. */
  private static void assertFailure(CommandRun run, String reason, int accepted) throws Exception {
    assertThat(run.exitCode()).as(run.printed()).isEqualTo(ExitCode.FAILED.value());
    assertThat(run.summary().path("status").asText()).isEqualTo("failed");
    assertThat(run.summary().path("reason").asText()).isEqualTo(reason);
    assertThat(run.summary().path("state")).as("nothing is committed").isEmpty();
    assertThat(run.terminal("state_streams_committed").asInt()).isZero();
    assertThat(run.accepted()).isEqualTo(accepted);
    run.assertOneEndAndNothingLeft();
  }
}
