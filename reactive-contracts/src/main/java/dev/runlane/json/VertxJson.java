package dev.runlane.json;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.runlane.run.Json;
import dev.runlane.run.RunlaneException;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;

/**
 * {@link Json} as Vert.x's own objects and arrays, and back, exactly as {@link RunlaneJsonModule} says. Limits are
 * those of payloads.
 *
 * <p>Their own {@code encode}, and their constructors that take text, go by the mapper of {@code DatabindCodec}, which
 * is the application's to configure: numbers written as text, or arrays of one element as that element, would be read
 * by nobody.
 */
public final class VertxJson {
  private static final JsonCodec CODEC = JsonCodec.standard();
  private static final JsonFactory TEXTS = new JsonFactory(); // with the limits of Jackson

  private VertxJson() {}

  /** The JSON of an object. Throws {@code ValidationFailed} when it holds what has no JSON. */
  public static Json of(JsonObject object) {
    return CODEC.encode("the object", object, JsonLimits.PAYLOAD);
  }

  /** The JSON of an array. Throws {@code ValidationFailed} when it holds what has no JSON. */
  public static Json of(JsonArray array) {
    return CODEC.encode("the array", array, JsonLimits.PAYLOAD);
  }

  /**
   * The object that this text is, which anybody may have written. Throws {@code ValidationFailed} when it is not one
   * JSON object.
   */
  public static JsonObject read(String text) {
    try (JsonParser parser = TEXTS.createParser(text)) {
      if (parser.nextToken() == JsonToken.START_OBJECT) {
        JsonObject object = new JsonObject(VertxValues.readObject(parser));
        if (parser.nextToken() == null) {
          return object;
        }
      }
    } catch (IOException malformed) {
      throw RunlaneException.validationFailed("the text is no JSON").causedBy(malformed);
    }
    throw RunlaneException.validationFailed("the text is not one JSON object");
  }

  /** The object that this is. Throws {@code ValidationFailed} when it is none. */
  public static JsonObject object(Json json) {
    return CODEC.decode("the value", json, JsonObject.class);
  }

  /** The array that this is. Throws {@code ValidationFailed} when it is none. */
  public static JsonArray array(Json json) {
    return CODEC.decode("the value", json, JsonArray.class);
  }
}
