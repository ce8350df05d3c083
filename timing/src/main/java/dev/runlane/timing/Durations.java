package dev.runlane.timing;

import dev.runlane.run.RunlaneException;
import java.math.BigInteger;
import java.time.Duration;
import java.util.Arrays;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Durations as they are written in options and JSON: a whole number and one unit, such as {@code 500ms},
 * {@code 30s}, {@code 5m}, {@code 2h}, {@code 30d}, {@code 2w}. A day is 24 hours. Zero is a duration;
 * whoever needs a positive one checks that. The longest is {@link Long#MAX_VALUE} milliseconds.
 */
public final class Durations {
  private static final Pattern SYNTAX = Pattern.compile("(0|[1-9][0-9]{0,18})(ms|s|m|h|d|w)");

  private Durations() {}

  /**
   * The duration that {@code text} says, exactly. Fails with {@link
   * dev.runlane.run.ErrorCode#VALIDATION_FAILED} for anything else: a sign, a fraction, a leading zero, a
   * space, several units, another unit or letter case, too large a number.
   */
  public static Duration parse(String text) {
    Matcher matcher = SYNTAX.matcher(text);
    if (!matcher.matches()) {
      throw RunlaneException.validationFailed(
          "a duration looks like 500ms, 30s, 5m, 2h, 30d or 2w, not like '%s'", text);
    }
    BigInteger millis = new BigInteger(matcher.group(1))
        .multiply(BigInteger.valueOf(unit(matcher.group(2)).millis));
    if (millis.bitLength() >= Long.SIZE) {
      throw RunlaneException.validationFailed("the duration '%s' is too long", text);
    }
    return Duration.ofMillis(millis.longValue());
  }

  /**
   * The text that {@link #parse} turns into {@code duration}, in the largest unit that leaves no
   * rest, {@code 0s} for zero. Fails with {@link dev.runlane.run.ErrorCode#VALIDATION_FAILED} for a negative
   * duration and for one that is not a whole number of milliseconds.
   */
  public static String format(Duration duration) {
    long millis = wholeMillis(duration);
    if (millis == 0) {
      return "0s";
    }
    Unit unit = Unit.MILLISECOND;
    for (Unit larger : Unit.values()) {
      unit = millis % larger.millis == 0 ? larger : unit;
    }
    return millis / unit.millis + unit.suffix;
  }

  private static Unit unit(String suffix) {
    return Arrays.stream(Unit.values())
        .filter(unit -> unit.suffix.equals(suffix))
        .findFirst()
        .orElseThrow();
  }

  private static long wholeMillis(Duration duration) {
    if (duration.isNegative() || duration.toNanosPart() % 1_000_000 != 0) {
      throw RunlaneException.validationFailed(
          "a duration must be a whole number of milliseconds from 0 on, but was %s", duration);
    }
    try {
      return duration.toMillis();
    } catch (ArithmeticException e) {
      throw RunlaneException.validationFailed("the duration %s is too long", duration)
          .causedBy(e);
    }
  }

  /** From the smallest to the largest. */
  private enum Unit {
    MILLISECOND("ms", 1),
    SECOND("s", 1_000),
    MINUTE("m", 60_000),
    HOUR("h", 3_600_000),
    DAY("d", 86_400_000),
    WEEK("w", 604_800_000);

    private final String suffix;
    private final long millis;

    Unit(String suffix, long millis) {
      this.suffix = suffix;
      this.millis = millis;
    }
  }
}
