package dev.runlane.json;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.runlane.run.Json;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Writes one JSON object; null values are left out. */
public final class JsonWriter {
  private final StringWriter out = new StringWriter(128);
  private final JsonGenerator generator;

  /** Begins an object. */
  public JsonWriter() {
    try {
      generator = JsonValues.STORED.createGenerator(out);
      generator.writeStartObject();
    } catch (IOException impossible) {
      throw new UncheckedIOException(impossible);
    }
  }

  /** A text; null is left out. */
  public void text(String name, @Nullable String value) {
    if (value != null) {
      write(() -> generator.writeStringField(name, value));
    }
  }

  /** An instant in ISO 8601; null is left out. */
  public void instant(String name, @Nullable Instant value) {
    text(name, value == null ? null : value.toString());
  }

  /** A whole number. */
  public void number(String name, long value) {
    write(() -> generator.writeNumberField(name, value));
  }

  /** A whole number; null is left out. */
  public void numberOrNull(String name, @Nullable Integer value) {
    if (value != null) {
      number(name, value);
    }
  }

  /** A whole number is written without a point, any other in the shortest form that reads back as it. */
  public void decimalOrNull(String name, @Nullable Double value) {
    if (value == null) {
      return;
    }
    if (value == value.longValue() && Math.abs(value) < 1L << 53) {
      number(name, value.longValue());
    } else {
      write(() -> generator.writeNumberField(name, value));
    }
  }

  /** In milliseconds. */
  public void millis(String name, @Nullable Duration value) {
    if (value != null) {
      number(name, value.toMillis());
    }
  }

  /** A flag; null is left out. */
  public void flagOrNull(String name, @Nullable Boolean value) {
    if (value != null) {
      flag(name, value);
    }
  }

  /** An empty list is left out. */
  public void textList(String name, List<String> values) {
    if (!values.isEmpty()) {
      write(() -> {
        generator.writeArrayFieldStart(name);
        for (String value : values) {
          generator.writeString(value);
        }
        generator.writeEndArray();
      });
    }
  }

  /** An empty list is left out. */
  public <T> void objectList(String name, List<T> values, BiConsumer<JsonWriter, T> fields) {
    if (!values.isEmpty()) {
      write(() -> {
        generator.writeArrayFieldStart(name);
        for (T value : values) {
          generator.writeStartObject();
          fields.accept(this, value);
          generator.writeEndObject();
        }
        generator.writeEndArray();
      });
    }
  }

  /** A flag. */
  public void flag(String name, boolean value) {
    write(() -> generator.writeBooleanField(name, value));
  }

  /** A value as it stands; null is left out. */
  public void json(String name, @Nullable Json value) {
    if (value != null) {
      write(() -> {
        generator.writeFieldName(name);
        generator.writeRawValue(value.text());
      });
    }
  }

  /** An object of texts, sorted by name; null is left out. */
  public void texts(String name, @Nullable Map<String, String> values) {
    if (values != null) {
      object(name, inner -> values.entrySet().stream()
          .sorted(Map.Entry.comparingByKey())
          .forEach(entry -> inner.text(entry.getKey(), entry.getValue())));
    }
  }

  /** An object whose fields {@code fields} writes. */
  public void object(String name, Consumer<JsonWriter> fields) {
    write(() -> generator.writeObjectFieldStart(name));
    fields.accept(this);
    write(generator::writeEndObject);
  }

  /** Ends the object and answers all of it; nothing can be written after. */
  public String end() {
    write(generator::writeEndObject);
    write(generator::close);
    return out.toString();
  }

  private static void write(Step step) {
    try {
      step.run();
    } catch (IOException impossible) {
      throw new UncheckedIOException(impossible);
    }
  }

  private interface Step {
    void run() throws IOException;
  }
}
