package dev.runlane.json.record;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.runlane.json.JsonValues;
import dev.runlane.json.JsonWriter;
import dev.runlane.run.Json;
import dev.runlane.run.RunlaneException;
import dev.runlane.timing.Durations;
import java.io.IOException;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A stored JSON object, cut into the exact texts of its fields, so that a payload comes back as it was
 * written. What cannot be read fails with {@code InvariantViolation}: stored data was made by us.
 */
final class JsonObjectText {
  private final String what;
  private final Map<String, String> fields;

  private JsonObjectText(String what, Map<String, String> fields) {
    this.what = what;
    this.fields = fields;
  }

  static JsonObjectText of(String what, String text) {
    try (JsonParser parser = JsonValues.STORED.createParser(text)) {
      if (parser.nextToken() != JsonToken.START_OBJECT) {
        throw unreadable(what, "it is not an object", null);
      }
      Map<String, String> fields = new LinkedHashMap<>();
      while (parser.nextToken() == JsonToken.FIELD_NAME) {
        String name = parser.currentName();
        parser.nextToken();
        int from = (int) parser.currentTokenLocation().getCharOffset();
        parser.skipChildren();
        parser.finishToken();
        fields.put(name, text.substring(from, (int) parser.currentLocation().getCharOffset()));
      }
      if (parser.nextToken() != null) {
        throw unreadable(what, "it is more than one value", null);
      }
      return new JsonObjectText(what, fields);
    } catch (IOException malformed) {
      throw unreadable(what, "it is malformed", malformed);
    }
  }

  @Nullable
  Json jsonOrNull(String name) {
    String raw = fields.get(name);
    return raw == null ? null : Json.ofChecked(raw);
  }

  Json json(String name) {
    return required(name, jsonOrNull(name));
  }

  @Nullable
  String textOrNull(String name) {
    String raw = fields.get(name);
    if (raw == null) {
      return null;
    }
    if (!raw.startsWith("\"")) {
      throw unreadable(what, name + " is not text", null);
    }
    return raw.indexOf('\\') < 0 ? raw.substring(1, raw.length() - 1) : unescaped(name, raw);
  }

  String text(String name) {
    return required(name, textOrNull(name));
  }

  @Nullable
  Instant instantOrNull(String name) {
    String text = textOrNull(name);
    try {
      return text == null ? null : Instant.parse(text);
    } catch (DateTimeException malformed) {
      throw unreadable(what, name + " is not an instant", malformed);
    }
  }

  Instant instant(String name) {
    return required(name, instantOrNull(name));
  }

  long number(String name) {
    try {
      return Long.parseLong(required(name, fields.get(name)));
    } catch (NumberFormatException malformed) {
      throw unreadable(what, name + " is not a whole number", malformed);
    }
  }

  int count(String name) {
    long number = number(name);
    if (number < 0 || number > Integer.MAX_VALUE) {
      throw unreadable(what, name + " is not a count", null);
    }
    return (int) number;
  }

  boolean flag(String name) {
    return switch (required(name, fields.get(name))) {
      case "true" -> true;
      case "false" -> false;
      default -> throw unreadable(what, name + " is neither true nor false", null);
    };
  }

  boolean has(String name) {
    return fields.containsKey(name);
  }

  boolean isFlag(String name) {
    return "true".equals(fields.get(name)) || "false".equals(fields.get(name));
  }

  boolean isObject(String name) {
    String raw = fields.get(name);
    return raw != null && raw.startsWith("{");
  }

  @Nullable
  Boolean flagOrNull(String name) {
    return has(name) ? flag(name) : null;
  }

  @Nullable
  Integer countOrNull(String name) {
    return has(name) ? count(name) : null;
  }

  @Nullable
  Double decimalOrNull(String name) {
    String raw = fields.get(name);
    try {
      return raw == null ? null : Double.valueOf(raw);
    } catch (NumberFormatException malformed) {
      throw unreadable(what, name + " is not a number", malformed);
    }
  }

  /** A number of milliseconds, or text such as {@code 30s}. */
  @Nullable
  Duration millisOrNull(String name) {
    if (!has(name)) {
      return null;
    }
    Duration text = isText(name) ? durationOrNull(name) : null;
    return text != null ? text : Duration.ofMillis(number(name));
  }

  Duration millis(String name) {
    return required(name, millisOrNull(name));
  }

  List<String> textListOrEmpty(String name) {
    return elements(name).stream()
        .map(raw -> new JsonObjectText(what, Map.of(name, raw)).text(name))
        .toList();
  }

  List<JsonObjectText> objects(String name) {
    return elements(name).stream().map(raw -> of(what + "." + name, raw)).toList();
  }

  /** Refuses fields that are not among {@code known}. */
  void requireKnown(Set<String> known) {
    for (String name : fields.keySet()) {
      if (!known.contains(name)) {
        throw unreadable(
            what, "it has no " + name + ", but " + known.stream().sorted().toList(), null);
      }
    }
  }

  /** Writes the fields of other names than these, as they are. */
  void writeUnknown(Set<String> known, JsonWriter to) {
    fields.forEach((name, raw) -> {
      if (!known.contains(name)) {
        to.json(name, Json.ofChecked(raw));
      }
    });
  }

  private boolean isText(String name) {
    String raw = fields.get(name);
    return raw != null && raw.startsWith("\"");
  }

  private List<String> elements(String name) {
    String raw = fields.get(name);
    if (raw == null) {
      return List.of();
    }
    List<String> elements = new ArrayList<>();
    try (JsonParser parser = JsonValues.STORED.createParser(raw)) {
      if (parser.nextToken() != JsonToken.START_ARRAY) {
        throw unreadable(what, name + " is not a list", null);
      }
      while (parser.nextToken() != JsonToken.END_ARRAY) {
        int from = (int) parser.currentTokenLocation().getCharOffset();
        parser.skipChildren();
        parser.finishToken();
        elements.add(raw.substring(from, (int) parser.currentLocation().getCharOffset()));
      }
      return elements;
    } catch (IOException malformed) {
      throw unreadable(what, name + " is malformed", malformed);
    }
  }

  @Nullable
  Duration durationOrNull(String name) {
    String text = textOrNull(name);
    try {
      return text == null ? null : Durations.parse(text);
    } catch (RunlaneException malformed) {
      throw unreadable(what, name + " is not a duration", malformed);
    }
  }

  Duration duration(String name) {
    return required(name, durationOrNull(name));
  }

  @Nullable
  JsonObjectText objectOrNull(String name) {
    String raw = fields.get(name);
    return raw == null ? null : of(what + "." + name, raw);
  }

  JsonObjectText object(String name) {
    return required(name, objectOrNull(name));
  }

  @Nullable
  Map<String, String> textsOrNull(String name) {
    JsonObjectText object = objectOrNull(name);
    return object == null ? null : object.texts();
  }

  Map<String, String> texts() {
    Map<String, String> texts = new LinkedHashMap<>();
    fields.keySet().forEach(key -> texts.put(key, text(key)));
    return texts;
  }

  RunlaneException unreadable(String why) {
    return unreadable(what, why, null);
  }

  private <T> T required(String name, @Nullable T value) {
    if (value == null) {
      throw unreadable(what, name + " is missing", null);
    }
    return value;
  }

  private String unescaped(String name, String raw) {
    try (JsonParser parser = JsonValues.STORED.createParser(raw)) {
      parser.nextToken();
      return parser.getText();
    } catch (IOException malformed) {
      throw unreadable(what, name + " is malformed", malformed);
    }
  }

  private static RunlaneException unreadable(String what, String why, @Nullable Throwable cause) {
    RunlaneException failure =
        RunlaneException.invariantViolation("stored %s cannot be read: %s", what, why);
    return cause == null ? failure : failure.causedBy(cause);
  }
}
