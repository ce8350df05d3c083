package dev.runlane.cli.option;

import dev.runlane.run.ContractDefaults;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Durations and instants as people type them. */
public final class TimeText {
  private static final Pattern DURATION = Pattern.compile("(\\d{1,9})(ms|s|m|h|d|w)");

  private TimeText() {}

  /** {@code 90s}, {@code 15m}, {@code 2h}, {@code 7d}, {@code 2w} or ISO-8601. Throws {@link UsageException}. */
  public static Duration duration(String option, String text) {
    Matcher brief = DURATION.matcher(text);
    try {
      Duration duration = brief.matches()
          ? unit(brief.group(2)).multipliedBy(Long.parseLong(brief.group(1)))
          : Duration.parse(text);
      if (!duration.isNegative() && duration.compareTo(ContractDefaults.LONGEST_DURATION) <= 0) {
        return duration;
      }
    } catch (DateTimeException | ArithmeticException malformed) {
      // told below
    }
    throw new UsageException(option + ": \"" + text + "\" is no duration, such as 15m, 2h or 7d");
  }

  /** The same, and more than nothing. Throws {@link UsageException}. */
  public static Duration positive(String option, String text) {
    Duration duration = duration(option, text);
    if (duration.isZero()) {
      throw new UsageException(option + ": it must be more than nothing");
    }
    return duration;
  }

  /** An instant such as {@code 2026-11-23T10:00:00Z}, a day in UTC, or how long ago it was. */
  public static Instant past(String option, String text, Instant now) {
    try {
      if (text.matches("\\d{4}-\\d{2}-\\d{2}")) {
        return LocalDate.parse(text).atStartOfDay(ZoneOffset.UTC).toInstant();
      }
      return isAgo(text)
          ? now.minus(duration(option, text))
          : OffsetDateTime.parse(text).toInstant();
    } catch (DateTimeException malformed) {
      throw new UsageException(
          option + ": \"" + text
              + "\" is neither an instant, such as 2026-11-23T10:00:00Z, nor how long ago, such as 15m or 7d");
    }
  }

  /** Whether {@link #past} takes it for how long ago: another instant each time it is asked for. Null is not. */
  public static boolean isAgo(@Nullable String text) {
    return text != null && (text.startsWith("P") || DURATION.matcher(text).matches());
  }

  /** An instant such as {@code 2026-11-23T10:00:00Z}. Throws {@link UsageException}. */
  public static Instant instant(String option, String text) {
    try {
      return OffsetDateTime.parse(text).toInstant();
    } catch (DateTimeException malformed) {
      throw new UsageException(
          option + ": \"" + text + "\" is no instant, such as 2026-11-23T10:00:00Z");
    }
  }

  private static Duration unit(String unit) {
    return switch (unit) {
      case "ms" -> Duration.ofMillis(1);
      case "s" -> Duration.ofSeconds(1);
      case "m" -> Duration.ofMinutes(1);
      case "h" -> Duration.ofHours(1);
      case "d" -> Duration.ofDays(1);
      default -> Duration.ofDays(7);
    };
  }
}
