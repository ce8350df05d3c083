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

  /** What Unicode calls wide or full-width, by blocks, from and to. */
  private static final int[][] WIDE = {
    {0x1100, 0x115f}, {0x2e80, 0x303e}, {0x3041, 0xa4cf}, {0xa960, 0xa97f}, {0xac00, 0xd7a3},
    {0xf900, 0xfaff}, {0xfe30, 0xfe6f}, {0xff00, 0xff60}, {0xffe0, 0xffe6}, {0x1f300, 0x1f64f},
    {0x1f680, 0x1f6ff}, {0x1f900, 0x1f9ff}, {0x20000, 0x3fffd}
  };

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

  /** How many columns of a terminal the text takes: two for what East Asian fonts draw wide and for emoji. */
  public static int width(String text) {
    return text.codePoints().map(PlainText::columns).sum();
  }

  /** The text, or as much of its beginning as so many columns hold, the last of them for an ellipsis. */
  public static String cut(String text, int columns) {
    if (width(text) <= columns) {
      return text;
    }
    int end = 0;
    int left = columns - 1;
    while (left >= columns(text.codePointAt(end))) {
      left -= columns(text.codePointAt(end));
      end = text.offsetByCodePoints(end, 1);
    }
    return text.substring(0, end) + "…";
  }

  private static int columns(int character) {
    int type = Character.getType(character);
    if (type == Character.NON_SPACING_MARK || type == Character.ENCLOSING_MARK) {
      return 0;
    }
    for (int[] range : WIDE) {
      if (character >= range[0] && character <= range[1]) {
        return 2;
      }
    }
    return 1;
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
