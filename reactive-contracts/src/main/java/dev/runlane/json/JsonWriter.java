package dev.runlane.json;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.runlane.run.Json;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Writes one JSON object; null values are left out. */
final class JsonWriter {
  private final StringWriter out = new StringWriter(128);
  private final JsonGenerator generator;

  JsonWriter() {
    try {
      generator = JsonValues.STORED.createGenerator(out);
      generator.writeStartObject();
    } catch (IOException impossible) {
      throw new UncheckedIOException(impossible);
    }
  }

  void text(String name, @Nullable String value) {
    if (value != null) {
      write(() -> generator.writeStringField(name, value));
    }
  }

  void instant(String name, @Nullable Instant value) {
    text(name, value == null ? null : value.toString());
  }

  void number(String name, long value) {
    write(() -> generator.writeNumberField(name, value));
  }

  void flag(String name, boolean value) {
    write(() -> generator.writeBooleanField(name, value));
  }

  void json(String name, @Nullable Json value) {
    if (value != null) {
      write(() -> {
        generator.writeFieldName(name);
        generator.writeRawValue(value.text());
      });
    }
  }

  void texts(String name, @Nullable Map<String, String> values) {
    if (values != null) {
      object(name, inner -> values.entrySet().stream()
          .sorted(Map.Entry.comparingByKey())
          .forEach(entry -> inner.text(entry.getKey(), entry.getValue())));
    }
  }

  void object(String name, Consumer<JsonWriter> fields) {
    write(() -> generator.writeObjectFieldStart(name));
    fields.accept(this);
    write(generator::writeEndObject);
  }

  String end() {
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
