package dev.runlane.jobs.queue;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.datatype.jdk8.Jdk8Module;
import com.fasterxml.jackson.datatype.jsr310.JavaTimeModule;
import dev.runlane.json.JsonLimits;
import dev.runlane.json.JsonValues;
import dev.runlane.run.ContractDefaults;
import dev.runlane.run.Json;
import dev.runlane.run.RunlaneException;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import org.jspecify.annotations.Nullable;

/** Payloads and return values: Java on the application's side, checked JSON on the store's. */
final class Payloads {
  private final ObjectMapper mapper;
  private final JsonLimits limits;

  Payloads(ObjectMapper mapper, int maxBytes) {
    this.mapper = mapper;
    limits = new JsonLimits(maxBytes, ContractDefaults.MAX_JSON_DEPTH);
  }

  /** Reads and writes records, beans, {@code java.time} and {@code Optional}; dates as ISO-8601. */
  static ObjectMapper defaultMapper() {
    return JsonMapper.builder()
        .addModule(new JavaTimeModule())
        .addModule(new Jdk8Module())
        .disable(SerializationFeature.WRITE_DATES_AS_TIMESTAMPS)
        .disable(SerializationFeature.WRITE_DURATIONS_AS_TIMESTAMPS)
        .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
        .build();
  }

  /** The JSON form. Throws {@code ValidationFailed}, naming {@code what}, when there is none within the limits. */
  Json encode(String what, @Nullable Object value) {
    if (value instanceof Json json) {
      return JsonValues.parse(what, json.text(), limits);
    }
    if (value instanceof JsonObject object) {
      return JsonValues.parse(what, object.encode(), limits);
    }
    if (value instanceof JsonArray array) {
      return JsonValues.parse(what, array.encode(), limits);
    }
    try {
      return JsonValues.parse(what, mapper.writeValueAsString(value), limits);
    } catch (JsonProcessingException unwritable) {
      throw fault(what, "cannot be written as JSON", unwritable);
    }
  }

  /** The value as this type. Throws {@code ValidationFailed} when the type cannot hold it. */
  <T extends @Nullable Object> T decode(String what, Json json, Class<T> type) {
    try {
      return mapper.readValue(json.text(), type);
    } catch (JsonProcessingException unreadable) {
      throw fault(what, "cannot be read as " + type.getName(), unreadable);
    }
  }

  /** Names the place, but never quotes the value, as Jackson's own message may. */
  private static RunlaneException fault(
      String what, String problem, JsonProcessingException cause) {
    String place = cause instanceof JsonMappingException mapping ? mapping.getPathReference() : "";
    return RunlaneException.validationFailed(
        "%s %s%s", what, problem, place.isEmpty() ? "" : " (at " + place + ")");
  }
}
