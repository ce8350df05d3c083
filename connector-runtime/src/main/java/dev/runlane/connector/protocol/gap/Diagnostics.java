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

/** JSON values of a connector's choice, redacted and cut to bounds. */
final class Diagnostics {
  /** What is larger is not looked at, so that it costs nothing. */
  private static final int MAX_SOURCE = 8 * KnownGap.MAX_DIAGNOSTICS_BYTES;

  private static final int MAX_DEPTH = 6;
  private static final int MAX_LIST = 32;
  private static final JsonMapper MAPPER =
      ExactTrees.mapper(JsonTrees.factory(ReaderLimits.DEFAULT));

  private final Redaction redaction;

  private Diagnostics(Redaction redaction) {
    this.redaction = redaction;
  }

  /** The value within its bounds, or an object that says that it was too large. */
  static Json bounded(Json value, Redaction redaction) {
    if (value.text().length() > MAX_SOURCE) {
      return JsonTrees.json(truncated("size_overflow"));
    }
    try {
      JsonNode cut = new Diagnostics(redaction).cut(MAPPER.readTree(value.text()), 0);
      Json json = JsonTrees.json(cut);
      return json.sizeInBytes() <= KnownGap.MAX_DIAGNOSTICS_BYTES
          ? json
          : JsonTrees.json(truncated("size_overflow"));
    } catch (JsonProcessingException malformed) {
      throw new IllegalArgumentException("diagnostics are not JSON", malformed);
    }
  }

  private JsonNode cut(JsonNode node, int depth) {
    if (node.isTextual()) {
      return JsonNodeFactory.instance.textNode(
          redaction.message(node.textValue(), KnownGap.MAX_TEXT));
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
    object.properties().forEach(member -> {
      String name = redaction.name(member.getKey(), KnownGap.MAX_TEXT);
      JsonNode value = member.getValue();
      boolean credential =
          value.isTextual() && !SecretShapes.credentials(name + "=x").equals(name + "=x");
      cut.set(
          name,
          credential ? JsonNodeFactory.instance.textNode(Redaction.MARK) : cut(value, depth + 1));
    });
    return cut;
  }

  private static ObjectNode truncated(String reason) {
    return JsonNodeFactory.instance.objectNode().put("truncated", true).put("reason", reason);
  }
}
