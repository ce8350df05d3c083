package dev.runlane.connector.protocol.text;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;

/**
 * Reads the instants that connectors write, as microseconds since the epoch:
 *
 * <pre>
 *   2026 · 2026-02 · 2026-02-11                      midnight UTC
 *   2026-02-11T09:00 · …T09:00:00 · …T09:00:00.123   UTC where no offset follows; a space counts as T
 *   …Z · …+02 · …+02:00 · …+0200
 *   Wed, 11 Feb 2026 09:00:00 GMT
 *   1770800400000                                    a JSON number: milliseconds
 * </pre>
 */
public final class Timestamps {
  /** What is returned for a text that is no instant. */
  public static final long UNREADABLE = Long.MIN_VALUE;

  private static final long MICROS_PER_SECOND = 1_000_000;
  private static final long SECONDS_PER_DAY = 86_400;
  private static final long MOST_MILLIS = 8_640_000_000_000_000L; // a hundred million days

  private final String text;
  private int at;

  private Timestamps(String text) {
    this.text = text;
  }

  /** The instant, or {@link #UNREADABLE}. */
  public static long micros(String text) {
    try {
      return new Timestamps(text).iso();
    } catch (DateTimeException | NumberFormatException notIso) {
      return rfc1123(text);
    }
  }

  /** The instant of a number of milliseconds, or {@link #UNREADABLE}. */
  public static long microsOfMillis(double millis) {
    return Math.abs(millis) <= MOST_MILLIS ? (long) Math.floor(millis * 1000) : UNREADABLE;
  }

  private static long rfc1123(String text) {
    try {
      Instant instant =
          ZonedDateTime.parse(text, DateTimeFormatter.RFC_1123_DATE_TIME).toInstant();
      return ChronoUnit.MICROS.between(Instant.EPOCH, instant);
    } catch (DateTimeException unreadable) {
      return UNREADABLE;
    }
  }

  private long iso() {
    int year = digits(4);
    int month = accept('-') ? digits(2) : 1;
    int day = at == 7 && accept('-') ? digits(2) : 1;
    long seconds = LocalDate.of(year, month, day).toEpochDay() * SECONDS_PER_DAY;
    long micros = 0;
    if (at == 10 && (accept('T') || accept('t') || accept(' '))) {
      seconds += range(digits(2), 24) * 3600L;
      require(':');
      seconds += range(digits(2), 59) * 60L;
      if (accept(':')) {
        seconds += range(digits(2), 60); // a leap second counts as the next one
        micros = accept('.') || accept(',') ? fraction() : 0;
      }
      seconds -= offset();
    }
    if (at != text.length()) {
      throw malformed();
    }
    return seconds * MICROS_PER_SECOND + micros;
  }

  private long fraction() {
    int from = at;
    long micros = 0;
    while (at < text.length() && isDigit(text.charAt(at))) {
      if (at - from < 6) {
        micros = micros * 10 + (text.charAt(at) - '0');
      }
      at++;
    }
    if (at == from) {
      throw malformed();
    }
    for (int digits = at - from; digits < 6; digits++) {
      micros *= 10;
    }
    return micros;
  }

  /** Seconds east of UTC; 0 where no offset is written. */
  private long offset() {
    if (accept('Z') || accept('z') || at == text.length()) {
      return 0;
    }
    accept(' '); // as in 2026-02-11 09:00:00 +0000
    int sign = accept('-') ? -1 : 1;
    if (sign == 1) {
      require('+');
    }
    long hours = range(digits(2), 23);
    accept(':');
    long minutes = at < text.length() ? range(digits(2), 59) : 0;
    return sign * (hours * 3600 + minutes * 60);
  }

  private int digits(int count) {
    int value = 0;
    for (int end = at + count; at < end; at++) {
      if (at >= text.length() || !isDigit(text.charAt(at))) {
        throw malformed();
      }
      value = value * 10 + (text.charAt(at) - '0');
    }
    return value;
  }

  private boolean accept(char wanted) {
    boolean found = at < text.length() && text.charAt(at) == wanted;
    if (found) {
      at++;
    }
    return found;
  }

  private void require(char wanted) {
    if (!accept(wanted)) {
      throw malformed();
    }
  }

  private static int range(int value, int most) {
    if (value > most) {
      throw malformed();
    }
    return value;
  }

  private static boolean isDigit(char found) {
    return found >= '0' && found <= '9';
  }

  private static DateTimeException malformed() {
    return new DateTimeException("not an ISO 8601 instant");
  }
}
