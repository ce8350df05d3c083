package dev.runlane.json;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.runlane.run.Json;
import dev.runlane.run.RunlaneException;
import java.io.IOException;
import java.io.StringWriter;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Map;
import java.util.TreeMap;

/**
 * Recognises equal payloads: values that differ in white space, in the order of an object's fields, or in how
 * a number or text is written, hash alike. The order of an array counts.
 */
public final class PayloadHash {
  private PayloadHash() {}

  /**
   * SHA-256, in 64 lower-case hex digits, of the JSON text without white space and with each object's fields
   * sorted by UTF-16 code units. Fails with {@code ValidationFailed} when this is no JSON value.
   */
  public static String of(Json value) {
    try (JsonParser parser = JsonValues.STORED.createParser(value.text())) {
      parser.nextToken();
      byte[] canonical = EscapedSurrogates.in(canonical(parser)).getBytes(StandardCharsets.UTF_8);
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(canonical));
    } catch (IOException malformed) {
      throw RunlaneException.validationFailed("the payload is not one valid JSON value");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256, but this one does not", e);
    }
  }

  private static String canonical(JsonParser parser) throws IOException {
    JsonToken token = parser.currentToken();
    if (token == null) {
      throw RunlaneException.validationFailed("the payload is empty instead of one JSON value");
    }
    return switch (token) {
      case START_OBJECT -> object(parser);
      case START_ARRAY -> array(parser);
      case VALUE_STRING -> quoted(parser.getText());
      case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> number(parser.getText());
      default -> parser.getText();
    };
  }

  private static String object(JsonParser parser) throws IOException {
    Map<String, String> fields = new TreeMap<>();
    while (parser.nextToken() != JsonToken.END_OBJECT) {
      String name = parser.currentName();
      parser.nextToken();
      fields.put(name, canonical(parser));
    }
    StringBuilder text = new StringBuilder("{");
    for (Map.Entry<String, String> field : fields.entrySet()) {
      text.append(text.length() > 1 ? "," : "").append(quoted(field.getKey()));
      text.append(':').append(field.getValue());
    }
    return text.append('}').toString();
  }

  private static String array(JsonParser parser) throws IOException {
    StringBuilder text = new StringBuilder("[");
    while (parser.nextToken() != JsonToken.END_ARRAY) {
      text.append(text.length() > 1 ? "," : "").append(canonical(parser));
    }
    return text.append(']').toString();
  }

  /** A number with a huge exponent would have as many digits, so it keeps its own. */
  private static String number(String written) {
    BigDecimal value;
    try {
      value = new BigDecimal(written);
    } catch (NumberFormatException beyond) { // an exponent of more than 32 bits equals only itself
      return written;
    }
    BigDecimal plain = value.signum() == 0 ? BigDecimal.ZERO : value.stripTrailingZeros();
    return Math.abs((long) plain.scale()) > 20 ? plain.toString() : plain.toPlainString();
  }

  private static String quoted(String text) throws IOException {
    StringWriter out = new StringWriter(text.length() + 2);
    try (var generator = JsonValues.STORED.createGenerator(out)) {
      generator.writeString(text);
    }
    return out.toString();
  }
}
