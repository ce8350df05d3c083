package dev.runlane.connector.protocol.gap;

import dev.runlane.connector.protocol.message.ConnectorError;
import dev.runlane.connector.protocol.message.DetailGapMessage;
import dev.runlane.connector.protocol.message.GapReport;
import dev.runlane.connector.protocol.message.InteractionKind;
import dev.runlane.connector.protocol.message.InteractionMessage;
import dev.runlane.connector.protocol.message.InteractionStatus;
import dev.runlane.connector.protocol.message.RecoveryAction;
import dev.runlane.connector.protocol.message.RecoveryHint;
import dev.runlane.connector.protocol.message.SkipMessage;
import dev.runlane.connector.protocol.redact.Redaction;
import dev.runlane.connector.protocol.text.Texts;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Makes known gaps of what connectors report: redacted, bounded, with a severity and a hint. */
public final class GapFactory {
  private static final String NO_REASON = "unknown";
  private static final Set<String> AS_IT_SHOULD_BE =
      Set.of("not_available_in_mode", "out_of_scope", "user_disabled");
  private static final Set<String> PASSING = Set.of(
      "http_429",
      "rate_limited",
      "retry_exhausted",
      "temporary_unavailable",
      "upstream_pressure",
      "upstream_pressure_deferred");

  private final Redaction redaction;
  private final boolean explicitScope;

  /**
   * A factory for one run.
   *
   * @param explicitScope whether somebody asked for the streams in scope by name
   */
  public GapFactory(Redaction redaction, boolean explicitScope) {
    this.redaction = redaction;
    this.explicitScope = explicitScope;
  }

  /** The gap that a skip leaves. */
  public KnownGap skipped(SkipMessage skip) {
    GapReport report = skip.report();
    String reason = reason(skip.reason());
    String message = message(report.message());
    RecoveryHint given = report.hint();
    RecoveryHint hint = given == null ? RecoveryHint.of(Hints.action(reason, message)) : given;
    return new KnownGap(
        GapKind.SKIP_RESULT,
        reason,
        Texts.cutOrNull(skip.stream(), KnownGap.MAX_TEXT),
        message,
        severity(reason, hint, explicitScope && skip.stream() != null),
        hint,
        scope(report),
        report.diagnostics() == null ? null : Diagnostics.bounded(report.diagnostics(), redaction),
        report.continuation() == null
            ? null
            : Diagnostics.bounded(report.continuation(), redaction));
  }

  /** The gap of a record whose details are missing. */
  public KnownGap missingDetail(DetailGapMessage gap) {
    boolean lost = Boolean.FALSE.equals(gap.retryable());
    return new KnownGap(
        GapKind.DETAIL_GAP,
        reason(gap.reason()),
        Texts.cut(gap.stream(), KnownGap.MAX_TEXT),
        "Details of a record are missing.",
        GapSeverity.RECOVERABLE,
        RecoveryHint.of(lost ? RecoveryAction.NOT_RETRIABLE : RecoveryAction.RETRY_BY_RUNTIME),
        new KnownGap.Scope(
            List.of(),
            null,
            null,
            gap.parentStream() == null ? null : name(gap.parentStream()),
            gap.recordKey() == null ? null : name(gap.recordKey()),
            false),
        null,
        null);
  }

  /** The gap of a question that had no answer. */
  public KnownGap unanswered(InteractionMessage question, InteractionStatus status) {
    return KnownGap.ofRuntime(
        GapKind.INTERACTION_REQUIRED,
        "interaction_" + status.value(),
        question.stream(),
        message(question.message()),
        question.kind() == InteractionKind.CREDENTIALS
            ? RecoveryAction.REFRESH_CREDENTIALS
            : RecoveryAction.MANUAL_ACTION_REQUIRED);
  }

  /**
   * The gap that a failed run leaves.
   *
   * @param reason the terminal reason
   * @param error what the connector said of it, or null
   */
  public KnownGap failed(String reason, @Nullable ConnectorError error) {
    String message = error == null ? null : message(error.message());
    RecoveryHint hint = hint(reason, message, error);
    return new KnownGap(
        GapKind.RUN_FAILED,
        reason,
        null,
        message,
        GapSeverity.ACTIONABLE,
        error == null || error.retryable() == null
            ? hint
            : new RecoveryHint(hint.action(), error.retryable()),
        null,
        null,
        null);
  }

  /** What the connector says goes before what its words suggest. */
  private static RecoveryHint hint(
      String reason, @Nullable String message, @Nullable ConnectorError error) {
    if (error != null && error.hint() != null) {
      return error.hint();
    }
    boolean again = error != null && Boolean.TRUE.equals(error.retryable());
    return RecoveryHint.of(again ? RecoveryAction.RETRY_BY_RUNTIME : Hints.action(reason, message));
  }

  private String reason(@Nullable String reason) {
    return reason == null ? NO_REASON : name(reason);
  }

  private @Nullable String message(@Nullable String message) {
    return message == null ? null : redaction.message(message.strip(), KnownGap.MAX_TEXT);
  }

  private String name(String text) {
    return redaction.name(text.strip(), KnownGap.MAX_TEXT);
  }

  private KnownGap.@Nullable Scope scope(GapReport report) {
    List<String> ids = report.resourceIds();
    if (ids.isEmpty() && report.since() == null && report.until() == null) {
      return null;
    }
    return new KnownGap.Scope(
        ids.stream().limit(KnownGap.MAX_IDS).map(this::name).toList(),
        report.since() == null ? null : name(report.since()),
        report.until() == null ? null : name(report.until()),
        null,
        null,
        ids.size() > KnownGap.MAX_IDS);
  }

  private static GapSeverity severity(String reason, RecoveryHint hint, boolean askedFor) {
    if (AS_IT_SHOULD_BE.contains(reason)) {
      return askedFor ? GapSeverity.ACTIONABLE : GapSeverity.INFORMATIONAL;
    }
    return PASSING.contains(reason) || hint.action() == RecoveryAction.RETRY_BY_RUNTIME
        ? GapSeverity.TRANSIENT
        : GapSeverity.ACTIONABLE;
  }

  /** What a reason and a message suggest where the connector gives no hint. */
  private static final class Hints {
    private static final Pattern BY_HAND =
        Pattern.compile("\\b(?:otp|mfa|2fa|manual|captcha|anti[-_ ]?bot)\\b");
    private static final Pattern CREDENTIALS =
        Pattern.compile("\\b(?:credentials?|auth|login|session_expired|reauth|token)\\b");
    private static final Pattern LATER = Pattern.compile(
        "\\b(?:rate|rate_limited|429|timeout|timed out|5\\d\\d|network|temporary|temporarily|retry)\\b");

    static RecoveryAction action(String reason, @Nullable String message) {
      String text =
          (reason + " " + Objects.requireNonNullElse(message, "")).toLowerCase(Locale.ROOT);
      if (BY_HAND.matcher(text).find()) {
        return RecoveryAction.MANUAL_ACTION_REQUIRED;
      }
      if (CREDENTIALS.matcher(text).find()) {
        return RecoveryAction.REFRESH_CREDENTIALS;
      }
      return LATER.matcher(text).find() ? RecoveryAction.RETRY_BY_RUNTIME : RecoveryAction.UNKNOWN;
    }
  }
}
