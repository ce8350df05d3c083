package dev.runlane.postgres.statement;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What a statement is given: under each name of its text, how the value is had from what the caller holds. Made
 * once, for all calls, and never changed: every method answers the parameters and one more.
 *
 * @param <C> what the caller holds
 */
public final class Parameters<C extends @Nullable Object> {
  private final List<String> names;
  private final List<Part<C>> parts;

  /** No parameters. */
  public Parameters() {
    this(List.of(), List.of());
  }

  private Parameters(List<String> names, List<Part<C>> parts) {
    this.names = names;
    this.parts = parts;
  }

  /** And a value, which is sent as it is; null is NULL. */
  public Parameters<C> value(String name, Function<C, ? extends @Nullable Object> value) {
    return and(List.of(name), (given, values) -> values.add(value.apply(given)));
  }

  /** And an instant, as a {@code timestamptz}. */
  public Parameters<C> time(String name, Function<C, @Nullable Instant> value) {
    return value(name, given -> Columns.utcOrNull(value.apply(given)));
  }

  /** And texts, as a {@code text[]}; null is NULL. */
  public Parameters<C> texts(
      String name, Function<C, ? extends @Nullable Collection<String>> value) {
    return value(name, given -> {
      Collection<String> texts = value.apply(given);
      return texts == null ? null : texts.toArray(String[]::new);
    });
  }

  /** And a list, which has as many places as values. Only where placeholders are question marks. */
  public Parameters<C> list(String name, Function<C, ? extends Collection<?>> value) {
    return value(name, given -> List.copyOf(value.apply(given)));
  }

  /** And one array for each column of rows. */
  public <T extends @Nullable Object> Parameters<C> rows(
      Function<C, ? extends List<? extends T>> rows, Columns<T> columns) {
    return and(columns.names(), (given, values) -> columns.addTo(values, rows.apply(given)));
  }

  /** And all that a part of what is held gives. */
  public <P extends @Nullable Object> Parameters<C> of(Function<C, P> part, Parameters<P> others) {
    return and(others.names, (given, values) -> others.addTo(values, part.apply(given)));
  }

  List<String> names() {
    return names;
  }

  /** The values in the order of the names. */
  List<@Nullable Object> values(C given) {
    List<@Nullable Object> values = new ArrayList<>(names.size());
    addTo(values, given);
    return values;
  }

  private void addTo(List<@Nullable Object> values, C given) {
    for (Part<C> part : parts) {
      part.addTo(given, values);
    }
  }

  private Parameters<C> and(List<String> more, Part<C> part) {
    List<String> allNames = new ArrayList<>(names);
    allNames.addAll(more);
    List<Part<C>> allParts = new ArrayList<>(parts);
    allParts.add(part);
    return new Parameters<>(List.copyOf(allNames), List.copyOf(allParts));
  }

  @FunctionalInterface
  private interface Part<C extends @Nullable Object> {
    void addTo(C given, List<@Nullable Object> values);
  }
}
