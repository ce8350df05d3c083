package dev.runlane.storage.pg;

import io.vertx.sqlclient.Tuple;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.function.Function;
import java.util.function.ToIntFunction;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/** Turns a list of things into one array parameter a column. */
final class Columns<T> {
  private final List<? extends T> rows;
  private final Tuple parameters;

  Columns(List<? extends T> rows, Tuple parameters) {
    this.rows = rows;
    this.parameters = parameters;
  }

  static OffsetDateTime utc(Instant instant) {
    return instant.atOffset(ZoneOffset.UTC);
  }

  static @Nullable OffsetDateTime utcOrNull(@Nullable Instant instant) {
    return instant == null ? null : utc(instant);
  }

  Columns<T> texts(Function<T, @Nullable String> column) {
    String[] values = new String[rows.size()];
    for (int row = 0; row < values.length; row++) {
      values[row] = column.apply(rows.get(row));
    }
    parameters.addArrayOfString(values);
    return this;
  }

  Columns<T> times(Function<T, @Nullable Instant> column) {
    OffsetDateTime[] values = new OffsetDateTime[rows.size()];
    for (int row = 0; row < values.length; row++) {
      values[row] = utcOrNull(column.apply(rows.get(row)));
    }
    parameters.addArrayOfOffsetDateTime(values);
    return this;
  }

  Columns<T> numbers(ToLongFunction<T> column) {
    Long[] values = new Long[rows.size()];
    for (int row = 0; row < values.length; row++) {
      values[row] = column.applyAsLong(rows.get(row));
    }
    parameters.addArrayOfLong(values);
    return this;
  }

  Columns<T> numbersOrNull(Function<T, @Nullable Long> column) {
    Long[] values = new Long[rows.size()];
    for (int row = 0; row < values.length; row++) {
      values[row] = column.apply(rows.get(row));
    }
    parameters.addArrayOfLong(values);
    return this;
  }

  Columns<T> counts(ToIntFunction<T> column) {
    return countsOrNull(column::applyAsInt);
  }

  Columns<T> countsOrNull(Function<T, @Nullable Integer> column) {
    Integer[] values = new Integer[rows.size()];
    for (int row = 0; row < values.length; row++) {
      values[row] = column.apply(rows.get(row));
    }
    parameters.addArrayOfInteger(values);
    return this;
  }

  Columns<T> kinds(Function<T, DueKind> column) {
    Short[] values = new Short[rows.size()];
    for (int row = 0; row < values.length; row++) {
      values[row] = column.apply(rows.get(row)).number();
    }
    parameters.addArrayOfShort(values);
    return this;
  }

  Columns<T> flags(Function<T, Boolean> column) {
    Boolean[] values = new Boolean[rows.size()];
    for (int row = 0; row < values.length; row++) {
      values[row] = column.apply(rows.get(row));
    }
    parameters.addArrayOfBoolean(values);
    return this;
  }
}
