package dev.runlane.json;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonFactoryBuilder;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import dev.runlane.run.Json;
import dev.runlane.run.RunlaneException;
import java.io.IOException;
import java.util.Map;

/**
 * Makes {@link Json} of text from outside: one valid value, within its limits, that can be stored
 * everywhere. Numbers of more than 10 000 characters count as malformed.
 */
public final class JsonValues {
  private static final int MOST_NUMBER_CHARACTERS = 10_000;

  /** Reads text from outside. Size and depth are checked here, so the parser's limits must not be smaller. */
  private static final JsonFactory UNTRUSTED = new JsonFactoryBuilder()
      .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
      .streamReadConstraints(unlimited(MOST_NUMBER_CHARACTERS))
      .build();

  /** Reads and writes what storages keep, which was checked when it came in. */
  static final JsonFactory STORED = new JsonFactoryBuilder()
      .streamReadConstraints(unlimited(Integer.MAX_VALUE))
      .build();

  private JsonValues() {}

  /**
   * Checks text and keeps it exactly as it is, without the white space before and after the value. Fails
   * with {@code ValidationFailed}, which names {@code what} but never quotes the text, when it is not one
   * JSON value, too large, too deep, repeats a field's name, or holds NUL or half a surrogate pair, be
   * they escaped or not.
   */
  public static Json parse(String what, String text, JsonLimits limits) {
    Json json = Json.ofChecked(text);
    if (text.length() > limits.maxBytes() || json.sizeInBytes() > limits.maxBytes()) {
      throw RunlaneException.validationFailed(
          "%s must have at most %d bytes of UTF-8, but has %d",
          what, limits.maxBytes(), json.sizeInBytes());
    }
    StorableText.require(what, text);
    try (JsonParser parser = UNTRUSTED.createParser(text)) {
      checkValue(what, parser, limits.maxDepth(), text.contains("\\u"));
    } catch (IOException malformed) {
      throw RunlaneException.validationFailed("%s is not one valid JSON value", what);
    }
    return Json.ofChecked(text.strip());
  }

  /** As {@link #parse}, and fails when the value is not an object. */
  public static Json parseObject(String what, String text, JsonLimits limits) {
    Json json = parse(what, text, limits);
    if (!json.text().startsWith("{")) {
      throw RunlaneException.validationFailed("%s must be a JSON object", what);
    }
    return json;
  }

  /**
   * An object of text entries, in the order given. Checks nothing: entries from outside go through {@link
   * #parseObject} or {@link StorableText} as well.
   */
  public static Json object(Map<String, String> entries) {
    JsonWriter writer = new JsonWriter();
    entries.forEach(writer::text);
    return Json.ofChecked(writer.end());
  }

  /** Decodes texts only where an escape could hide what the text itself does not show. */
  private static void checkValue(String what, JsonParser parser, int maxDepth, boolean escapes)
      throws IOException {
    int depth = 0;
    JsonToken token = parser.nextToken();
    if (token == null) {
      throw RunlaneException.validationFailed("%s is empty instead of one JSON value", what);
    }
    do {
      if (token.isStructStart()) {
        depth++;
        if (depth > maxDepth) {
          throw RunlaneException.validationFailed(
              "%s is nested deeper than %d levels", what, maxDepth);
        }
      } else if (token.isStructEnd()) {
        depth--;
      } else if (escapes && isText(token)) {
        StorableText.require(what, parser.getText());
      }
      token = parser.nextToken();
      if (token != null && depth == 0 && !token.isStructEnd()) {
        throw RunlaneException.validationFailed("%s holds more than one JSON value", what);
      }
    } while (token != null);
  }

  private static boolean isText(JsonToken token) {
    return token == JsonToken.VALUE_STRING || token == JsonToken.FIELD_NAME;
  }

  private static StreamReadConstraints unlimited(int mostNumberCharacters) {
    return StreamReadConstraints.builder()
        .maxNestingDepth(Integer.MAX_VALUE)
        .maxStringLength(Integer.MAX_VALUE)
        .maxNameLength(Integer.MAX_VALUE)
        .maxNumberLength(mostNumberCharacters)
        .build();
  }
}
