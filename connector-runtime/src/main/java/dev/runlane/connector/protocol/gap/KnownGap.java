package dev.runlane.connector.protocol.gap;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.util.RawValue;
import dev.runlane.connector.protocol.message.RecoveryAction;
import dev.runlane.connector.protocol.message.RecoveryHint;
import dev.runlane.connector.protocol.text.JsonTrees;
import dev.runlane.connector.protocol.text.Texts;
import dev.runlane.run.Json;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Something in scope that a run knows it did not collect: bounded and redacted, fit to be stored.
 *
 * @param kind where it comes from
 * @param reason a short word, at most {@link #MAX_TEXT} characters
 * @param stream the stream it is about, or null for the run
 * @param message words for the owner, at most {@link #MAX_TEXT} characters, or null
 * @param severity how much it asks of anybody
 * @param hint what may bring the missing part back
 * @param scope what is missing, or null when nobody said
 * @param diagnostics a JSON value of the connector's choice within the bounds of {@link #MAX_DIAGNOSTICS_BYTES},
 *     or null
 * @param continuation where a later run continues, bounded alike, or null
 */
public record KnownGap(
    GapKind kind,
    String reason,
    @Nullable String stream,
    @Nullable String message,
    GapSeverity severity,
    RecoveryHint hint,
    @Nullable Scope scope,
    @Nullable Json diagnostics,
    @Nullable Json continuation) {
  /** Most characters of a text = {@value}. */
  public static final int MAX_TEXT = 200;

  /** Most ids of resources = {@value}. */
  public static final int MAX_IDS = 20;

  /** Most bytes of diagnostics = {@value}; their depth is at most 6, their lists at most 32 long. */
  public static final int MAX_DIAGNOSTICS_BYTES = 8 * 1024;

  /**
   * What is missing.
   *
   * @param resourceIds at most {@link #MAX_IDS}
   * @param since where the missing time begins, or null
   * @param until where it ends, or null
   * @param parentStream the stream whose record names it, or null
   * @param recordKey the key of that record, or null
   * @param truncated whether ids were left out
   */
  public record Scope(
      List<String> resourceIds,
      @Nullable String since,
      @Nullable String until,
      @Nullable String parentStream,
      @Nullable String recordKey,
      boolean truncated) {
    /** Copies the list. */
    public Scope {
      resourceIds = List.copyOf(resourceIds);
    }
  }

  /** A gap of the runtime's own: {@code reason}, {@code stream} and {@code message} in its words. */
  public static KnownGap ofRuntime(
      GapKind kind,
      String reason,
      @Nullable String stream,
      @Nullable String message,
      RecoveryAction action) {
    return new KnownGap(
        kind,
        Texts.cut(reason, MAX_TEXT),
        Texts.cutOrNull(stream, MAX_TEXT),
        Texts.cutOrNull(message, MAX_TEXT),
        GapSeverity.ACTIONABLE,
        RecoveryHint.of(action),
        null,
        null,
        null);
  }

  /** The gap as a JSON object. */
  public Json json() {
    return JsonTrees.json(node());
  }

  ObjectNode node() {
    ObjectNode node = JsonNodeFactory.instance.objectNode();
    node.put("kind", kind.value());
    node.put("stream", stream);
    node.put("reason", reason);
    node.put("severity", severity.value());
    put(node, "message", message);
    if (scope != null) {
      write(node.putObject("scope"), scope);
    }
    node.putObject("recovery_hint")
        .put("action", hint.action().value())
        .put("retryable", hint.retryable());
    putRaw(node, "diagnostics", diagnostics);
    putRaw(node, "continuation", continuation);
    return node;
  }

  private static void write(ObjectNode node, Scope scope) {
    if (!scope.resourceIds.isEmpty()) {
      scope.resourceIds.forEach(node.putArray("resource_ids")::add);
    }
    if (scope.since != null || scope.until != null) {
      ObjectNode range = node.putObject("time_range");
      put(range, "since", scope.since);
      put(range, "until", scope.until);
    }
    put(node, "parent_stream", scope.parentStream);
    put(node, "record_key", scope.recordKey);
    if (scope.truncated) {
      node.put("truncated", true);
    }
  }

  private static void put(ObjectNode node, String name, @Nullable String value) {
    if (value != null) {
      node.put(name, value);
    }
  }

  private static void putRaw(ObjectNode node, String name, @Nullable Json value) {
    if (value != null) {
      node.putRawValue(name, new RawValue(value.text()));
    }
  }
}
