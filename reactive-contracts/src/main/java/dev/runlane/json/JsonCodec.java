package dev.runlane.json;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.ObjectWriter;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.datatype.jdk8.Jdk8Module;
import com.fasterxml.jackson.datatype.jsr310.JavaTimeModule;
import dev.runlane.run.Json;
import dev.runlane.run.RunlaneException;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Java values of an application as checked JSON, and back: the one place where payloads, outputs, inputs and results
 * of steps and the data of jobs change form. {@link RunlaneJsonModule} is always part of it.
 *
 * <p>What is read without a type ({@code Object}, {@code JsonNode}, the values of a {@code Map}) keeps the value of
 * every number, as the module says. A type that cannot hold a number's value holds what Java makes of it: a {@code
 * double} or {@code float} the nearest one, so that 2^53 + 1 needs a {@code long} and 0.1234567890123456789 a {@code
 * BigDecimal}; only a {@code double} and {@code float} keep the sign of a negative zero; trailing zeros of a decimal
 * are no part of its value. {@code NaN} and the infinities have no JSON: in fields of type {@code double} they come
 * back from the text that Jackson writes for them, elsewhere they stay text. A null field of type {@code Json} comes
 * back as JSON's null.
 */
public final class JsonCodec {
  private static final JsonCodec STANDARD = of(standardMapper());

  private final ObjectMapper mapper;
  private final ObjectReader trees;

  private JsonCodec(ObjectMapper mapper) {
    this.mapper = mapper;
    trees = mapper.readerFor(JsonNode.class);
  }

  /**
   * Knows records and beans, Java times as ISO-8601 text and {@code Optional}, and ignores unknown fields, so that a
   * rolling deployment may add some. It is the same one each time, so what it has learnt of a type is learnt once.
   */
  public static JsonCodec standard() {
    return STANDARD;
  }

  /** A new mapper as {@link #standard()} begins with, for those who register a module more. */
  public static ObjectMapper standardMapper() {
    JsonFactory factory =
        JsonFactory.builder().streamReadConstraints(JsonValues.passed()).build();
    return JsonMapper.builder(factory)
        .addModule(new JavaTimeModule())
        .addModule(new Jdk8Module())
        .disable(SerializationFeature.WRITE_DATES_AS_TIMESTAMPS)
        .disable(SerializationFeature.WRITE_DURATIONS_AS_TIMESTAMPS)
        .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
        .build();
  }

  /**
   * Reads and writes as this mapper does. The mapper is copied, and the module registered with the copy, in front of
   * what the mapper says about the same types; its own limits on what it reads stay.
   */
  public static JsonCodec of(ObjectMapper mapper) {
    return new JsonCodec(mapper.copy().registerModule(new RunlaneJsonModule()));
  }

  /** The JSON of a value; a {@link Json} is itself. Throws {@code ValidationFailed}, naming {@code what}. */
  public Json encode(String what, @Nullable Object value, JsonLimits limits) {
    return value instanceof Json json
        ? JsonValues.parse(what, json.text(), limits)
        : written(mapper.writer(), what, value, limits);
  }

  /** The value as this type. Throws {@code ValidationFailed} when the type cannot hold it. */
  public <T extends @Nullable Object> T decode(String what, Json json, Class<T> type) {
    return forType(type).decode(what, json);
  }

  /** The value as a tree. */
  public JsonNode tree(String what, Json json) {
    return read(trees, what, json, JsonNode.class);
  }

  /** The same for one declared type, prepared once. */
  public <T extends @Nullable Object> Typed<T> forType(Class<T> type) {
    return new Typed<>(type, mapper.readerFor(type), mapper.writerFor(type));
  }

  /** Reads and writes values of one declared type, whose annotations alone count. */
  public static final class Typed<T extends @Nullable Object> {
    private final Class<T> type;
    private final ObjectReader reader;
    private final ObjectWriter writer;

    private Typed(Class<T> type, ObjectReader reader, ObjectWriter writer) {
      this.type = type;
      this.reader = reader;
      this.writer = writer;
    }

    /** As {@link JsonCodec#encode}. */
    public Json encode(String what, T value, JsonLimits limits) {
      return value instanceof Json json
          ? JsonValues.parse(what, json.text(), limits)
          : written(writer, what, value, limits);
    }

    /** As {@link JsonCodec#decode}; {@code Json} comes back exactly as it was written. */
    public T decode(String what, Json json) {
      return type == Json.class ? type.cast(json) : read(reader, what, json, type);
    }
  }

  private static Json written(
      ObjectWriter writer, String what, @Nullable Object value, JsonLimits limits) {
    BoundedText text = new BoundedText(limits.maxBytes());
    try {
      writer.writeValue(text, value);
      return JsonValues.parse(what, text.toString(), limits);
    } catch (IOException unwritable) {
      if (text.isFull()) {
        throw RunlaneException.validationFailed(
            "%s must have at most %d bytes of UTF-8, but has more than %d",
            what, limits.maxBytes(), text.length());
      }
      String type = value == null ? "null" : value.getClass().getName();
      throw fault(what + ", of type " + type + ",", "cannot be written as JSON", unwritable);
    }
  }

  private static <T extends @Nullable Object> T read(
      ObjectReader reader, String what, Json json, Class<T> type) {
    try (JsonParser parser = new ExactNumbers(reader.createParser(json.text()))) {
      return reader.readValue(parser);
    } catch (IOException
        | RuntimeException unreadable) { // a constructor or setter may throw anything
      throw fault(what, "cannot be read as " + type.getName(), unreadable);
    }
  }

  /** Names the place, but never quotes the value, as Jackson's own message may. */
  private static RunlaneException fault(String what, String problem, Exception cause) {
    String place = cause instanceof JsonMappingException mapping ? mapping.getPathReference() : "";
    return RunlaneException.validationFailed(
        "%s %s%s", what, problem, place.isEmpty() ? "" : " (at " + place + ")");
  }
}
