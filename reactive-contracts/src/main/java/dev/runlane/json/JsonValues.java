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

/** Makes {@link Json} of text from outside: one valid value, within its limits, without NUL. */
public final class JsonValues {
  /** Reads anything our own limits allow: they are checked here, and the parser's must not be smaller. */
  static final JsonFactory FACTORY = new JsonFactoryBuilder()
      .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
      .streamReadConstraints(StreamReadConstraints.builder()
          .maxStringLength(Integer.MAX_VALUE)
          .maxNameLength(Integer.MAX_VALUE)
          .maxNumberLength(10_000)
          .build())
      .build();

  private JsonValues() {}

  /**
   * Checks text and keeps it exactly as it is. Fails with {@code ValidationFailed}, which names {@code
   * what} but never quotes the text, when it is not one JSON value, too large, too deep, repeats a
   * field's name or holds NUL.
   */
  public static Json parse(String what, String text, JsonLimits limits) {
    Json json = Json.ofChecked(text);
    if (text.length() > limits.maxBytes() || json.sizeInBytes() > limits.maxBytes()) {
      throw RunlaneException.validationFailed(
          "%s must have at most %d bytes of UTF-8, but has %d",
          what, limits.maxBytes(), json.sizeInBytes());
    }
    try (JsonParser parser = FACTORY.createParser(text)) {
      checkValue(what, parser, limits);
    } catch (IOException malformed) {
      throw RunlaneException.validationFailed("%s is not one valid JSON value", what);
    }
    return json;
  }

  /** As {@link #parse}, and fails when the value is not an object. */
  public static Json parseObject(String what, String text, JsonLimits limits) {
    Json json = parse(what, text, limits);
    if (!text.stripLeading().startsWith("{")) {
      throw RunlaneException.validationFailed("%s must be a JSON object", what);
    }
    return json;
  }

  /** A meta object of text entries, in the order given. */
  public static Json object(Map<String, String> entries) {
    JsonWriter writer = new JsonWriter();
    entries.forEach(writer::text);
    return Json.ofChecked(writer.end());
  }

  private static void checkValue(String what, JsonParser parser, JsonLimits limits)
      throws IOException {
    int depth = 0;
    JsonToken token = parser.nextToken();
    if (token == null) {
      throw RunlaneException.validationFailed("%s is empty instead of one JSON value", what);
    }
    do {
      if (token.isStructStart()) {
        depth++;
        if (depth > limits.maxDepth()) {
          throw RunlaneException.validationFailed(
              "%s is nested deeper than %d levels", what, limits.maxDepth());
        }
      } else if (token.isStructEnd()) {
        depth--;
      } else if (isText(token) && parser.getText().indexOf('\0') >= 0) {
        throw RunlaneException.validationFailed("%s must not contain NUL", what);
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
}
