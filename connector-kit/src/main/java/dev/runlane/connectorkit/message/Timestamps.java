package dev.runlane.connectorkit.message;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.temporal.TemporalAccessor;
import java.util.Optional;

/** The texts that records and scopes carry as times. */
final class Timestamps {

  private static final DateTimeFormatter DATE_OR_TIMESTAMP = new DateTimeFormatterBuilder()
      .append(DateTimeFormatter.ISO_LOCAL_DATE)
      .optionalStart()
      .appendLiteral('T')
      .append(DateTimeFormatter.ISO_LOCAL_TIME)
      .optionalStart()
      .appendOffsetId()
      .toFormatter();

  private Timestamps() {}

  /** Empty for a text that is neither a date nor a timestamp. Without an offset, UTC is taken. */
  static Optional<Instant> parse(String text) {
    try {
      TemporalAccessor parsed = DATE_OR_TIMESTAMP.parseBest(
          text, OffsetDateTime::from, LocalDateTime::from, LocalDate::from);
      return Optional.of(instant(parsed));
    } catch (DateTimeException notATime) {
      return Optional.empty();
    }
  }

  private static Instant instant(TemporalAccessor parsed) {
    if (parsed instanceof OffsetDateTime withOffset) {
      return withOffset.toInstant();
    }
    if (parsed instanceof LocalDateTime local) {
      return local.toInstant(ZoneOffset.UTC);
    }
    return LocalDate.from(parsed).atStartOfDay(ZoneOffset.UTC).toInstant();
  }
}
