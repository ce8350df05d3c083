package dev.runlane.options;

import dev.runlane.run.RunlaneException;
import io.vertx.core.json.JsonObject;
import org.jspecify.annotations.Nullable;

/**
 * One option of an options class: its name, which is also its key in JSON, its type and its default. It is stated once,
 * in a constant of the class; see {@link OptionSet}.
 *
 * @param <T> what its values are
 */
public final class Option<T> {
  private final int index;
  private final String name;
  private final OptionType<T> type;
  private final boolean nullable;

  Option(int index, String name, OptionType<T> type, boolean nullable) {
    this.index = index;
    this.name = name;
    this.type = type;
    this.nullable = nullable;
  }

  int index() {
    return index;
  }

  String name() {
    return name;
  }

  OptionType<T> type() {
    return type;
  }

  /** What is kept of {@code value}: a checked copy, or null where it takes that. */
  @Nullable
  T accept(@Nullable T value) {
    if (value != null) {
      return type.accept(name, value);
    }
    if (nullable) {
      return null;
    }
    throw RunlaneException.configurationInvalid("%s must not be null", name);
  }

  /** What is kept of the option's part of {@code json}, which has one. */
  @Nullable
  T read(JsonObject json, @Nullable T byDefault) {
    return nullable && byDefault != null && json.getValue(name) == null
        ? null
        : type.accept(name, type.read(name, json, byDefault));
  }

  /** Writes a value; null only where the default is not. */
  void write(@Nullable Object value, @Nullable T byDefault, JsonObject json) {
    if (value != null) {
      type.write(name, cast(value), json);
    } else if (byDefault != null && type.isWritten()) {
      json.putNull(name);
    }
  }

  @SuppressWarnings("unchecked") // the array of values holds at each index what accept() answered
  T cast(Object value) {
    return (T) value;
  }
}
