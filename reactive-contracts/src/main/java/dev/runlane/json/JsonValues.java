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
 * Makes {@link Json} of text from outside: one valid value, within its limits, in text that can be stored
 * everywhere. Numbers of more than 10 000 characters count as malformed, and so do those with an exponent of more than
 * nine digits: no {@code BigDecimal} holds all of these, and nothing could read again what is stored.
 */
public final class JsonValues {
  private static final int MOST_NUMBER_CHARACTERS = 10_000;
  private static final int MOST_EXPONENT_DIGITS = 9;

  /** Reads text from outside. Size and depth are checked here, so the parser's limits must not be smaller. */
  private static final JsonFactory UNTRUSTED = new JsonFactoryBuilder()
      .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
      .streamReadConstraints(unlimited(MOST_NUMBER_CHARACTERS))
      .build();

  /** Reads and writes what storages keep, which was checked when it came in. */
  public static final JsonFactory STORED = new JsonFactoryBuilder()
      .streamReadConstraints(unlimited(Integer.MAX_VALUE))
      .build();

  private JsonValues() {}

  /**
   * Checks text and keeps it as it is, without the white space before and after the value. All that JSON
   * allows inside a text is data: an escaped U+0000 or half of a surrogate pair stays the escape that it is,
   * and a half that stands there raw, which no UTF-8 can hold, is kept as its escape, the same value. Fails
   * with {@code ValidationFailed}, which names {@code what} but never quotes the text, when it is not one
   * JSON value, too large, too deep, or repeats a field's name.
   */
  public static Json parse(String what, String text, JsonLimits limits) {
    requireSize(what, text, limits);
    try (JsonParser parser = UNTRUSTED.createParser(text)) {
      checkValue(what, parser, limits.maxDepth());
    } catch (IOException malformed) {
      throw RunlaneException.validationFailed("%s is not one valid JSON value", what);
    }
    String escaped = EscapedSurrogates.in(text);
    if (escaped.length() != text.length()) {
      requireSize(what, escaped, limits);
    }
    return Json.ofChecked(escaped.strip());
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
   * #parseObject} as well.
   */
  public static Json object(Map<String, String> entries) {
    JsonWriter writer = new JsonWriter();
    entries.forEach(writer::text);
    return Json.ofChecked(writer.end());
  }

  /** A text as JSON. */
  public static Json text(String text) {
    return Json.ofChecked(JsonWriter.quote(text));
  }

  /**
   * A copy of {@code entries}, which as an object are within {@code limits} and whose texts every storage can hold.
   * Throws {@code ValidationFailed} for others, {@link NullPointerException} for a name or value of null.
   */
  public static Map<String, String> requireTexts(
      String what, Map<String, String> entries, JsonLimits limits) {
    Map<String, String> copy = Map.copyOf(entries);
    parseObject(what, object(copy).text(), limits);
    StorableText.require(what, copy);
    return copy;
  }

  private static void requireSize(String what, String text, JsonLimits limits) {
    Json json = Json.ofChecked(text);
    if (text.length() > limits.maxBytes() || json.sizeInBytes() > limits.maxBytes()) {
      throw RunlaneException.validationFailed(
          "%s must have at most %d bytes of UTF-8, but has %d",
          what, limits.maxBytes(), json.sizeInBytes());
    }
  }

  private static void checkValue(String what, JsonParser parser, int maxDepth) throws IOException {
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
      } else if (token == JsonToken.VALUE_NUMBER_FLOAT) {
        requireExponent(what, parser.getText());
      }
      token = parser.nextToken();
      if (token != null && depth == 0 && !token.isStructEnd()) {
        throw RunlaneException.validationFailed("%s holds more than one JSON value", what);
      }
    } while (token != null);
  }

  private static void requireExponent(String what, String number) {
    int digit = Math.max(number.lastIndexOf('e'), number.lastIndexOf('E')) + 1;
    if (digit == 0 || number.length() - digit <= MOST_EXPONENT_DIGITS) {
      return;
    }
    while (digit < number.length() && "+-0".indexOf(number.charAt(digit)) >= 0) {
      digit++;
    }
    if (number.length() - digit > MOST_EXPONENT_DIGITS) {
      throw RunlaneException.validationFailed(
          "%s has a number with an exponent of more than %d digits", what, MOST_EXPONENT_DIGITS);
    }
  }

  /** For readers of what was checked here: whatever passed can be read. */
  static StreamReadConstraints passed() {
    return unlimited(MOST_NUMBER_CHARACTERS);
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
