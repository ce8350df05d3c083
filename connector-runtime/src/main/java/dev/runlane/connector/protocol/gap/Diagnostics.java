package dev.runlane.connector.protocol.gap;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runlane.connector.protocol.redact.Redaction;
import dev.runlane.connector.protocol.redact.SecretShapes;
import dev.runlane.connector.protocol.text.JsonTrees;
import dev.runlane.connector.protocol.text.ReaderLimits;
import dev.runlane.json.ExactTrees;
import dev.runlane.run.Json;
import java.util.Map;

/** JSON values of a connector's choice, redacted and cut to bounds. */
final class Diagnostics {
  /** What is larger is not looked at, so that it costs nothing. */
  private static final int MAX_SOURCE = 8 * KnownGap.MAX_DIAGNOSTICS_BYTES;

  private static final int MAX_DEPTH = 6;
  private static final int MAX_LIST = 32;
  private static final int LEAST_MEMBER = 5; // quotes, colon, value and comma
  private static final JsonMapper MAPPER =
      ExactTrees.mapper(JsonTrees.factory(ReaderLimits.DEFAULT));

  private final Redaction redaction;
  private int room = KnownGap.MAX_DIAGNOSTICS_BYTES; // characters that may still come

  private Diagnostics(Redaction redaction) {
    this.redaction = redaction;
  }

  /** The value within its bounds, or an object that says that it was too large. */
  static Json bounded(Json value, Redaction redaction) {
    if (value.text().length() > MAX_SOURCE) {
      return JsonTrees.json(truncated("size_overflow"));
    }
    try {
      Diagnostics diagnostics = new Diagnostics(redaction);
      Json json = JsonTrees.json(diagnostics.cut(MAPPER.readTree(value.text()), 0));
      return diagnostics.room >= 0 && json.sizeInBytes() <= KnownGap.MAX_DIAGNOSTICS_BYTES
          ? json
          : JsonTrees.json(truncated("size_overflow"));
    } catch (JsonProcessingException malformed) {
      throw new IllegalArgumentException("diagnostics are not JSON", malformed);
    }
  }

  private JsonNode cut(JsonNode node, int depth) {
    if (node.isTextual()) {
      String text = redaction.message(node.textValue(), KnownGap.MAX_TEXT);
      room -= text.length();
      return JsonNodeFactory.instance.textNode(text);
    }
    if (node.isContainerNode() && depth >= MAX_DEPTH) {
      return truncated("depth_overflow");
    }
    if (node.isArray()) {
      return cutList(node, depth);
    }
    return node.isObject() ? cutObject(node, depth) : node;
  }

  private JsonNode cutList(JsonNode list, int depth) {
    ArrayNode cut = JsonNodeFactory.instance.arrayNode();
    for (int i = 0; i < Math.min(list.size(), MAX_LIST); i++) {
      cut.add(cut(list.get(i), depth + 1));
    }
    if (list.size() > MAX_LIST) {
      cut.add(truncated("list_overflow").put("omitted", list.size() - MAX_LIST));
    }
    return cut;
  }

  /** A value is redacted with its name before it, so that the name of a credential is seen. */
  private JsonNode cutObject(JsonNode object, int depth) {
    ObjectNode cut = JsonNodeFactory.instance.objectNode();
    for (Map.Entry<String, JsonNode> member : object.properties()) {
      if (room < 0) {
        break; // it is too large already, and each name and text costs time
      }
      String name = redaction.name(member.getKey(), KnownGap.MAX_TEXT);
      room -= name.length() + LEAST_MEMBER;
      JsonNode value = member.getValue();
      boolean credential =
          value.isTextual() && !SecretShapes.credentials(name + "=x").equals(name + "=x");
      cut.set(
          name,
          credential ? JsonNodeFactory.instance.textNode(Redaction.MARK) : cut(value, depth + 1));
    }
    return cut;
  }

  private static ObjectNode truncated(String reason) {
    return JsonNodeFactory.instance.objectNode().put("truncated", true).put("reason", reason);
  }
}
