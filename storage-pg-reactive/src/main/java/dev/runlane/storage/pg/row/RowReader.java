package dev.runlane.storage.pg.row;

import dev.runlane.run.Json;
import io.vertx.sqlclient.Row;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Reads a row from left to right, in the order in which its statement names the columns. */
public final class RowReader {
  private final Row row;
  private int next;

  public RowReader(Row row) {
    this.row = row;
  }

  @Nullable
  public String textOrNull() {
    return row.getString(next++);
  }

  public String text() {
    return present(textOrNull());
  }

  public List<String> texts() {
    return List.of(present(row.getArrayOfStrings(next++)));
  }

  public List<Integer> counts() {
    return List.of(present(row.getArrayOfIntegers(next++)));
  }

  public List<Long> numbers() {
    return List.of(present(row.getArrayOfLongs(next++)));
  }

  @Nullable
  public Json jsonOrNull() {
    String text = textOrNull();
    return text == null ? null : Json.ofChecked(text);
  }

  public Json json() {
    return Json.ofChecked(text());
  }

  @Nullable
  public Instant timeOrNull() {
    OffsetDateTime time = row.getOffsetDateTime(next++);
    return time == null ? null : time.toInstant();
  }

  public Instant time() {
    return present(timeOrNull());
  }

  @Nullable
  public Long numberOrNull() {
    return row.getLong(next++);
  }

  public long number() {
    return present(numberOrNull());
  }

  public int count() {
    return present(row.getInteger(next++));
  }

  @Nullable
  public Boolean flagOrNull() {
    return row.getBoolean(next++);
  }

  public boolean flag() {
    return present(flagOrNull());
  }

  public void skip(int columns) {
    next += columns;
  }

  private <T> T present(@Nullable T value) {
    return Objects.requireNonNull(value, () -> "column " + (next - 1) + " is null");
  }
}
