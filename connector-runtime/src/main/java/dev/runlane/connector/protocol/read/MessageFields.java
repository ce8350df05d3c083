package dev.runlane.connector.protocol.read;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runlane.connector.protocol.message.Violation;
import dev.runlane.connector.protocol.message.ViolationType;
import dev.runlane.connector.protocol.text.JsonTrees;
import dev.runlane.connector.protocol.text.Texts;
import dev.runlane.json.StorableText;
import dev.runlane.run.ContractDefaults;
import dev.runlane.run.Json;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The members of one message, read as what they must be; a null counts as absent. */
final class MessageFields {
  private final String type;
  private final String prefix;
  private final JsonNode node;

  MessageFields(String type, JsonNode node) {
    this(type, "", node);
  }

  private MessageFields(String type, String prefix, JsonNode node) {
    this.type = type;
    this.prefix = prefix;
    this.node = node;
  }

  boolean has(String name) {
    return node.hasNonNull(name);
  }

  /** Text that is not blank. */
  String text(String name) {
    String text = textOrNull(name);
    if (text == null) {
      throw invalid(name, "is missing");
    }
    return text;
  }

  /** Text that is not blank and short enough to be a name. */
  String id(String name) {
    String id = text(name);
    if (Json.ofChecked(id).sizeInBytes() > ContractDefaults.MAX_KEY_BYTES) {
      throw invalid(name, "must have at most " + ContractDefaults.MAX_KEY_BYTES + " bytes");
    }
    return id;
  }

  @Nullable
  String textOrNull(String name) {
    JsonNode value = node.path(name);
    if (!has(name)) {
      return null;
    }
    if (!value.isTextual() || value.textValue().isBlank()) {
      throw invalid(name, "must be text that is not blank");
    }
    return StorableText.repaired(value.textValue());
  }

  /** One of these texts; {@code absent} where there is none. */
  String oneOf(String name, Set<String> values, @Nullable String absent) {
    String text = absent == null || has(name) ? text(name) : absent;
    if (!values.contains(text)) {
      throw invalid(name, "must be one of " + values.stream().sorted().toList());
    }
    return text;
  }

  /** Text or number, as text. */
  @Nullable
  String keyOrNull(String name) {
    JsonNode value = node.path(name);
    return has(name) && value.isNumber() ? value.asText() : textOrNull(name);
  }

  @Nullable
  Boolean flagOrNull(String name) {
    JsonNode value = node.path(name);
    if (!has(name)) {
      return null;
    }
    if (!value.isBoolean()) {
      throw invalid(name, "must be true or false");
    }
    return value.booleanValue();
  }

  /** A number from 0 on. */
  @Nullable
  Json numberOrNull(String name) {
    JsonNode value = node.path(name);
    if (!has(name)) {
      return null;
    }
    if (!isFinite(value) || value.doubleValue() < 0) {
      throw invalid(name, "must be a number that is not negative");
    }
    return JsonTrees.json(value);
  }

  /** A number above 0, as seconds in milliseconds. */
  @Nullable
  Long millisOrNull(String name) {
    JsonNode value = node.path(name);
    if (!has(name)) {
      return null;
    }
    if (!isFinite(value) || value.doubleValue() <= 0) {
      throw invalid(name, "must be a number above 0");
    }
    return (long) Math.ceil(Math.min(value.doubleValue() * 1000, Long.MAX_VALUE));
  }

  /** A whole number from 0 on; 2.0 is one. */
  long count(String name) {
    JsonNode value = node.path(name);
    if (!isFinite(value)
        || value.doubleValue() != Math.rint(value.doubleValue())
        || value.doubleValue() < 0
        || !value.canConvertToLong()) {
      throw invalid(name, "must be a whole number that is not negative");
    }
    return value.longValue();
  }

  /** A whole number from 0 on, or null for anything else. */
  @Nullable
  Long countOrNull(String name) {
    JsonNode value = node.path(name);
    boolean whole = value.isIntegralNumber() && value.canConvertToLong() && value.longValue() >= 0;
    return whole ? value.longValue() : null;
  }

  @Nullable
  MessageFields objectOrNull(String name) {
    JsonNode value = node.path(name);
    if (!has(name)) {
      return null;
    }
    if (!value.isObject()) {
      throw invalid(name, "must be an object");
    }
    return new MessageFields(type, prefix + name + ".", value);
  }

  @Nullable
  Json jsonObjectOrNull(String name) {
    return objectOrNull(name) == null ? null : JsonTrees.json(node.path(name));
  }

  /** Any value, as it is. */
  @Nullable
  Json jsonOrNull(String name) {
    return has(name) ? json(name) : null;
  }

  /** Whether the value is an object or JSON's null. */
  boolean isObjectOrNull(String name) {
    JsonNode value = node.path(name);
    return value.isObject() || value.isNull();
  }

  Json json(String name) {
    return JsonTrees.json(node.path(name));
  }

  boolean isText(String name) {
    return node.path(name).isTextual();
  }

  /** Texts that are not blank; none where it is absent. */
  List<String> texts(String name) {
    List<String> texts = new ArrayList<>();
    list(name).forEach(each -> {
      if (!each.isTextual() || each.textValue().isBlank()) {
        throw invalid(name, "must be a list of texts that are not blank");
      }
      texts.add(StorableText.repaired(each.textValue()));
    });
    return texts;
  }

  /** Texts and numbers as texts; none where it is absent. */
  List<String> keys(String name) {
    List<String> keys = new ArrayList<>();
    list(name).forEach(each -> {
      if (!each.isTextual() && !each.isNumber()) {
        throw invalid(name, "must be a list of texts and numbers");
      }
      keys.add(each.asText());
    });
    return keys;
  }

  List<MessageFields> objects(String name) {
    List<MessageFields> objects = new ArrayList<>();
    list(name).forEach(each -> {
      if (!each.isObject()) {
        throw invalid(name, "must be a list of objects");
      }
      objects.add(new MessageFields(type, prefix + name + ".", each));
    });
    return objects;
  }

  /** Refuses members that are not among these. */
  void requireKnown(Set<String> known) {
    node.fieldNames().forEachRemaining(name -> {
      if (!known.contains(name)) {
        throw invalid(Texts.cut(name, 60), "is not allowed");
      }
    });
  }

  RefusedMessage invalid(String name, String why) {
    return new RefusedMessage(
        Violation.of(ViolationType.INVALID_MESSAGE, type + ": " + prefix + name + " " + why)
            .inMessage(type));
  }

  private JsonNode list(String name) {
    JsonNode value = node.path(name);
    if (has(name) && !value.isArray()) {
      throw invalid(name, "must be a list");
    }
    return value;
  }

  private static boolean isFinite(JsonNode value) {
    return value.isNumber() && Double.isFinite(value.doubleValue());
  }
}
