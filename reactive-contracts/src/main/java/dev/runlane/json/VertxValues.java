package dev.runlane.json;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParseException;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.SerializerProvider;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What stands inside a {@code JsonObject} or {@code JsonArray}, written and read token by token. */
final class VertxValues {
  private VertxValues() {}

  static void write(JsonGenerator out, @Nullable Object value, SerializerProvider others)
      throws IOException {
    if (value == null) {
      out.writeNull();
    } else if (value instanceof String text) {
      out.writeString(text);
    } else if (value instanceof Boolean flag) {
      out.writeBoolean(flag);
    } else if (value instanceof Number number) {
      writeNumber(out, number, others);
    } else if (value instanceof JsonObject object) {
      writeObject(out, object.getMap(), others);
    } else if (value instanceof JsonArray array) {
      writeArray(out, array.getList(), others);
    } else if (value instanceof Map<?, ?> map) {
      writeObject(out, map, others);
    } else if (value instanceof List<?> list) {
      writeArray(out, list, others);
    } else if (isTextOfVertx(value)) {
      out.writeString(textOf(value));
    } else {
      others.defaultSerializeValue(value, out); // what the mapper knows, Json among it
    }
  }

  /** The text that the getters of Vert.x read back as this value. */
  static String textOf(Object value) {
    return new JsonArray(Collections.singletonList(value)).getString(0);
  }

  static @Nullable Object read(JsonParser in) throws IOException {
    JsonToken token = in.currentToken();
    if (token == null) {
      throw new JsonParseException(in, "a value is missing");
    }
    return switch (token) {
      case START_OBJECT -> readObject(in);
      case START_ARRAY -> readArray(in);
      case VALUE_STRING -> in.getText();
      case VALUE_NUMBER_INT -> whole(in);
      case VALUE_NUMBER_FLOAT -> ExactNumbers.fraction(in);
      case VALUE_TRUE -> true;
      case VALUE_FALSE -> false;
      case VALUE_NULL -> null;
      default -> throw new JsonParseException(in, "this is no value of JSON: " + token);
    };
  }

  /** The parser stands at the start of an object. */
  static Map<String, @Nullable Object> readObject(JsonParser in) throws IOException {
    Map<String, @Nullable Object> fields = new LinkedHashMap<>();
    while (in.nextToken() == JsonToken.FIELD_NAME) {
      String name = in.currentName();
      in.nextToken();
      fields.put(name, read(in));
    }
    return fields;
  }

  /** The parser stands at the start of an array. */
  static List<@Nullable Object> readArray(JsonParser in) throws IOException {
    List<@Nullable Object> elements = new ArrayList<>();
    while (in.nextToken() != JsonToken.END_ARRAY) {
      elements.add(read(in));
    }
    return elements;
  }

  /** The same value, with every number as it was written; white space and escapes may be others. */
  static void copy(JsonParser in, JsonGenerator out) throws IOException {
    int depth = 0;
    do {
      JsonToken token = in.currentToken();
      if (token == null) {
        throw new JsonParseException(in, "a value is missing");
      }
      if (token == JsonToken.VALUE_NUMBER_INT || token == JsonToken.VALUE_NUMBER_FLOAT) {
        out.writeNumber(in.getText());
      } else {
        out.copyCurrentEvent(in);
      }
      depth += token.isStructStart() ? 1 : token.isStructEnd() ? -1 : 0;
      if (depth > 0) {
        in.nextToken();
      }
    } while (depth > 0);
  }

  private static void writeObject(JsonGenerator out, Map<?, ?> fields, SerializerProvider others)
      throws IOException {
    out.writeStartObject();
    for (Map.Entry<?, ?> field : fields.entrySet()) {
      out.writeFieldName(String.valueOf(field.getKey()));
      write(out, field.getValue(), others);
    }
    out.writeEndObject();
  }

  private static void writeArray(JsonGenerator out, List<?> elements, SerializerProvider others)
      throws IOException {
    out.writeStartArray();
    for (Object element : elements) {
      write(out, element, others);
    }
    out.writeEndArray();
  }

  private static void writeNumber(JsonGenerator out, Number number, SerializerProvider others)
      throws IOException {
    if (number instanceof Integer || number instanceof Short || number instanceof Byte) {
      out.writeNumber(number.intValue());
    } else if (number instanceof Long) {
      out.writeNumber(number.longValue());
    } else if (number instanceof BigInteger big) {
      out.writeNumber(big);
    } else if (number instanceof BigDecimal big) {
      out.writeNumber(big.toString()); // with its scale, whatever the mapper does to others
    } else if (number instanceof Double || number instanceof Float) {
      requireFinite(out, number.doubleValue());
      out.writeNumber(number.toString());
    } else {
      others.defaultSerializeValue(number, out);
    }
  }

  /** JSON has no other numbers, and text in their place would be another value. */
  private static void requireFinite(JsonGenerator out, double number) throws JsonMappingException {
    if (!Double.isFinite(number)) {
      throw new JsonMappingException(out, "JSON has no number for " + number);
    }
  }

  private static boolean isTextOfVertx(Object value) {
    return value instanceof CharSequence
        || value instanceof Instant
        || value instanceof Buffer
        || value instanceof byte[]
        || value instanceof Enum<?>;
  }

  /** A negative zero keeps its sign, which no whole number of Java has. */
  private static Number whole(JsonParser in) throws IOException {
    return "-0".equals(in.getText()) ? (Number) (-0.0) : in.getNumberValue();
  }
}
