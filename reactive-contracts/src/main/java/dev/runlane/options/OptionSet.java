package dev.runlane.options;

import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The options of one class, each stated once, in constants that are initialised with the class and never change:
 *
 * <pre>{@code
 * private static final OptionSet OPTIONS = OptionSet.of("an outbox publisher");
 * private static final Option<Integer> BATCH_SIZE =
 *     OPTIONS.add("batchSize", DEFAULT_BATCH_SIZE, whole(1, 10_000));
 * }</pre>
 */
public final class OptionSet {
  private final String owner;
  private final List<Option<?>> options = new ArrayList<>();
  private final List<@Nullable Object> defaults = new ArrayList<>();

  private OptionSet(String owner) {
    this.owner = owner;
  }

  /** No options yet of {@code owner}, which messages name: {@code an outbox publisher}. */
  public static OptionSet of(String owner) {
    return new OptionSet(owner);
  }

  /** The options of a superclass, to which those of {@code owner} are added. */
  public OptionSet extended(String owner) {
    OptionSet extended = new OptionSet(owner);
    extended.options.addAll(options);
    extended.defaults.addAll(defaults);
    return extended;
  }

  /** Gives an option of a superclass another default. */
  public <T> OptionSet with(Option<T> option, T byDefault) {
    defaults.set(option.index(), option.accept(byDefault));
    return this;
  }

  /** Adds an option; where {@code byDefault} is null, nothing is set by default, and null sets nothing again. */
  public <T> Option<T> add(String name, @Nullable T byDefault, OptionType<T> type) {
    return add(name, byDefault, type, byDefault == null);
  }

  /** Adds an option that may be null, in JSON too, although its default is not. */
  public <T> Option<T> addNullable(String name, T byDefault, OptionType<T> type) {
    return add(name, byDefault, type, true);
  }

  private <T> Option<T> add(
      String name, @Nullable T byDefault, OptionType<T> type, boolean nullable) {
    Option<T> option = new Option<>(options.size(), name, type, nullable);
    options.add(option);
    defaults.add(byDefault == null ? null : option.accept(byDefault));
    return option;
  }

  List<Option<?>> options() {
    return options;
  }

  @Nullable
  Object[] defaults() {
    return defaults.toArray();
  }

  /** Replaces the values of which {@code json} has keys, and refuses keys that no option has. */
  void read(JsonObject json, @Nullable Object[] values) {
    Set<String> known = new TreeSet<>();
    options.forEach(option -> known.addAll(option.type().keys(option.name())));
    OptionChecks.requireKnown(owner, json, known);
    for (Option<?> option : options) {
      if (option.type().keys(option.name()).stream().anyMatch(json::containsKey)) {
        values[option.index()] = read(option, json);
      }
    }
  }

  void write(@Nullable Object[] values, JsonObject json) {
    for (Option<?> option : options) {
      write(option, values[option.index()], json);
    }
  }

  private <T> @Nullable T read(Option<T> option, JsonObject json) {
    return option.read(json, byDefault(option));
  }

  private <T> void write(Option<T> option, @Nullable Object value, JsonObject json) {
    option.write(value, byDefault(option), json);
  }

  private <T> @Nullable T byDefault(Option<T> option) {
    Object value = defaults.get(option.index());
    return value == null ? null : option.cast(value);
  }
}
