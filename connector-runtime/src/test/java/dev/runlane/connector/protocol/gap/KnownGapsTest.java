package dev.runlane.connector.protocol.gap;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.connector.protocol.Shelf;
import dev.runlane.connector.protocol.message.ConnectorError;
import dev.runlane.connector.protocol.message.GapReport;
import dev.runlane.connector.protocol.message.InteractionKind;
import dev.runlane.connector.protocol.message.InteractionMessage;
import dev.runlane.connector.protocol.message.InteractionStatus;
import dev.runlane.connector.protocol.message.RecoveryAction;
import dev.runlane.connector.protocol.message.RecoveryHint;
import dev.runlane.connector.protocol.message.SkipMessage;
import dev.runlane.connector.protocol.redact.Redaction;
import dev.runlane.run.Json;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayNameGeneration(ReplaceUnderscores.class)
class KnownGapsTest {
  private final Redaction redaction = new Redaction();
  private final GapFactory factory = new GapFactory(redaction, false);

  @Test
  void R4_S4_a_skip_becomes_a_gap_with_reason_message_scope_and_hint() {
    KnownGap gap = factory.skipped((SkipMessage) Shelf.readAllStreams("""
        {"type":"SKIP_RESULT","stream":"books","reason":"page_locked","message":"Page 6 needs a visit",
         "recovery_hint":"manual_action_required","resource_ids":["p6"],
         "time_range":{"since":"2026-01-01"},"diagnostics":{"status":423},
         "continuation":{"boundary":"page","remaining":true}}""".replace("\n", "")));

    assertThat(gap.json().text())
        .isEqualTo("{\"kind\":\"skip_result\",\"stream\":\"books\",\"reason\":\"page_locked\","
            + "\"severity\":\"actionable\",\"message\":\"Page 6 needs a visit\","
            + "\"scope\":{\"resource_ids\":[\"p6\"],\"time_range\":{\"since\":\"2026-01-01\"}},"
            + "\"recovery_hint\":{\"action\":\"manual_action_required\",\"retryable\":false},"
            + "\"diagnostics\":{\"status\":423},"
            + "\"continuation\":{\"boundary\":\"page\",\"remaining\":true}}");
  }

  @Test
  void everything_in_a_gap_is_cut_and_redacted() {
    redaction.add(List.of("hunter2"));
    List<String> ids = new ArrayList<>();
    for (int i = 0; i < 30; i++) {
      ids.add("hunter2-" + i + "y".repeat(300));
    }
    KnownGap gap = factory.skipped(new SkipMessage(
        null,
        "hunter2" + "r".repeat(300),
        new GapReport(
            "hunter2 123456 " + "m".repeat(300), null, ids, "hunter2", null, null, null)));

    assertThat(gap.json().text()).doesNotContain("hunter2").doesNotContain("123456");
    assertThat(gap.reason()).hasSize(KnownGap.MAX_TEXT);
    assertThat(gap.message()).hasSize(KnownGap.MAX_TEXT);
    assertThat(gap.scope()).isNotNull();
    assertThat(gap.scope().resourceIds())
        .hasSize(KnownGap.MAX_IDS)
        .allMatch(id -> id.length() == 200);
    assertThat(gap.scope().truncated()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"a\":{\"b\":{\"c\":{\"d\":{\"e\":{\"f\":{\"g\":1}}}}}}}",
        "{\"list\":[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33]}"
      })
  void diagnostics_say_where_they_were_cut(String diagnostics) {
    assertThat(diagnostics(diagnostics)).contains("\"truncated\":true").contains("_overflow");
  }

  @Test
  void diagnostics_of_many_small_members_stay_whole_as_long_as_they_fit() {
    String most = members(910);

    assertThat(most).hasSize(8_191);
    assertThat(diagnostics(most)).isEqualTo(most);
    assertThat(diagnostics(members(911)))
        .isEqualTo("{\"truncated\":true,\"reason\":\"size_overflow\"}");
  }

  private static String members(int count) {
    return IntStream.range(0, count)
        .mapToObj(each -> "\"" + (1000 + each) + "\":0")
        .collect(Collectors.joining(",", "{", "}"));
  }

  @Test
  void diagnostics_are_bounded_and_lose_their_secrets() {
    StringBuilder large = new StringBuilder("{\"x\":0");
    for (int i = 0; i < 100; i++) {
      large.append(",\"k").append(i).append("\":\"").append("v".repeat(150)).append('"');
    }

    assertThat(diagnostics(large + "}"))
        .isEqualTo("{\"truncated\":true,\"reason\":\"size_overflow\"}");
    assertThat(diagnostics("{\"password\":\"swordfish\",\"url\":\"https://a:b@c\",\"n\":1.50}"))
        .isEqualTo("{\"password\":\"[REDACTED]\",\"url\":\"https://[REDACTED]@c\",\"n\":1.50}");
  }

  @ParameterizedTest
  @ValueSource(strings = {"[\"a\",1]", "\"no rows\"", "7", "false"})
  void diagnostics_may_be_any_value(String diagnostics) {
    KnownGap gap = factory.skipped((SkipMessage) Shelf.readAllStreams(
        "{\"type\":\"SKIP_RESULT\",\"reason\":\"r\",\"diagnostics\":" + diagnostics + "}"));

    assertThat(gap.diagnostics()).isEqualTo(Json.ofChecked(diagnostics));
  }

  @Test
  void a_connector_that_says_that_its_failure_passes_is_believed() {
    KnownGap gap = factory.failed(
        "connector_reported_failed", new ConnectorError("login timed out", null, true, null));

    assertThat(gap.hint()).isEqualTo(RecoveryHint.of(RecoveryAction.RETRY_BY_RUNTIME));
    assertThat(factory
            .failed(
                "connector_reported_failed",
                new ConnectorError("login timed out", null, false, null))
            .hint())
        .isEqualTo(new RecoveryHint(RecoveryAction.REFRESH_CREDENTIALS, false));
  }

  @ParameterizedTest
  @CsvSource({
    "rate_limited,TRANSIENT",
    "user_disabled,INFORMATIONAL",
    "page_locked,ACTIONABLE",
    "network,TRANSIENT",
    "captcha,ACTIONABLE"
  })
  void the_severity_follows_the_reason(String reason, GapSeverity severity) {
    assertThat(
            factory.skipped(new SkipMessage(null, reason, GapReport.of(null))).severity())
        .isEqualTo(severity);
  }

  @Test
  void at_most_fifty_are_kept_and_the_runtimes_own_always_are() {
    KnownGaps gaps = new KnownGaps();
    for (int i = 0; i < 1_000; i++) {
      gaps.add(factory.skipped(new SkipMessage(null, "reason " + i % 100, GapReport.of(null))));
    }
    gaps.addOfRuntime(KnownGap.ofRuntime(
        GapKind.RUN_FAILED, "run_timed_out", null, null, RecoveryAction.RETRY_BY_RUNTIME));

    assertThat(gaps.list()).hasSize(KnownGaps.MAX_KEPT);
    assertThat(gaps.list().get(49).reason()).isEqualTo("run_timed_out");
    assertThat(gaps.count()).isEqualTo(1_001);
    assertThat(gaps.summary().text())
        .startsWith("{\"count\":1001,")
        .contains("\"reason 0\":10")
        .contains("\"other\":501")
        .endsWith("\"truncated\":true}");
  }

  @Test
  void a_question_without_answer_leaves_a_gap_with_its_hint() {
    InteractionMessage question =
        new InteractionMessage("q", InteractionKind.CREDENTIALS, "Log in", null, "books", null);

    KnownGap gap = factory.unanswered(question, InteractionStatus.TIMEOUT);

    assertThat(gap.reason()).isEqualTo("interaction_timeout");
    assertThat(gap.hint().action()).isEqualTo(RecoveryAction.REFRESH_CREDENTIALS);
  }

  private String diagnostics(String diagnostics) {
    KnownGap gap = factory.skipped(new SkipMessage(
        null,
        null,
        new GapReport(null, null, List.of(), null, null, Json.ofChecked(diagnostics), null)));
    return String.valueOf(gap.diagnostics() == null ? null : gap.diagnostics().text());
  }
}
