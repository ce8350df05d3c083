package dev.runlane.connector.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.connector.store.history.RunHistoryEntry;
import dev.runlane.connector.store.history.RunResultFacts;
import dev.runlane.connector.store.history.RunStatus;
import dev.runlane.connector.store.key.AutomationMode;
import dev.runlane.connector.store.key.ConnectorRef;
import dev.runlane.connector.store.key.RunIdentity;
import dev.runlane.connector.store.key.RunTrigger;
import dev.runlane.run.Json;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayNameGeneration(ReplaceUnderscores.class)
class RetryRulesTest {
  private static final Instant NOON = Instant.parse("2026-03-04T12:00:00Z");

  private static RunHistoryEntry failed(
      String reason, Integer httpStatus, String error, String connectorError, String gaps) {
    return new RunHistoryEntry(
        new RunIdentity("run_1", "trc_1", ConnectorRef.of("shelf")),
        RunTrigger.scheduled(AutomationMode.UNATTENDED, 1),
        RunStatus.FAILED,
        NOON,
        NOON,
        reason,
        reason,
        error,
        httpStatus,
        new RunResultFacts(
            0,
            null,
            null,
            Json.ofChecked(gaps == null ? "[]" : gaps),
            null,
            connectorError == null ? null : Json.ofChecked(connectorError),
            false));
  }

  @ParameterizedTest
  @CsvSource({
    "rate_limit_error, 429, RETRY",
    "slow_down, 429, RETRY",
    "ingest_http_error, 500, RETRY",
    "ingest_http_error, 503, RETRY",
    "ingest_http_error, , RETRY",
    "ingest_batch_storage_error, , RETRY",
    "stored_records_lost, , RETRY",
    "ingest_http_error, 418, FINAL",
    "ingest_http_error, 302, FINAL",
    "invalid_request, 400, FINAL",
    "connector_protocol_violation, , FINAL",
    "authentication_error, 401, FINAL",
    "permission_error, 403, FINAL",
    "grant_consumed, 403, FINAL",
    "grant_expired, , FINAL",
    "grant_invalid, , FINAL",
    "grant_revoked, , FINAL",
    "connector_invalid, , FINAL",
    "ingest_response_invalid, 200, FINAL",
    "ingest_envelope_contract_violation, 200, FINAL",
    "run_timed_out, , FINAL",
    "connector_reported_cancelled, , FINAL",
    "owner_cancelled, , FINAL",
    "owner_cancel_forced, , FINAL",
    "connector_exit_without_done, , RETRY",
    "runtime_error, , RETRY",
    "connector_stdin_closed, , RETRY",
    "launch_failed, , RETRY",
    "controller_restarted, , RETRY",
    "controller_terminated_before_run_finished, , RETRY",
    "interaction_handler_invalid_response, , FINAL",
    "something_nobody_knows, , FINAL"
  })
  void R8_S3_every_reason_has_its_verdict(String reason, Integer httpStatus, RetryVerdict verdict) {
    assertThat(RetryRules.of(failed(reason, httpStatus, null, null, null))).isEqualTo(verdict);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{\"retryable\":true} | | RETRY",
        "{\"retryable\":false} | | FINAL",
        "{\"retryable\":false} | [{\"recovery_hint\":{\"action\":\"retry_by_runtime\",\"retryable\":true}}] | FINAL",
        "{\"message\":\"the page moved\"} | | RETRY",
        "{\"message\":\"the page moved\"} | [{\"recovery_hint\":{\"action\":\"refresh_credentials\"}}] | NEEDS_PERSON",
        "{\"message\":\"x\"} | [{\"recovery_hint\":{\"action\":\"manual_action_required\"}}] | NEEDS_PERSON",
        "{\"message\":\"got HTTP 401 back\"} | | NEEDS_PERSON",
        "{\"message\":\"got 4010 rows\"} | | RETRY",
        "{\"message\":\"Unauthorized.\"} | | NEEDS_PERSON",
        "{\"code\":\"credentials_required\",\"message\":\"x\"} | | NEEDS_PERSON",
        "{\"code\":\"credential_required\",\"message\":\"x\"} | | NEEDS_PERSON",
        "{\"code\":\"shop_session_required\",\"message\":\"x\"} | | NEEDS_PERSON",
        "{\"message\":\"shop_session_failed: no page\"} | | NEEDS_PERSON",
        "{\"code\":\"shop_session_required\",\"retryable\":true} | | RETRY",
        "{\"message\":\"reauthored pages\"} | | RETRY",
        "{\"message\":\"session_expired\"} | | NEEDS_PERSON",
        "{\"message\":\"forbidden fruit\"} | | NEEDS_PERSON"
      })
  void a_connector_that_says_failed_is_taken_at_its_word(
      String connectorError, String gaps, RetryVerdict verdict) {
    RunHistoryEntry run = failed("connector_reported_failed", null, null, connectorError, gaps);

    assertThat(RetryRules.of(run)).isEqualTo(verdict);
  }

  @ParameterizedTest
  @CsvSource({"0,1", "1,1", "2,1", "3,1", "4,2", "5,4", "6,8", "7,16"})
  void the_interval_grows_from_the_fourth_failure_on(int failures, int factor) {
    Duration interval = new FailureStreak(failures, "x").interval(Duration.ofMinutes(10));

    assertThat(interval).isEqualTo(Duration.ofMinutes(10L * factor));
  }

  @Test
  void the_interval_grows_to_a_day_at_most_and_never_shrinks() {
    assertThat(new FailureStreak(6, "x").interval(Duration.ofHours(12)))
        .isEqualTo(Duration.ofHours(24));
    assertThat(new FailureStreak(6, "x").interval(Duration.ofDays(3)))
        .isEqualTo(Duration.ofDays(3));
    assertThat(new FailureStreak(1_000, "x").interval(Duration.ofSeconds(1)))
        .isEqualTo(Duration.ofSeconds(256));
  }

  @Test
  void what_a_connector_says_of_its_failure_counts_however_long_its_numbers_are() {
    String error = "{\"retryable\":false,\"status\":" + "7".repeat(10_000) + "}";

    assertThat(RetryRules.of(failed("connector_reported_failed", null, null, error, null)))
        .isEqualTo(RetryVerdict.FINAL);
  }

  @Test
  void attempts_of_one_occurrence_count_as_one_failure_and_another_class_ends_the_streak() {
    List<RunHistoryEntry> newestFirst = new ArrayList<>();
    newestFirst.add(attempt("rate_limit_error", 3));
    newestFirst.add(attempt("rate_limit_error", 2));
    newestFirst.add(attempt("rate_limit_error", 1));
    newestFirst.add(attempt("rate_limit_error", 1));
    newestFirst.add(attempt("launch_failed", 1));

    assertThat(FailureStreak.of(newestFirst)).isEqualTo(new FailureStreak(2, "rate_limit_error"));
    assertThat(FailureStreak.of(List.of())).isEqualTo(new FailureStreak(0, null));
  }

  private static RunHistoryEntry attempt(String reason, int attempt) {
    RunHistoryEntry run = failed(reason, null, null, null, null);
    return new RunHistoryEntry(
        run.run(),
        RunTrigger.scheduled(AutomationMode.UNATTENDED, attempt),
        run.status(),
        run.startedAt(),
        run.completedAt(),
        run.terminalReason(),
        run.failureReason(),
        run.error(),
        run.httpStatus(),
        run.result());
  }
}
