package dev.runlane.json;

import com.fasterxml.jackson.core.io.JsonStringEncoder;
import dev.runlane.run.Json;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Writes one JSON object; null values are left out. Every event that is stored is written here, so it does without a
 * generator, whose buffers and checks of its own use cost several times what such small objects do.
 */
public final class JsonWriter {
  private final StringBuilder out = new StringBuilder(160).append('{');
  private boolean first = true; // of the object or list that is open

  /** Begins an object. */
  public JsonWriter() {}

  /** A text; null is left out. */
  public void text(String name, @Nullable String value) {
    if (value != null) {
      name(name);
      quoted(value);
    }
  }

  /** An instant in ISO 8601; null is left out. */
  public void instant(String name, @Nullable Instant value) {
    text(name, value == null ? null : value.toString());
  }

  /** A whole number. */
  public void number(String name, long value) {
    name(name);
    out.append(value);
  }

  /** A whole number; null is left out. */
  public void numberOrNull(String name, @Nullable Integer value) {
    if (value != null) {
      number(name, value);
    }
  }

  /**
   * A whole number is written without a point, any other in the shortest form that reads back as it; what is none as
   * text.
   */
  public void decimalOrNull(String name, @Nullable Double value) {
    if (value == null) {
      return;
    }
    if (value == value.longValue() && Math.abs(value) < 1L << 53) {
      number(name, value.longValue());
    } else if (Double.isFinite(value)) {
      name(name);
      out.append(value.doubleValue());
    } else {
      text(name, value.toString());
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
      name(name);
      open('[');
      for (String value : values) {
        separate();
        quoted(value);
      }
      close(']');
    }
  }

  /** An empty list is left out. */
  public <T> void objectList(String name, List<T> values, BiConsumer<JsonWriter, T> fields) {
    if (!values.isEmpty()) {
      name(name);
      open('[');
      for (T value : values) {
        separate();
        open('{');
        fields.accept(this, value);
        close('}');
      }
      close(']');
    }
  }

  /** A flag. */
  public void flag(String name, boolean value) {
    name(name);
    out.append(value);
  }

  /** A value as it stands; null is left out. */
  public void json(String name, @Nullable Json value) {
    if (value != null) {
      name(name);
      out.append(value.text());
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
    name(name);
    open('{');
    fields.accept(this);
    close('}');
  }

  /** Ends the object and answers all of it; nothing can be written after. */
  public String end() {
    return out.append('}').toString();
  }

  private void name(String name) {
    separate();
    quoted(name);
    out.append(':');
  }

  private void separate() {
    if (first) {
      first = false;
    } else {
      out.append(',');
    }
  }

  private void open(char bracket) {
    out.append(bracket);
    first = true;
  }

  private void close(char bracket) {
    out.append(bracket);
    first = false;
  }

  private void quoted(String text) {
    quoted(text, out);
  }

  static String quote(String text) {
    StringBuilder out = new StringBuilder(text.length() + 2);
    quoted(text, out);
    return out.toString();
  }

  private static void quoted(String text, StringBuilder out) {
    out.append('"');
    if (isPlain(text)) {
      out.append(text);
    } else {
      JsonStringEncoder.getInstance().quoteAsString(text, out);
    }
    out.append('"');
  }

  private static boolean isPlain(String text) {
    for (int index = 0; index < text.length(); index++) {
      char character = text.charAt(index);
      if (character < ' ' || character == '"' || character == '\\') {
        return false;
      }
    }
    return true;
  }
}
