package dev.runlane.connector.protocol.read;

import static dev.runlane.connector.protocol.message.ViolationType.ASSISTANCE_FOR_UNDECLARED_STREAM;
import static dev.runlane.connector.protocol.message.ViolationType.DETAIL_FOR_UNDECLARED_STREAM;
import static dev.runlane.connector.protocol.message.ViolationType.INTERACTION_FOR_UNDECLARED_STREAM;
import static dev.runlane.connector.protocol.message.ViolationType.PROGRESS_FOR_UNDECLARED_STREAM;
import static dev.runlane.connector.protocol.message.ViolationType.SKIP_FOR_UNDECLARED_STREAM;
import static dev.runlane.connector.protocol.message.ViolationType.STATE_FOR_UNDECLARED_STREAM;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.runlane.connector.protocol.message.AssistanceMessage;
import dev.runlane.connector.protocol.message.AssistanceStatusMessage;
import dev.runlane.connector.protocol.message.ConnectorError;
import dev.runlane.connector.protocol.message.DetailCoverageMessage;
import dev.runlane.connector.protocol.message.DetailGapMessage;
import dev.runlane.connector.protocol.message.DetailGapProgressMessage;
import dev.runlane.connector.protocol.message.DoneMessage;
import dev.runlane.connector.protocol.message.GapReport;
import dev.runlane.connector.protocol.message.GapsPageRequestMessage;
import dev.runlane.connector.protocol.message.InteractionKind;
import dev.runlane.connector.protocol.message.InteractionMessage;
import dev.runlane.connector.protocol.message.ProgressMessage;
import dev.runlane.connector.protocol.message.Received;
import dev.runlane.connector.protocol.message.RecoveryAction;
import dev.runlane.connector.protocol.message.RecoveryHint;
import dev.runlane.connector.protocol.message.SkipMessage;
import dev.runlane.connector.protocol.message.StateMessage;
import dev.runlane.connector.protocol.message.Violation;
import dev.runlane.connector.protocol.message.ViolationType;
import dev.runlane.connector.protocol.text.ReaderLimits;
import dev.runlane.json.ExactTrees;
import dev.runlane.run.Json;
import java.io.IOException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads every message but RECORD, from a tree: they are small and few. Belongs to one thread. */
final class ControlReader {
  private static final int MOST_ATTACHMENTS = 32;
  private static final Set<String> ERROR_MEMBERS =
      Set.of("code", "message", "retryable", "recovery_hint");
  private static final Set<String> POSTURES = Set.of("running", "blocked", "waiting_retry");
  private static final Set<String> OWNER_ACTIONS =
      Set.of("none", "act_elsewhere", "provide_value", "operate_attachment");
  private static final Set<String> SENSITIVITIES = Set.of("none", "secret", "non_secret");
  private static final Set<String> ATTACHMENTS =
      Set.of("browser_surface", "url", "qr", "file", "fixture");
  private static final Set<String> ASSISTANCE_ENDS =
      Set.of("resolved", "cancelled", "timed_out", "escalated");

  private final JsonMapper mapper;
  private final OutputChecks checks;
  private final ReaderLimits limits;

  ControlReader(JsonFactory factory, OutputChecks checks, ReaderLimits limits) {
    this.mapper = ExactTrees.mapper(factory);
    this.checks = checks;
    this.limits = limits;
  }

  /** The message. Throws {@link RefusedMessage} for one that breaks a rule. */
  Received read(byte[] bytes, int offset, int length) throws IOException {
    JsonNode node = mapper.readTree(bytes, offset, length);
    if (node == null || !node.isObject()) {
      throw RefusedMessage.of(ViolationType.INVALID_JSON, "the line is not a JSON object");
    }
    JsonNode type = node.path("type");
    if (!type.isTextual()) {
      throw RefusedMessage.of(ViolationType.INVALID_MESSAGE, "type must be text");
    }
    return message(type.textValue(), new MessageFields(type.textValue(), node));
  }

  private Received message(String type, MessageFields fields) {
    return switch (type) {
      case "STATE" -> state(fields);
      case "PROGRESS" -> progress(fields);
      case "SKIP_RESULT" -> skip(fields);
      case "INTERACTION" -> interaction(fields);
      case "DONE" -> done(fields);
      case "DETAIL_GAP" -> detailGap(fields);
      case "DETAIL_GAP_ATTEMPTED", "DETAIL_GAP_RECOVERED" -> detailGapProgress(type, fields);
      case "DETAIL_COVERAGE" -> detailCoverage(fields);
      case "DETAIL_GAPS_PAGE_REQUEST" -> new GapsPageRequestMessage(fields.id("request_id"));
      case "ASSISTANCE" -> assistance(fields);
      case "ASSISTANCE_STATUS" ->
        new AssistanceStatusMessage(
            fields.id("assistance_request_id"), fields.oneOf("status", ASSISTANCE_ENDS, null));
      default ->
        throw new RefusedMessage(new Violation(
            ViolationType.UNKNOWN_MESSAGE_TYPE,
            "the message's type is unknown",
            type,
            null,
            type,
            List.of(),
            false,
            0));
    };
  }

  private StateMessage state(MessageFields fields) {
    String stream = declared(fields.text("stream"), "STATE", STATE_FOR_UNDECLARED_STREAM);
    if (!fields.isObjectOrNull("cursor")) {
      throw cursorInvalid(stream, "STATE: cursor must be an object or null");
    }
    Json cursor = fields.json("cursor");
    if (cursor.sizeInBytes() > limits.maxCursorBytes()) {
      throw cursorInvalid(
          stream, "STATE: cursor has more than " + limits.maxCursorBytes() + " bytes");
    }
    return new StateMessage(stream, cursor);
  }

  private ProgressMessage progress(MessageFields fields) {
    String stream = declaredOrNull(fields, "PROGRESS", PROGRESS_FOR_UNDECLARED_STREAM);
    fields.objectOrNull("provider_budget");
    fields.objectOrNull("collection_rate");
    return new ProgressMessage(
        fields.text("message"), stream, fields.numberOrNull("count"), fields.numberOrNull("total"));
  }

  private SkipMessage skip(MessageFields fields) {
    String stream = declaredOrNull(fields, "SKIP_RESULT", SKIP_FOR_UNDECLARED_STREAM);
    List<String> ids = fields.texts("resource_ids");
    List<String> resources = fields.texts("resources");
    MessageFields range = fields.objectOrNull("time_range");
    return new SkipMessage(
        stream,
        fields.textOrNull("reason"),
        new GapReport(
            fields.textOrNull("message"),
            hint(fields),
            ids.isEmpty() ? resources : ids,
            range == null ? null : range.textOrNull("since"),
            range == null ? null : range.textOrNull("until"),
            fields.jsonOrNull("diagnostics"),
            fields.jsonObjectOrNull("continuation")));
  }

  private InteractionMessage interaction(MessageFields fields) {
    String kind = fields.text("kind");
    Long timeout = fields.millisOrNull("timeout_seconds");
    return new InteractionMessage(
        fields.id("request_id"),
        InteractionKind.ofValue(kind)
            .orElseThrow(() -> fields.invalid("kind", "must be credentials, otp or manual_action")),
        fields.text("message"),
        fields.jsonObjectOrNull("schema"),
        declaredOrNull(fields, "INTERACTION", INTERACTION_FOR_UNDECLARED_STREAM),
        timeout == null ? null : Duration.ofMillis(timeout));
  }

  private static DoneMessage done(MessageFields fields) {
    DoneMessage.Status status =
        switch (fields.oneOf("status", Set.of("succeeded", "failed", "cancelled"), null)) {
          case "succeeded" -> DoneMessage.Status.SUCCEEDED;
          case "failed" -> DoneMessage.Status.FAILED;
          default -> DoneMessage.Status.CANCELLED;
        };
    MessageFields error = fields.objectOrNull("error");
    if (error != null && status == DoneMessage.Status.SUCCEEDED) {
      throw fields.invalid("error", "must not come with succeeded");
    }
    return new DoneMessage(
        status, fields.count("records_emitted"), error == null ? null : error(error));
  }

  private static ConnectorError error(MessageFields error) {
    error.requireKnown(ERROR_MEMBERS);
    String code = error.textOrNull("code");
    if (code != null && !code.matches("[a-z][a-z0-9_]{0,63}")) {
      throw error.invalid("code", "must be lower-case letters, digits and underscores");
    }
    return new ConnectorError(
        error.text("message"), code, error.flagOrNull("retryable"), hint(error));
  }

  private DetailGapMessage detailGap(MessageFields fields) {
    return new DetailGapMessage(
        declared(fields.text("stream"), "DETAIL_GAP", DETAIL_FOR_UNDECLARED_STREAM),
        fields.textOrNull("parent_stream"),
        fields.keyOrNull("record_key"),
        fields.textOrNull("reason"),
        fields.flagOrNull("retryable"),
        fields.jsonObjectOrNull("detail_locator"),
        fields.jsonObjectOrNull("list_cursor"),
        fields.jsonObjectOrNull("last_error"),
        fields.textOrNull("gap_id"));
  }

  private DetailGapProgressMessage detailGapProgress(String type, MessageFields fields) {
    return new DetailGapProgressMessage(
        type.equals("DETAIL_GAP_RECOVERED"),
        fields.textOrNull("gap_id"),
        declaredOrNull(fields, type, DETAIL_FOR_UNDECLARED_STREAM),
        fields.keyOrNull("record_key"));
  }

  private DetailCoverageMessage detailCoverage(MessageFields fields) {
    String type = "DETAIL_COVERAGE";
    List<String> required = fields.keys("required_keys");
    List<String> hydrated = fields.keys("hydrated_keys");
    Set<String> missing = new HashSet<>(required);
    hydrated.forEach(missing::remove);
    fields.keys("gap_keys").forEach(missing::remove);
    fields.keys("optional_skip_keys").forEach(missing::remove);
    return new DetailCoverageMessage(
        declared(fields.text("stream"), type, DETAIL_FOR_UNDECLARED_STREAM),
        declared(fields.text("state_stream"), type, DETAIL_FOR_UNDECLARED_STREAM),
        required.size(),
        hydrated.size(),
        missing.size(),
        fields.countOrNull("considered"),
        fields.countOrNull("covered"));
  }

  private AssistanceMessage assistance(MessageFields fields) {
    fields.oneOf("response_contract", Set.of("none"), null);
    List<MessageFields> attachments = fields.objects("attachments");
    if (attachments.size() > MOST_ATTACHMENTS) {
      throw fields.invalid("attachments", "must be at most " + MOST_ATTACHMENTS);
    }
    return new AssistanceMessage(
        fields.has("assistance_request_id") ? fields.id("assistance_request_id") : null,
        fields.oneOf("progress_posture", POSTURES, null),
        fields.oneOf("owner_action", OWNER_ACTIONS, null),
        fields.oneOf("sensitivity", SENSITIVITIES, "none"),
        fields.text("message"),
        declaredOrNull(fields, "ASSISTANCE", ASSISTANCE_FOR_UNDECLARED_STREAM),
        attachments.stream()
            .map(attachment -> attachment.oneOf("kind", ATTACHMENTS, null))
            .toList());
  }

  /** Text that names an action, or an object that may name one and may say whether a later run may help. */
  private static @Nullable RecoveryHint hint(MessageFields fields) {
    if (!fields.has("recovery_hint")) {
      return null;
    }
    if (fields.isText("recovery_hint")) {
      return RecoveryHint.of(action(fields, fields.text("recovery_hint")));
    }
    MessageFields hint = fields.objectOrNull("recovery_hint");
    String named = hint == null ? null : hint.textOrNull("action");
    Boolean retryable = hint == null ? null : hint.flagOrNull("retryable");
    if (named == null && retryable == null) {
      return null;
    }
    RecoveryAction action = named == null ? RecoveryAction.UNKNOWN : action(fields, named);
    return retryable == null ? RecoveryHint.of(action) : new RecoveryHint(action, retryable);
  }

  private static RecoveryAction action(MessageFields fields, String value) {
    return RecoveryAction.ofValue(value)
        .orElseThrow(() -> fields.invalid("recovery_hint", "names an unknown action"));
  }

  private @Nullable String declaredOrNull(
      MessageFields fields, String messageType, ViolationType undeclared) {
    String stream = fields.textOrNull("stream");
    return stream == null ? null : declared(stream, messageType, undeclared);
  }

  private String declared(String stream, String messageType, ViolationType undeclared) {
    RecordChecks known = checks.stream(stream);
    if (known == null) {
      throw new RefusedMessage(checks.undeclared(undeclared, messageType, stream));
    }
    return known.stream();
  }

  private static RefusedMessage cursorInvalid(String stream, String message) {
    return new RefusedMessage(new Violation(
        ViolationType.STATE_CURSOR_INVALID, message, "STATE", stream, null, List.of(), false, 0));
  }
}
