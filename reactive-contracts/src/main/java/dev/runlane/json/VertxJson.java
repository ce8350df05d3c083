package dev.runlane.json;

import dev.runlane.run.Json;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;

/**
 * {@link Json} as Vert.x's own objects and arrays, and back, exactly as {@link RunlaneJsonModule} says. Limits are
 * those of payloads.
 */
public final class VertxJson {
  private static final JsonCodec CODEC = JsonCodec.standard();

  private VertxJson() {}

  /** The JSON of an object. Throws {@code ValidationFailed} when it holds what has no JSON. */
  public static Json of(JsonObject object) {
    return CODEC.encode("the object", object, JsonLimits.PAYLOAD);
  }

  /** The JSON of an array. Throws {@code ValidationFailed} when it holds what has no JSON. */
  public static Json of(JsonArray array) {
    return CODEC.encode("the array", array, JsonLimits.PAYLOAD);
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
