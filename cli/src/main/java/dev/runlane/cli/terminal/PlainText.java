package dev.runlane.cli.terminal;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.regex.Pattern;

/** Texts of the storage and times, as a terminal may show them. */
public final class PlainText {
  /** Cc and Cf but for line breaks and tabs: what steers a terminal or turns the direction of text. */
  private static final Pattern STEERING = Pattern.compile("[\\p{Cc}\\p{Cf}&&[^\\n\\t]]");

  private static final Pattern PLAIN_WORD = Pattern.compile("[A-Za-z0-9._/@%+=,-]+");
  private static final Pattern BREAKS = Pattern.compile("[\\n\\t\\r]+");

  private PlainText() {}

  /** The text in one line, what steers a terminal replaced. */
  public static String oneLine(String text) {
    return lines(BREAKS.matcher(text).replaceAll(" "));
  }

  /** The text with its line breaks, what steers a terminal replaced. */
  public static String lines(String text) {
    return STEERING.matcher(text).replaceAll("\ufffd");
  }

  /** A name as a word of a command that a person copies into a shell. */
  public static String shellWord(String name) {
    return PLAIN_WORD.matcher(name).matches() ? name : "'" + name.replace("'", "'\\''") + "'";
  }

  /** A duration by its greatest unit, such as {@code 12ms}, {@code 3m}, {@code 2h} or {@code 40d}. */
  public static String duration(Duration duration) {
    Duration positive = duration.abs();
    if (positive.compareTo(Duration.ofSeconds(1)) < 0) {
      return positive.toMillis() + "ms";
    }
    if (positive.compareTo(Duration.ofMinutes(2)) < 0) {
      return positive.toSeconds() + "s";
    }
    if (positive.compareTo(Duration.ofHours(2)) < 0) {
      return positive.toMinutes() + "m";
    }
    return positive.compareTo(Duration.ofDays(2)) < 0
        ? positive.toHours() + "h"
        : positive.toDays() + "d";
  }

  /** An instant of the past as its age, one of the future as the time until it: {@code in 3m}. */
  public static String age(Instant at, Instant now) {
    return at.isAfter(now)
        ? "in " + duration(Duration.between(now, at))
        : duration(Duration.between(at, now));
  }

  /** An instant to the millisecond, in UTC. */
  public static String instant(Instant at) {
    return at.truncatedTo(ChronoUnit.MILLIS).toString();
  }
}
