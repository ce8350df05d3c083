package dev.runlane.json;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.deser.std.StdScalarDeserializer;
import com.fasterxml.jackson.databind.jsontype.TypeDeserializer;
import com.fasterxml.jackson.databind.jsontype.TypeSerializer;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.ser.std.StdScalarSerializer;
import dev.runlane.run.Json;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.StringWriter;
import java.util.Base64;

/**
 * Teaches Jackson {@link JsonObject}, {@link JsonArray}, {@link Buffer} and {@link Json}, wherever they stand: as a
 * whole value, or as a field, an element or a type parameter of another.
 *
 * <ul>
 *   <li>An object or array is its JSON. Whole numbers come back as {@code Integer}, {@code Long} or {@code
 *       BigInteger}, the smallest that holds them, others as {@code Double} where a double has the very value and as
 *       {@code BigDecimal} where none has. So 1 and 1.0 stay apart, and no digit and no negative zero is lost; of a
 *       {@code BigDecimal} trailing zeros may be. Neither {@code NaN} nor an infinity can be written.
 *   <li>{@code Instant}, {@code byte[]}, {@code Buffer} and enums inside an object or array are written as the text
 *       that its getters ({@code getInstant}, {@code getBinary}, {@code getBuffer}) read.
 *   <li>A buffer is text in base64 as Vert.x writes it; read is either alphabet, padded or not.
 *   <li>{@code Json} is the value of its text. Inside another value its white space and escapes may come back in
 *       another form, its numbers never.
 * </ul>
 */
public final class RunlaneJsonModule extends SimpleModule {
  private static final long serialVersionUID = 1;

  /** The module; registering it twice is the same as once. */
  public RunlaneJsonModule() {
    super("runlane");
    addSerializer(new Writer<>(JsonObject.class, VertxValues::write));
    addSerializer(new Writer<>(JsonArray.class, VertxValues::write));
    addSerializer(new Writer<>(Buffer.class, VertxValues::write));
    addSerializer(new Writer<>(Json.class, (out, json, others) -> out.writeRawValue(json.text())));
    addDeserializer(JsonObject.class, new ObjectReader());
    addDeserializer(JsonArray.class, new ArrayReader());
    addDeserializer(Buffer.class, new BufferReader());
    addDeserializer(Json.class, new JsonReader());
  }

  private interface Form<T> {
    void write(JsonGenerator out, T value, SerializerProvider others) throws IOException;
  }

  /** Each of these says by itself what it is, so that no type id is written with it. */
  private static final class Writer<T> extends StdScalarSerializer<T> {
    private static final long serialVersionUID = 1;

    private final transient Form<T> form;

    Writer(Class<T> type, Form<T> form) {
      super(type);
      this.form = form;
    }

    @Override
    public void serialize(T value, JsonGenerator out, SerializerProvider others)
        throws IOException {
      form.write(out, value, others);
    }

    @Override
    public void serializeWithType(
        T value, JsonGenerator out, SerializerProvider others, TypeSerializer type)
        throws IOException {
      serialize(value, out, others);
    }
  }

  private abstract static class Reader<T> extends StdScalarDeserializer<T> {
    private static final long serialVersionUID = 1;

    Reader(Class<T> type) {
      super(type);
    }

    @Override
    public Object deserializeWithType(
        JsonParser in, DeserializationContext context, TypeDeserializer type) throws IOException {
      return deserialize(in, context);
    }

    @SuppressWarnings("unchecked")
    T mismatch(JsonParser in, DeserializationContext context) throws IOException {
      return (T) context.handleUnexpectedToken(handledType(), in);
    }
  }

  private static final class ObjectReader extends Reader<JsonObject> {
    private static final long serialVersionUID = 1;

    ObjectReader() {
      super(JsonObject.class);
    }

    @Override
    public JsonObject deserialize(JsonParser in, DeserializationContext context)
        throws IOException {
      return in.hasToken(JsonToken.START_OBJECT)
          ? new JsonObject(VertxValues.readObject(in))
          : mismatch(in, context);
    }
  }

  private static final class ArrayReader extends Reader<JsonArray> {
    private static final long serialVersionUID = 1;

    ArrayReader() {
      super(JsonArray.class);
    }

    @Override
    public JsonArray deserialize(JsonParser in, DeserializationContext context) throws IOException {
      return in.hasToken(JsonToken.START_ARRAY)
          ? new JsonArray(VertxValues.readArray(in))
          : mismatch(in, context);
    }
  }

  private static final class BufferReader extends Reader<Buffer> {
    private static final long serialVersionUID = 1;

    BufferReader() {
      super(Buffer.class);
    }

    @Override
    public Buffer deserialize(JsonParser in, DeserializationContext context) throws IOException {
      if (!in.hasToken(JsonToken.VALUE_STRING)) {
        return mismatch(in, context);
      }
      String text = in.getText();
      try {
        return Buffer.buffer(
            Base64.getUrlDecoder().decode(text.replace('+', '-').replace('/', '_')));
      } catch (IllegalArgumentException malformed) {
        throw context.weirdStringException("", Buffer.class, "it is not base64");
      }
    }
  }

  private static final class JsonReader extends Reader<Json> {
    private static final long serialVersionUID = 1;

    JsonReader() {
      super(Json.class);
    }

    @Override
    public Json deserialize(JsonParser in, DeserializationContext context) throws IOException {
      StringWriter text = new StringWriter();
      try (JsonGenerator out = JsonValues.STORED.createGenerator(text)) {
        VertxValues.copy(in, out);
      }
      return Json.ofChecked(EscapedSurrogates.in(text.toString()));
    }

    /** A JSON null is a value of JSON, not the absence of one. */
    @Override
    public Json getNullValue(DeserializationContext context) {
      return Json.ofChecked("null");
    }
  }
}
