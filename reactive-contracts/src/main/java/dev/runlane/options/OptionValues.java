package dev.runlane.options;

import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;

/**
 * What options classes have in common: values of the options of an {@link OptionSet}, of which a subclass has getters
 * and setters. Setters check at once. Two are equal when they are of one class and all values are. For one thread at a
 * time, as receivers copy.
 *
 * @param <S> the options class itself, which its setters return
 */
public abstract class OptionValues<S extends OptionValues<S>> {
  private final OptionSet options;
  private final @Nullable Object[] values;

  /** The defaults. */
  protected OptionValues(OptionSet options) {
    this.options = options;
    values = options.defaults();
  }

  /** A copy. */
  protected OptionValues(OptionValues<S> other) {
    options = other.options;
    values = other.values.clone(); // nobody else has them: they are copied on their way in and out
  }

  /**
   * Options from JSON, durations as {@code "30s"} or as a whole number of milliseconds. Throws {@code
   * ConfigurationInvalid} on an unknown key and on a value that its setter would refuse.
   */
  protected OptionValues(OptionSet options, JsonObject json) {
    this(options);
    options.read(json, values);
  }

  /** The JSON form, which the constructor that takes one turns back; without what is not set, and without passwords. */
  public final JsonObject toJson() {
    JsonObject json = new JsonObject();
    options.write(values, json);
    return json;
  }

  /** All options, as a table of them shows them, with their values here. */
  public final List<OptionDescription> describe() {
    return options.options().stream().map(this::describe).toList();
  }

  /** The value of an option that always has one. */
  protected final <T> T get(Option<T> option) {
    return Objects.requireNonNull(orNull(option), option.name());
  }

  /** The value of an option that may have none. */
  protected final <T> Optional<T> find(Option<T> option) {
    return Optional.ofNullable(orNull(option));
  }

  /** The value of an option, or null where it has none. */
  protected final <T> @Nullable T orNull(Option<T> option) {
    Object value = values[option.index()];
    return value == null ? null : option.type().copy(option.cast(value));
  }

  /** Sets a value. Throws {@code ConfigurationInvalid} where the option does not take it. */
  @SuppressWarnings("unchecked") // S is this class
  protected final <T> S set(Option<T> option, @Nullable T value) {
    values[option.index()] = option.accept(value);
    return (S) this;
  }

  @Override
  public final boolean equals(@Nullable Object other) {
    return other instanceof OptionValues<?> that
        && getClass() == that.getClass()
        && identities().equals(that.identities());
  }

  @Override
  public final int hashCode() {
    return identities().hashCode();
  }

  /** Every value that is set; secrets are {@code ***}. */
  @Override
  public final String toString() {
    StringJoiner text = new StringJoiner(", ", getClass().getSimpleName() + "{", "}");
    describe().stream()
        .filter(option -> option.value() != null)
        .forEach(option -> text.add(option.name() + "=" + option.value()));
    return text.toString();
  }

  private List<@Nullable Object> identities() {
    List<@Nullable Object> identities = new ArrayList<>();
    options.options().forEach(option -> identities.add(identity(option)));
    return identities;
  }

  private <T> @Nullable Object identity(Option<T> option) {
    Object value = values[option.index()];
    return value == null ? null : option.type().identity(option.cast(value));
  }

  private <T> OptionDescription describe(Option<T> option) {
    return new OptionDescription(
        option.name(),
        option.type().keys(option.name()),
        option.type().range(),
        find(option).map(value -> option.type().describe(value)).orElse(null));
  }
}
