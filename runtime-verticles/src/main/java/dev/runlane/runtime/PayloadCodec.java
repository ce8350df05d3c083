package dev.runlane.runtime;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.ObjectWriter;
import dev.runlane.json.JsonLimits;
import dev.runlane.json.JsonValues;
import dev.runlane.run.Json;
import dev.runlane.run.RunlaneException;
import org.jspecify.annotations.Nullable;

/** Payloads of one task: Java on the handler's side, checked JSON on storage's. */
final class PayloadCodec<P> {
  private static final Json NULL = Json.ofChecked("null");

  private final String what;
  private final Class<P> type;
  private final ObjectReader reader;
  private final ObjectWriter writer;
  private final JsonLimits limits;
  private final PayloadSchema schema;
  private final ObjectReader trees;

  PayloadCodec(Task<P> task, ObjectMapper mapper, JsonLimits limits) {
    what = "the payload of task " + task.id();
    type = task.payloadType();
    reader = mapper.readerFor(type);
    writer = mapper.writerFor(type);
    this.limits = limits;
    schema = PayloadSchema.of(task);
    trees = mapper.readerFor(JsonNode.class);
  }

  /** The payload as JSON. Throws {@code ValidationFailed} when it has no JSON form or is beyond a limit. */
  Json encode(@Nullable Object payload) {
    if (payload == null) {
      requireNullable();
      return NULL;
    }
    if (!type.isInstance(payload)) {
      throw RunlaneException.validationFailed(
          "%s must be a %s, but is a %s",
          what, type.getName(), payload.getClass().getName());
    }
    try {
      Json json = JsonValues.parse(what, writer.writeValueAsString(payload), limits);
      requireSchema(json);
      return json;
    } catch (JsonProcessingException unwritable) {
      throw fault("cannot be written as JSON", unwritable);
    }
  }

  /** Text from outside, checked against limits and type. Throws {@code ValidationFailed}. */
  Json check(String text) {
    Json json = JsonValues.parse(what, text, limits);
    decode(json);
    return json;
  }

  /** The payload as the handler gets it. Throws {@code ValidationFailed} when the type cannot hold it. */
  @SuppressWarnings("NullAway") // null is the only value of Void, and read as nothing else
  P decode(Json json) {
    P payload;
    try {
      requireSchema(json);
      payload = reader.readValue(json.text());
    } catch (JsonProcessingException unreadable) {
      throw fault("cannot be read as " + type.getName(), unreadable);
    }
    if (payload == null) {
      requireNullable();
    }
    return payload;
  }

  private void requireSchema(Json json) throws JsonProcessingException {
    if (schema != PayloadSchema.ANYTHING) {
      schema.require(what, trees.readTree(json.text()));
    }
  }

  private void requireNullable() {
    if (type != Void.class) {
      throw RunlaneException.validationFailed("%s must not be null", what);
    }
  }

  /** Names the place, but never quotes the payload, as Jackson's own message may. */
  private RunlaneException fault(String problem, JsonProcessingException cause) {
    String place = cause instanceof JsonMappingException mapping ? mapping.getPathReference() : "";
    return RunlaneException.validationFailed(
        "%s %s%s", what, problem, place.isEmpty() ? "" : " (at " + place + ")");
  }
}
