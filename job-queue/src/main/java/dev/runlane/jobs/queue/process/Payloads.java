package dev.runlane.jobs.queue.process;

import dev.runlane.json.JsonCodec;
import dev.runlane.json.JsonLimits;
import dev.runlane.run.ContractDefaults;
import dev.runlane.run.Json;
import org.jspecify.annotations.Nullable;

/** Payloads and return values: Java on the application's side, checked JSON on the store's. */
public final class Payloads {
  private final JsonCodec codec;
  private final JsonLimits limits;

  Payloads(JsonCodec codec, int maxBytes) {
    this.codec = codec;
    limits = new JsonLimits(maxBytes, ContractDefaults.MAX_JSON_DEPTH);
  }

  /** The JSON form. Throws {@code ValidationFailed}, naming {@code what}, when there is none within the limits. */
  public Json encode(String what, @Nullable Object value) {
    return codec.encode(what, value, limits);
  }

  /** The value as this type. Throws {@code ValidationFailed} when the type cannot hold it. */
  public <T extends @Nullable Object> T decode(String what, Json json, Class<T> type) {
    return codec.decode(what, json, type);
  }
}
