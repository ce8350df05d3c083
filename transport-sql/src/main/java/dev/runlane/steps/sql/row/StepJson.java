package dev.runlane.steps.sql.row;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonFactoryBuilder;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import dev.runlane.json.EscapedSurrogates;
import dev.runlane.json.JsonWriter;
import dev.runlane.json.VertxJson;
import dev.runlane.run.Json;
import dev.runlane.run.RunlaneException;
import dev.runlane.steps.result.StepError;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * JSON as it is in the tables' text columns, written by any language: checked for syntax alone, so that
 * escaped NULs, half surrogate pairs and repeated names of others get through as they are.
 */
public final class StepJson {
  /** What stands for a missing input. */
  static final String NULL = "null";

  private static final JsonFactory SYNTAX = new JsonFactoryBuilder()
      .streamReadConstraints(StreamReadConstraints.builder()
          .maxNestingDepth(Integer.MAX_VALUE)
          .maxStringLength(Integer.MAX_VALUE)
          .maxNameLength(Integer.MAX_VALUE)
          .maxNumberLength(Integer.MAX_VALUE)
          .build())
      .build();

  private StepJson() {}

  /** What is wrong with {@code text}, or empty when it is one JSON value. */
  static Optional<String> fault(String text) {
    try (JsonParser parser = SYNTAX.createParser(text)) {
      int depth = 0;
      int values = 0;
      for (JsonToken token = parser.nextToken(); token != null; token = parser.nextToken()) {
        if (depth == 0 && !token.isStructEnd()) {
          values++;
        }
        depth += token.isStructStart() ? 1 : token.isStructEnd() ? -1 : 0;
      }
      return values == 1 ? Optional.empty() : Optional.of("is " + values + " JSON values, not one");
    } catch (IOException malformed) {
      return Optional.of("is not JSON");
    }
  }

  /** An input as it is stored. */
  public static String input(@Nullable Json input) {
    return input == null ? NULL : EscapedSurrogates.in(input.text());
  }

  /** An input or output as it was stored, or null for none; it is known to be JSON. */
  static @Nullable Json value(@Nullable String text) {
    return text == null ? null : Json.ofChecked(text.strip());
  }

  /** The error column of a failure. */
  static String error(StepError error) {
    JsonWriter json = new JsonWriter();
    json.text("message", error.message());
    json.text("code", error.code());
    json.flagOrNull("retryable", error.retryable());
    json.text("stack", error.stack());
    return EscapedSurrogates.in(json.end());
  }

  /**
   * A failure as others wrote it: members of another type are passed over, like unknown ones, and null is none. Throws
   * {@code ValidationFailed} when the text is not a JSON object.
   */
  static StepError error(@Nullable String text) {
    if (text == null || text.strip().equals("null")) {
      return StepError.of(null, "the worker gave no reason");
    }
    try {
      JsonObject json = VertxJson.read(text);
      String message = text(json, "message");
      return new StepError(
          message == null ? "the worker gave no message" : message,
          text(json, "code"),
          json.getValue("retryable") instanceof Boolean retryable ? retryable : null,
          text(json, "stack"));
    } catch (RunlaneException malformed) {
      throw RunlaneException.validationFailed("the error is not a JSON object");
    }
  }

  private static @Nullable String text(JsonObject json, String member) {
    return json.getValue(member) instanceof String value ? value : null;
  }
}
