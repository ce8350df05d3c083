package dev.runlane.options;

import dev.runlane.run.RunlaneException;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * What values an option takes: how they are read from JSON and written, what is refused, and how they are copied.
 * Immutable; {@link OptionTypes} has those that modules share.
 *
 * @param <T> what the values are
 */
public class OptionType<T> {
  private final BiFunction<String, Object, T> reader;
  private final Function<T, @Nullable Object> writer;
  private String range;
  private BiFunction<String, T, T> check = (name, value) -> value;
  private UnaryOperator<T> copier = UnaryOperator.identity();
  private Function<T, Object> identity = value -> value;
  private Function<T, String> describer;
  private Shown shown = Shown.YES;

  OptionType(
      String range, BiFunction<String, Object, T> reader, Function<T, @Nullable Object> writer) {
    this.range = range;
    this.reader = reader;
    this.writer = writer;
    describer = value -> String.valueOf(writer.apply(value));
  }

  private OptionType(OptionType<T> other) {
    reader = other.reader;
    writer = other.writer;
    range = other.range;
    check = other.check;
    copier = other.copier;
    identity = other.identity;
    describer = other.describer;
    shown = other.shown;
  }

  /**
   * A type of immutable values.
   *
   * @param <T> what the values are
   * @param range what it takes, for people: {@code text, not empty}
   * @param reader gets the option's name and what JSON has for it; answers a value, or throws {@code
   *     ConfigurationInvalid}
   * @param writer the JSON form of a value, or null for none
   */
  public static <T> OptionType<T> of(
      String range, BiFunction<String, Object, T> reader, Function<T, @Nullable Object> writer) {
    return new OptionType<>(range, reader, writer);
  }

  /**
   * The same type with a further check.
   *
   * @param range what it takes now, for people
   * @param check gets the option's name and a value; answers what is kept, or throws {@code ConfigurationInvalid}
   */
  public OptionType<T> checked(String range, BiFunction<String, T, T> check) {
    BiFunction<String, T, T> before = this.check;
    OptionType<T> changed = new OptionType<>(this);
    changed.range = range;
    changed.check = (name, value) -> check.apply(name, before.apply(name, value));
    return changed;
  }

  /** The same type for mutable values: what is set, and what is asked for, is a copy. */
  public OptionType<T> copied(UnaryOperator<T> copier) {
    OptionType<T> changed = new OptionType<>(this);
    changed.copier = copier;
    return changed;
  }

  /** The same type for values that are equal when what {@code identity} makes of them is. */
  public OptionType<T> compared(Function<T, Object> identity) {
    OptionType<T> changed = new OptionType<>(this);
    changed.identity = identity;
    return changed;
  }

  /** The same type, whose values people see in another form than JSON. */
  public OptionType<T> described(Function<T, String> describer) {
    OptionType<T> changed = new OptionType<>(this);
    changed.describer = describer;
    return changed;
  }

  /** The same type for secrets that JSON holds, but {@code toString} does not. */
  public OptionType<T> masked() {
    OptionType<T> changed = new OptionType<>(this);
    changed.shown = Shown.IN_JSON;
    return changed;
  }

  /** The same type for secrets that are read from JSON, and which neither JSON nor {@code toString} shows. */
  public OptionType<T> unwritten() {
    OptionType<T> changed = new OptionType<>(this);
    changed.shown = Shown.NO;
    return changed;
  }

  final String range() {
    return range;
  }

  final boolean isMasked() {
    return shown != Shown.YES;
  }

  final boolean isWritten() {
    return shown != Shown.NO;
  }

  /** What is kept of a value. */
  T accept(String name, T value) {
    return copier.apply(check.apply(name, value));
  }

  final T copy(T value) {
    return copier.apply(value);
  }

  final Object identity(T value) {
    return identity.apply(value);
  }

  /** The keys that JSON has for an option of this name; none: it is no part of JSON. */
  List<String> keys(String name) {
    return List.of(name);
  }

  /** The option's part of {@code json}, which has at least one of its keys. */
  T read(String name, JsonObject json, @Nullable T byDefault) {
    Object value = json.getValue(name);
    if (value == null) {
      throw RunlaneException.configurationInvalid("option %s must not be null", name);
    }
    return reader.apply(name, value);
  }

  /** Writes the option's part. */
  void write(String name, T value, JsonObject json) {
    Object written = isWritten() ? writer.apply(value) : null;
    if (written != null) {
      json.put(name, written);
    }
  }

  /** The value for people. */
  String describe(T value) {
    return isMasked() ? "***" : describer.apply(value);
  }

  /** Where values may be seen. */
  private enum Shown {
    YES,
    IN_JSON,
    NO
  }
}
