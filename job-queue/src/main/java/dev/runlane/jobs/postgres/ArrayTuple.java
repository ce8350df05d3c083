package dev.runlane.jobs.postgres;

import io.vertx.sqlclient.Tuple;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Turns a list of things into one array parameter a column. */
final class ArrayTuple<T> {
  private final List<? extends T> rows;
  private final Tuple parameters;

  ArrayTuple(List<? extends T> rows, Tuple parameters) {
    this.rows = rows;
    this.parameters = parameters;
  }

  static <T> ArrayTuple<T> of(List<? extends T> rows) {
    return new ArrayTuple<>(rows, Tuple.tuple());
  }

  static OffsetDateTime utc(Instant instant) {
    return instant.atOffset(ZoneOffset.UTC);
  }

  static @Nullable OffsetDateTime utcOrNull(@Nullable Instant instant) {
    return instant == null ? null : utc(instant);
  }

  Tuple parameters() {
    return parameters;
  }

  ArrayTuple<T> texts(Function<T, @Nullable String> column) {
    String[] values = new String[rows.size()];
    for (int row = 0; row < values.length; row++) {
      values[row] = column.apply(rows.get(row));
    }
    parameters.addArrayOfString(values);
    return this;
  }

  ArrayTuple<T> times(Function<T, @Nullable Instant> column) {
    OffsetDateTime[] values = new OffsetDateTime[rows.size()];
    for (int row = 0; row < values.length; row++) {
      values[row] = utcOrNull(column.apply(rows.get(row)));
    }
    parameters.addArrayOfOffsetDateTime(values);
    return this;
  }

  ArrayTuple<T> longs(Function<T, @Nullable Long> column) {
    Long[] values = new Long[rows.size()];
    for (int row = 0; row < values.length; row++) {
      values[row] = column.apply(rows.get(row));
    }
    parameters.addArrayOfLong(values);
    return this;
  }

  ArrayTuple<T> integers(Function<T, Integer> column) {
    Integer[] values = new Integer[rows.size()];
    for (int row = 0; row < values.length; row++) {
      values[row] = column.apply(rows.get(row));
    }
    parameters.addArrayOfInteger(values);
    return this;
  }

  ArrayTuple<T> shorts(Function<T, Short> column) {
    Short[] values = new Short[rows.size()];
    for (int row = 0; row < values.length; row++) {
      values[row] = column.apply(rows.get(row));
    }
    parameters.addArrayOfShort(values);
    return this;
  }

  ArrayTuple<T> doubles(Function<T, Double> column) {
    Double[] values = new Double[rows.size()];
    for (int row = 0; row < values.length; row++) {
      values[row] = column.apply(rows.get(row));
    }
    parameters.addArrayOfDouble(values);
    return this;
  }

  ArrayTuple<T> flags(Function<T, Boolean> column) {
    Boolean[] values = new Boolean[rows.size()];
    for (int row = 0; row < values.length; row++) {
      values[row] = column.apply(rows.get(row));
    }
    parameters.addArrayOfBoolean(values);
    return this;
  }
}
