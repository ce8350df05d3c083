package dev.runlane.postgres.statement;

import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * A list of rows as one array parameter a column, each under its name: what {@code unnest(:run_ids::text[], …)}
 * takes. Never changed: every method answers the columns and one more.
 *
 * @param <T> a row
 */
public final class Columns<T extends @Nullable Object> {
  private final List<Column<T>> columns;

  /** No columns. */
  public Columns() {
    this(List.of());
  }

  private Columns(List<Column<T>> columns) {
    this.columns = columns;
  }

  /** An instant as Postgres takes it, cut as everywhere: the client would round one before the year 2000 up. */
  public static OffsetDateTime utc(Instant instant) {
    return instant.truncatedTo(ChronoUnit.MICROS).atOffset(ZoneOffset.UTC);
  }

  /** The same for an instant that may be absent. */
  public static @Nullable OffsetDateTime utcOrNull(@Nullable Instant instant) {
    return instant == null ? null : utc(instant);
  }

  /** And a {@code text[]}. */
  public Columns<T> texts(String name, Function<T, @Nullable String> column) {
    return and(name, "text", String[]::new, column);
  }

  /** And a {@code timestamptz[]}. */
  public Columns<T> times(String name, Function<T, @Nullable Instant> column) {
    return and(name, "timestamptz", OffsetDateTime[]::new, row -> utcOrNull(column.apply(row)));
  }

  /** And a {@code bigint[]}. */
  public Columns<T> longs(String name, Function<T, @Nullable Long> column) {
    return and(name, "bigint", Long[]::new, column);
  }

  /** And an {@code integer[]}. */
  public Columns<T> integers(String name, Function<T, @Nullable Integer> column) {
    return and(name, "integer", Integer[]::new, column);
  }

  /** And a {@code smallint[]}. */
  public Columns<T> shorts(String name, Function<T, @Nullable Short> column) {
    return and(name, "smallint", Short[]::new, column);
  }

  /** And a {@code float8[]}. */
  public Columns<T> doubles(String name, Function<T, @Nullable Double> column) {
    return and(name, "float8", Double[]::new, column);
  }

  /** And a {@code boolean[]}. */
  public Columns<T> flags(String name, Function<T, @Nullable Boolean> column) {
    return and(name, "boolean", Boolean[]::new, column);
  }

  /** And those of what each row has. */
  public <P extends @Nullable Object> Columns<T> of(Function<T, P> part, Columns<P> others) {
    Columns<T> all = this;
    for (Column<P> other : others.columns) {
      all = all.and(other.name, other.type, other.array, row -> other.value.apply(part.apply(row)));
    }
    return all;
  }

  /** The columns' names. */
  public List<String> names() {
    return columns.stream().map(Column::name).toList();
  }

  /** Each column's array with its type, as {@code :run_ids::text[]}. */
  public List<String> arrays() {
    return columns.stream()
        .map(column -> ":" + column.name + "::" + column.type + "[]")
        .toList();
  }

  void addTo(List<@Nullable Object> values, List<? extends T> rows) {
    for (Column<T> column : columns) {
      @Nullable Object[] array = column.array.apply(rows.size());
      for (int row = 0; row < array.length; row++) {
        array[row] = column.value.apply(rows.get(row));
      }
      values.add(array);
    }
  }

  private Columns<T> and(
      String name,
      String type,
      IntFunction<@Nullable Object[]> array,
      Function<T, ? extends @Nullable Object> value) {
    List<Column<T>> more = new ArrayList<>(columns);
    more.add(new Column<>(name, type, array, value));
    return new Columns<>(List.copyOf(more));
  }

  private record Column<T extends @Nullable Object>(
      String name,
      String type,
      IntFunction<@Nullable Object[]> array,
      Function<T, ? extends @Nullable Object> value) {}
}
