package dev.runlane.connector.protocol.start;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runlane.connector.protocol.manifest.ConnectorManifest;
import dev.runlane.connector.protocol.text.Texts;
import dev.runlane.run.Json;
import dev.runlane.run.RunlaneException;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * START: the first line that a connector reads, and the only one before it speaks.
 *
 * @param runId the run's id, not blank
 * @param mode how much is collected
 * @param scope what may be sent
 * @param state the committed cursors, each an object or {@code null}, by stream; null when nothing is
 *     persisted
 * @param bindings the names of what the run offers
 */
public record StartMessage(
    String runId,
    CollectionMode mode,
    StartScope scope,
    @Nullable Map<String, Json> state,
    Set<String> bindings) {

  /**
   * Copies the collections. Fails with {@link dev.runlane.run.ErrorCode#VALIDATION_FAILED} for a blank run
   * id and for a cursor that is neither an object nor null.
   */
  public StartMessage {
    if (runId.isBlank()) {
      throw RunlaneException.validationFailed("a run must have an id, but it is blank");
    }
    if (state != null) {
      state.forEach(StartMessage::requireCursor);
      state = Collections.unmodifiableMap(new LinkedHashMap<>(state));
    }
    bindings = Collections.unmodifiableSet(new TreeSet<>(bindings));
  }

  /**
   * What a run offers: network and filesystem always, interactive only when somebody can answer, browser
   * only when there is one. Fails with {@link dev.runlane.run.ErrorCode#VALIDATION_FAILED} when the
   * manifest requires something else.
   */
  public static Set<String> bindings(
      ConnectorManifest manifest, boolean interactive, boolean browser) {
    Set<String> offered = new TreeSet<>(List.of("network", "filesystem"));
    if (interactive) {
      offered.add("interactive");
    }
    boolean wanted = manifest.requiredBindings().contains("browser")
        || manifest.optionalBindings().contains("browser");
    if (browser && wanted) {
      offered.add("browser");
    }
    Set<String> missing = new TreeSet<>(manifest.requiredBindings());
    missing.removeAll(offered);
    if (!missing.isEmpty()) {
      throw RunlaneException.validationFailed(
          "connector %s requires what this run does not offer: %s",
          Texts.cut(manifest.connectorId(), 100), missing);
    }
    return offered;
  }

  /** Whether the run can answer questions. */
  public boolean interactive() {
    return bindings.contains("interactive");
  }

  /** The line, without its end. */
  public String line() {
    ObjectNode start = JsonNodeFactory.instance.objectNode();
    start.put("type", "START");
    start.put("run_id", runId);
    start.put("collection_mode", mode.value());
    ArrayNode streams = start.putObject("scope").putArray("streams");
    scope.streams().forEach(stream -> write(streams.addObject(), stream));
    if (state == null) {
      start.putNull("state");
    } else {
      ObjectNode cursors = start.putObject("state");
      state.forEach(
          (stream, cursor) -> cursors.putRawValue(stream, RuntimeReplies.oneLine(cursor)));
    }
    ObjectNode offered = start.putObject("bindings");
    bindings.forEach(offered::putObject);
    start.putArray("detail_gaps");
    return start.toString();
  }

  private static void write(ObjectNode node, StreamScope stream) {
    node.put("name", stream.name());
    if (!stream.resources().isEmpty()) {
      stream.resources().forEach(node.putArray("resources")::add);
    }
    TimeRange range = stream.timeRange();
    if (range != null) {
      ObjectNode bounds = node.putObject("time_range");
      putText(bounds, "since", range.since());
      putText(bounds, "until", range.until());
    }
    if (!stream.fields().isEmpty()) {
      stream.fields().forEach(node.putArray("fields")::add);
    }
  }

  private static void putText(ObjectNode node, String name, @Nullable String value) {
    if (value != null) {
      node.put(name, value);
    }
  }

  private static void requireCursor(String stream, Json cursor) {
    String text = cursor.text().strip();
    if (!text.startsWith("{") && !text.equals("null")) {
      throw RunlaneException.validationFailed(
          "the state of stream %s must be an object or null", Texts.cut(stream, 100));
    }
  }
}
