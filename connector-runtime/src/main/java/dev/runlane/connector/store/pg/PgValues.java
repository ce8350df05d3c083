package dev.runlane.connector.store.pg;

import dev.runlane.run.Json;
import io.vertx.sqlclient.Row;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;

/** Instants and JSON as columns hold them. */
final class PgValues {
  private PgValues() {}

  /** Cut to the microseconds that a column holds. */
  static OffsetDateTime utc(Instant instant) {
    return instant.truncatedTo(ChronoUnit.MICROS).atOffset(ZoneOffset.UTC);
  }

  static @Nullable OffsetDateTime utcOrNull(@Nullable Instant instant) {
    return instant == null ? null : utc(instant);
  }

  static Instant instant(Row row, String column) {
    return row.getOffsetDateTime(column).toInstant();
  }

  static @Nullable Instant instantOrNull(Row row, String column) {
    OffsetDateTime value = row.getOffsetDateTime(column);
    return value == null ? null : value.toInstant();
  }

  static Json json(Row row, String column) {
    return Json.ofChecked(row.getString(column));
  }

  static @Nullable Json jsonOrNull(Row row, String column) {
    String value = row.getString(column);
    return value == null ? null : Json.ofChecked(value);
  }

  static @Nullable String textOrNull(@Nullable Json json) {
    return json == null ? null : json.text();
  }
}
