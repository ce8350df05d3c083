package dev.runlane.connector.schedule;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import dev.runlane.connector.protocol.text.JsonTrees;
import dev.runlane.connector.run.request.TerminalReason;
import dev.runlane.connector.store.history.RunHistoryEntry;
import dev.runlane.connector.store.history.RunStatus;
import dev.runlane.run.Json;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/** Which failures are tried again. */
public final class RetryRules {
  private static final String REPORTED_FAILED = "connector_reported_failed";
  private static final Set<String> PASSING = Set.of(
      "rate_limit_error",
      "ingest_http_error",
      "ingest_batch_storage_error",
      "stored_records_lost",
      "connector_exit_without_done",
      "connector_stdin_closed",
      "runtime_error",
      "launch_failed",
      "controller_restarted",
      "controller_terminated_before_run_finished",
      TerminalReason.CONTROLLER_STOPPED);
  private static final Set<String> DETERMINISTIC = Set.of(
      "connector_protocol_violation",
      "authentication_error",
      "permission_error",
      "grant_consumed",
      "grant_expired",
      "grant_invalid",
      "grant_revoked",
      "connector_invalid",
      "ingest_response_invalid",
      "ingest_envelope_contract_violation",
      "run_timed_out",
      "assistance_timed_out",
      "interaction_handler_invalid_response",
      "scheduler_dispatch_wedged",
      "connector_reported_cancelled",
      "owner_cancelled",
      "owner_cancel_forced");
  private static final Set<String> ACTIONS_OF_A_PERSON =
      Set.of("manual_action_required", "refresh_credentials");
  private static final Pattern WORDS_OF_A_PERSON = Pattern.compile(
      "(?<![a-z0-9])(401|403|unauthorized|forbidden|invalid_token|auth_missing|credentials?_required"
          + "|credential_rejected|reauth|session_expired|session_failed|session_required)(?![a-z0-9])");

  private RetryRules() {}

  /** Whether the process of the run stopped as it was asked to: the run is no failure of anybody's. */
  static boolean isStopped(RunHistoryEntry run) {
    return TerminalReason.CONTROLLER_STOPPED.equals(run.failureReason());
  }

  /**
   * What the failure of a run asks for. Reasons that nobody knows are final: a wrong guess the other way would hammer
   * on somebody's service. Of a run that did not fail the answer means nothing.
   */
  public static RetryVerdict of(RunHistoryEntry run) {
    String terminal = run.terminalReason() == null ? "" : run.terminalReason();
    String reason = run.failureReason() == null ? terminal : run.failureReason();
    if (run.status() != RunStatus.FAILED || DETERMINISTIC.contains(reason)) {
      return RetryVerdict.FINAL;
    }
    if (terminal.equals(REPORTED_FAILED)) {
      return ofConnector(run);
    }
    Integer status = run.httpStatus();
    if (status != null && status >= 300) { // a redirect that was not followed is none that passes
      return status == 429 || status >= 500 ? RetryVerdict.RETRY : RetryVerdict.FINAL;
    }
    return PASSING.contains(reason) ? RetryVerdict.RETRY : RetryVerdict.FINAL;
  }

  private static RetryVerdict ofConnector(RunHistoryEntry run) {
    Optional<JsonNode> error = tree(run.result().connectorError());
    boolean person = asksForPerson(run, error);
    Optional<JsonNode> retryable =
        error.map(each -> each.path("retryable")).filter(JsonNode::isBoolean);
    if (retryable.isPresent() && retryable.get().booleanValue()) {
      return RetryVerdict.RETRY;
    }
    if (person) {
      return RetryVerdict.NEEDS_PERSON;
    }
    return retryable.isPresent() ? RetryVerdict.FINAL : RetryVerdict.RETRY;
  }

  private static boolean asksForPerson(RunHistoryEntry run, Optional<JsonNode> error) {
    boolean hinted = tree(run.result().knownGaps()).stream()
        .flatMap(gaps -> StreamSupport.stream(gaps.spliterator(), false))
        .map(gap -> gap.path("recovery_hint").path("action").asText())
        .anyMatch(ACTIONS_OF_A_PERSON::contains);
    return hinted
        || isOfPerson(run.error())
        || error
            .filter(each -> isOfPerson(each.path("code").asText())
                || isOfPerson(each.path("message").asText()))
            .isPresent();
  }

  private static boolean isOfPerson(@Nullable String text) {
    return text != null
        && WORDS_OF_A_PERSON.matcher(text.toLowerCase(Locale.ROOT)).find();
  }

  /** What the history keeps was written by this runtime; what cannot be read says nothing. */
  private static Optional<JsonNode> tree(@Nullable Json json) {
    if (json == null) {
      return Optional.empty();
    }
    try {
      return Optional.ofNullable(JsonTrees.STORED.readTree(json.text()));
    } catch (JsonProcessingException unreadable) {
      return Optional.empty();
    }
  }
}
