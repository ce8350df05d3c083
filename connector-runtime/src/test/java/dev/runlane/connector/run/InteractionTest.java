package dev.runlane.connector.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.connector.protocol.message.InteractionStatus;
import dev.runlane.connector.run.Runs.Begun;
import dev.runlane.connector.run.Runs.Finished;
import dev.runlane.connector.run.request.AnswerOutcome;
import dev.runlane.connector.run.request.BrowserSurface;
import dev.runlane.connector.store.timeline.TimelineEvent;
import dev.runlane.run.Json;
import dev.runlane.testinfra.process.Poll;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayNameGeneration(ReplaceUnderscores.class)
@DisplayName("a connector that asks its owner")
class InteractionTest {
  private static final String ASK =
      "read -r start; echo '{\"type\":\"INTERACTION\",\"request_id\":\"q1\",\"kind\":\"%s\",\"message\":\"Code?\",\"stream\":\"books\"%s}'; ";
  private static final String DONE =
      "echo '{\"type\":\"DONE\",\"status\":\"succeeded\",\"records_emitted\":0}'";
  private static final String ANSWERED = "run.interaction_completed";

  private final Runs runs = new Runs();

  @AfterEach
  void close() {
    runs.close();
  }

  @Test
  void R5_S1_R5_S2_waits_and_is_given_the_answer_which_is_in_no_event_whatever_it_says_later() {
    Begun run = runs.begin(
        ask("otp", ",\"schema\":{\"type\":\"object\"},\"timeout_seconds\":60")
            + "read -r answer; "
            + "case \"$answer\" in *'\"request_id\":\"q1\",\"status\":\"success\",\"data\":{\"code\":\"swordfish\"}'*) ;; *) exit 9 ;; esac; "
            + "echo 'it said swordfish' >&2; "
            + "echo '{\"type\":\"PROGRESS\",\"message\":\"got swordfish\"}'; "
            + "echo '{\"type\":\"SKIP_RESULT\",\"reason\":\"swordfish\",\"diagnostics\":{\"x\":\"swordfish\"}}'; "
            + "echo '{\"type\":\"STATE\",\"stream\":\"books\",\"cursor\":{\"session\":\"swordfish\"}}'; "
            + "echo '{\"type\":\"DONE\",\"status\":\"failed\",\"records_emitted\":0,\"error\":{\"message\":\"swordfish is wrong\"}}'; exit 1");
    TimelineEvent asked = runs.signals.await("run.interaction_required");
    assertThat(asked.interactionId()).isEqualTo("q1");
    assertThat(Runs.data(asked).toString())
        .contains("\"kind\":\"otp\"")
        .contains("\"stream\":\"books\"")
        .contains("\"message\":\"Code?\"")
        .contains("\"schema\":{\"type\":\"object\"}")
        .contains("\"timeout_seconds\":60");

    assertThat(answer(run, "q1", InteractionStatus.SUCCESS, "{\"code\":\"swordfish\"}"))
        .isEqualTo(AnswerOutcome.DELIVERED);

    Finished finished = runs.finish(run);
    assertThat(finished.the(ANSWERED).toString())
        .contains("\"status\":\"success\"")
        .contains("\"kind\":\"otp\"")
        .contains("\"stream\":\"books\"");
    assertThat(finished.types())
        .contains("run.assistance_requested", "run.assistance_resolved", "run.progress_reported");
    assertThat(finished.end().path("connector_error_message").asText())
        .isEqualTo("[REDACTED] is wrong");
    assertThat(finished.events().stream()
            .map(event -> event.data().text())
            .collect(Collectors.joining()))
        .doesNotContain("swordfish");
    assertThat(finished.ended().history().toString()).doesNotContain("swordfish");
    assertThat(Runs.await(run.run().stderrTail()).orElseThrow().text())
        .isEqualTo("it said [REDACTED]\n");
  }

  @Test
  void has_no_cursor_with_the_answer_in_the_history_though_the_cursor_is_stored() {
    Begun run = runs.begin(ask("otp", "") + "read -r answer; "
        + "echo '{\"type\":\"STATE\",\"stream\":\"books\",\"cursor\":{\"session\":\"swordfish\"}}'; "
        + "echo '{\"type\":\"STATE\",\"stream\":\"loans\",\"cursor\":{\"page\":5}}'; " + DONE);
    runs.signals.await("run.interaction_required");
    answer(run, "q1", InteractionStatus.SUCCESS, "{\"code\":\"swordfish\"}");

    Finished finished = runs.finish(run);

    assertThat(Runs.tree(finished.ended().history().result().state()).toString())
        .isEqualTo("{\"loans\":{\"page\":5}}");
    assertThat(runs.cursors().get("books").cursor().text()).contains("swordfish");
  }

  @Test
  void that_asks_again_under_the_same_id_breaks_the_protocol() {
    Begun run = runs.begin(ask("otp", "") + "read -r answer; "
        + ask("otp", "").replace("read -r start; ", "") + "exec sleep 60");
    runs.signals.await("run.interaction_required");
    answer(run, "q1", InteractionStatus.SUCCESS, "{\"code\":\"right\"}");

    Finished finished = runs.finish(run);

    assertThat(finished.subtype()).isEqualTo("invalid_message");
    assertThat(finished.types()).filteredOn("run.interaction_required"::equals).hasSize(1);
  }

  @Test
  void that_asks_two_questions_the_owner_cannot_tell_apart_breaks_the_protocol() {
    runs.redaction.add(List.of("hunter2", "swordfish"));

    Finished finished = runs.run(ask("otp", ",\"timeout_seconds\":0.01").replace("q1", "hunter2")
        + "read -r answer; "
        + ask("otp", "").replace("read -r start; ", "").replace("q1", "swordfish")
        + "exec sleep 60");

    assertThat(finished.subtype()).isEqualTo("invalid_message");
  }

  @Test
  void that_asks_on_and_on_breaks_the_protocol_with_the_1001st_question() {
    Finished finished = runs.run(
        "read -r start; i=0; while :; do i=$((i+1)); "
            + "echo '{\"type\":\"INTERACTION\",\"request_id\":\"q'$i'\",\"kind\":\"otp\","
            + "\"message\":\"Code?\",\"timeout_seconds\":0.001}'; read -r answer || exec sleep 60; done");

    assertThat(finished.subtype()).isEqualTo("invalid_message");
    assertThat(finished.end().path("violation").path("line").asLong()).isEqualTo(1_001);
  }

  @Test
  void R5_S2_a_cancelled_question_leaves_a_gap_and_the_connector_may_go_on() {
    Begun run = runs.begin(ask("credentials", "") + answeredWith("cancelled"));
    runs.signals.await("run.interaction_required");

    answer(run, "q1", InteractionStatus.CANCELLED, null);

    Finished finished = runs.finish(run);
    assertThat(finished.the(ANSWERED).path("status").asText()).isEqualTo("cancelled");
    assertThat(finished.terminal().type().value()).isEqualTo("run.completed");
    assertThat(finished.end().path("known_gaps").toString())
        .contains("interaction_cancelled")
        .contains("refresh_credentials");
    assertThat(finished.ended().history().result().needsAttention()).isTrue();
  }

  @Test
  void R5_S2_a_question_that_nobody_answers_in_time_times_out() {
    Finished run = runs.run(ask("otp", ",\"timeout_seconds\":0.05") + answeredWith("timeout"));

    assertThat(run.the(ANSWERED).path("status").asText()).isEqualTo("timeout");
    assertThat(run.events())
        .filteredOn(event -> event.type().value().equals(ANSWERED))
        .extracting(TimelineEvent::status)
        .containsExactly("timeout");
    assertThat(run.terminal().type().value()).isEqualTo("run.completed");
  }

  @Test
  void R5_S3_a_question_that_nobody_can_answer_is_a_violation_and_is_not_told() {
    runs.interactive = false;

    Finished run = runs.run(ask("otp", "") + "exec sleep 60");

    assertThat(run.subtype()).isEqualTo("interaction_unavailable");
    assertThat(run.the("run.started").path("bindings").toString()).doesNotContain("interactive");
    assertThat(run.types()).doesNotContain("run.interaction_required", ANSWERED);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"type\":\"PROGRESS\",\"message\":\"m\"}",
        "not json",
        "{\"type\":\"INTERACTION\",\"request_id\":\"q2\",\"kind\":\"otp\",\"message\":\"m\"}",
        "{\"type\":\"DONE\",\"status\":\"succeeded\",\"records_emitted\":0}"
      })
  void R5_S4_any_line_while_a_question_waits_is_a_violation(String line) {
    Finished run = runs.run(ask("otp", "") + "sleep 0.1; echo '" + line + "'; exec sleep 60");

    assertThat(run.reason()).isEqualTo("connector_protocol_violation");
    assertThat(run.subtype()).isEqualTo("message_while_waiting");
    assertThat(run.types()).contains("run.interaction_required").doesNotContain(ANSWERED);
  }

  @ParameterizedTest
  @EnumSource
  void R5_S5_a_browser_that_goes_away_cancels_the_question_that_needs_it(Loss loss) {
    runs.options
        .setSurfacePoll(Duration.ofMillis(20))
        .setSurfaceProbeTimeout(Duration.ofMillis(50));
    int[] probes = {0};
    runs.surface =
        () -> ++probes[0] < 3 ? Future.succeededFuture(BrowserSurface.Probe.OK) : loss.probe();
    Begun run = runs.begin(ask("manual_action", "") + answeredWith("cancelled"));

    Finished finished = runs.finish(run);

    assertThat(finished.the("run.browser_surface_lost").toString())
        .contains("\"interaction_id\":\"q1\"")
        .contains("\"kind\":\"manual_action\"")
        .contains("\"ok\":false,\"code\":\"" + loss.code + "\"");
    assertThat(finished.the(ANSWERED).path("status").asText()).isEqualTo("cancelled");
    assertThat(finished.types().indexOf("run.browser_surface_lost"))
        .isLessThan(finished.types().indexOf(ANSWERED));
    assertThat(probes[0]).isEqualTo(3);
    assertThat(answer(run, "q1", InteractionStatus.SUCCESS, "{}"))
        .isEqualTo(AnswerOutcome.NO_PENDING_INTERACTION);
  }

  @Test
  void R5_S5_a_code_that_comes_by_the_browser_is_cancelled_with_it() {
    runs.options.setSurfacePoll(Duration.ofMillis(20));
    runs.surface = () -> Future.failedFuture("not there");

    Finished run = runs.run(ask("otp", "") + answeredWith("cancelled"));

    assertThat(run.the("run.browser_surface_lost").path("kind").asText()).isEqualTo("otp");
    assertThat(run.the(ANSWERED).path("status").asText()).isEqualTo("cancelled");
    assertThat(run.terminal().type().value()).isEqualTo("run.completed");
  }

  @Test
  void R5_S5_credentials_need_no_browser() {
    runs.options.setSurfacePoll(Duration.ofMillis(10));
    runs.surface = () -> Future.failedFuture("not there");

    Finished run =
        runs.run(ask("credentials", ",\"timeout_seconds\":0.2") + answeredWith("timeout"));

    assertThat(run.types()).doesNotContain("run.browser_surface_lost");
  }

  @Test
  void R6_S3_R6_S4_only_the_current_question_can_be_answered() {
    Begun run = runs.begin(ask("otp", "")
        + "read -r answer; case \"$answer\" in *right*) ;; *) exit 9 ;; esac; "
        + "echo '{\"type\":\"INTERACTION\",\"request_id\":\"q2\",\"kind\":\"otp\",\"message\":\"Again?\"}'; "
        + answeredWith("success"));
    runs.signals.await("run.interaction_required");

    assertThat(answer(run, "q0", InteractionStatus.SUCCESS, "{\"code\":\"wrong\"}"))
        .isEqualTo(AnswerOutcome.INTERACTION_ID_MISMATCH);
    assertThat(answer(run, "q1", InteractionStatus.SUCCESS, "{\"code\":\"right\"}"))
        .isEqualTo(AnswerOutcome.DELIVERED);
    assertThat(answer(run, "q1", InteractionStatus.SUCCESS, "{\"code\":\"again\"}"))
        .isNotEqualTo(AnswerOutcome.DELIVERED);
    awaitQuestion(run, "q2");
    answer(run, "q2", InteractionStatus.SUCCESS, null);

    Finished finished = runs.finish(run);
    assertThat(finished.terminal().type().value()).isEqualTo("run.completed");
    assertThat(answer(run, "q2", InteractionStatus.SUCCESS, null))
        .isEqualTo(AnswerOutcome.NO_PENDING_INTERACTION);
  }

  @Test
  void a_child_that_exits_while_its_question_waits_ends_the_run_at_once() {
    Begun run = runs.begin(ask("otp", "") + "exit 4");

    Finished finished = runs.finish(run);

    assertThat(finished.reason()).isEqualTo("connector_exit_without_done");
    assertThat(finished.types()).contains("run.interaction_required").doesNotContain(ANSWERED);
    assertThat(finished.ended().history().result().needsAttention()).isTrue();
    assertThat(answer(run, "q1", InteractionStatus.SUCCESS, null))
        .isEqualTo(AnswerOutcome.NO_PENDING_INTERACTION);
  }

  @Test
  void a_child_that_closed_its_input_before_the_answer_fails_the_run() {
    runs.withoutPatience();
    Begun run = runs.begin(ask("otp", "") + "exec <&-; echo up >&2; exec sleep 60");
    runs.signals.await("run.interaction_required");
    await(() -> Runs.await(run.run().stderrTail()).orElseThrow().bytesObserved() > 0);

    answer(run, "q1", InteractionStatus.SUCCESS, null);

    Finished finished = runs.finish(run);
    assertThat(finished.reason()).isEqualTo("connector_stdin_closed");
    assertThat(finished.end().path("stdin_closed_at_phase").asText())
        .isEqualTo("interaction_response");
  }

  private void awaitQuestion(Begun run, String id) {
    await(() -> Runs.await(run.run().pendingInteraction())
        .filter(question -> question.requestId().equals(id))
        .isPresent());
  }

  private static void await(BooleanSupplier condition) {
    assertThat(Poll.until(Duration.ofMinutes(1), condition)).isTrue();
  }

  private AnswerOutcome answer(
      Begun run, String id, InteractionStatus status, @Nullable String data) {
    return Runs.await(run.run().answer(id, status, data == null ? null : Json.ofChecked(data)));
  }

  private static String ask(String kind, String more) {
    return ASK.formatted(kind, more);
  }

  private static String answeredWith(String status) {
    return "read -r answer; case \"$answer\" in *'\"status\":\"" + status
        + "\"'*) ;; *) exit 9 ;; esac; "
        + "echo '{\"type\":\"DONE\",\"status\":\"succeeded\",\"records_emitted\":0}'";
  }

  /** How a browser can go away. */
  enum Loss {
    TOLD("browser_surface_page_stale") {
      @Override
      Future<BrowserSurface.Probe> probe() {
        return Future.succeededFuture(new BrowserSurface.Probe(code, "gone"));
      }
    },
    FAILED("browser_surface_cdp_unreachable") {
      @Override
      Future<BrowserSurface.Probe> probe() {
        return Future.failedFuture("connection refused");
      }
    },
    THROWN("browser_surface_cdp_unreachable") {
      @Override
      Future<BrowserSurface.Probe> probe() {
        throw new IllegalStateException("no client");
      }
    },
    SILENT("browser_surface_probe_timeout") {
      @Override
      Future<BrowserSurface.Probe> probe() {
        return Promise.<BrowserSurface.Probe>promise().future();
      }
    };

    final String code;

    Loss(String code) {
      this.code = code;
    }

    abstract Future<BrowserSurface.Probe> probe();
  }
}
