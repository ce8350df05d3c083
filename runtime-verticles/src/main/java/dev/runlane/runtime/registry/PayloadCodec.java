package dev.runlane.runtime.registry;

import dev.runlane.json.JsonCodec;
import dev.runlane.json.JsonLimits;
import dev.runlane.json.JsonValues;
import dev.runlane.run.Json;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.task.TaskDescription;
import org.jspecify.annotations.Nullable;

/** Payloads of one task: Java on the handler's side, checked JSON on storage's. */
public final class PayloadCodec<P> {
  private static final Json NULL = Json.ofChecked("null");

  private final String what;
  private final Class<P> type;
  private final JsonCodec codec;
  private final JsonCodec.Typed<P> typed;
  private final JsonLimits limits;
  private final PayloadSchema schema;

  PayloadCodec(TaskDescription<P> task, JsonCodec codec, JsonLimits limits) {
    what = "the payload of task " + task.id();
    type = task.payloadType();
    this.codec = codec;
    typed = codec.forType(type);
    this.limits = limits;
    schema = PayloadSchema.of(task);
  }

  /** The payload as JSON. Throws {@code ValidationFailed} when it has no JSON form or is beyond a limit. */
  public Json encode(@Nullable Object payload) {
    if (payload == null) {
      requireNullable();
      return NULL;
    }
    if (!type.isInstance(payload)) {
      throw RunlaneException.validationFailed(
          "%s must be a %s, but is a %s",
          what, type.getName(), payload.getClass().getName());
    }
    Json json = typed.encode(what, type.cast(payload), limits);
    requireSchema(json);
    return json;
  }

  /** Text from outside, checked against limits and type. Throws {@code ValidationFailed}. */
  public Json check(String text) {
    Json json = JsonValues.parse(what, text, limits);
    decode(json);
    return json;
  }

  /** The payload as the handler gets it. Throws {@code ValidationFailed} when the type cannot hold it. */
  @SuppressWarnings("NullAway")
  public // null is the only value of Void, and read as nothing else
  P decode(Json json) {
    requireSchema(json);
    P payload = typed.decode(what, json);
    if (payload == null) {
      requireNullable();
    }
    return payload;
  }

  private void requireSchema(Json json) {
    if (schema != PayloadSchema.ANYTHING) {
      schema.require(what, codec.tree(what, json));
    }
  }

  private void requireNullable() {
    if (type != Void.class) {
      throw RunlaneException.validationFailed("%s must not be null", what);
    }
  }
}
