package dev.runlane.jobs.queue.schedule;

import dev.runlane.run.ContractDefaults;
import dev.runlane.run.RunlaneException;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Durations as people write them where a job is added: a number, decimals allowed, and a unit, with or without a
 * blank between, in any case: {@code 500ms}, {@code 1.5 hours}, {@code 2 Days}.
 */
public final class DurationText {
  private static final Pattern SYNTAX =
      Pattern.compile("\\s*([0-9]{1,15}(?:\\.[0-9]{1,15})?)\\s*([a-z]{1,12})\\s*");
  private static final Pattern LEADING_IN = Pattern.compile("\\s*in\\s+");

  private static final Map<String, Long> MILLIS_OF_UNIT = Map.ofEntries(
      Map.entry("ms", 1L),
      Map.entry("millisecond", 1L),
      Map.entry("milliseconds", 1L),
      Map.entry("s", 1_000L),
      Map.entry("second", 1_000L),
      Map.entry("seconds", 1_000L),
      Map.entry("m", 60_000L),
      Map.entry("minute", 60_000L),
      Map.entry("minutes", 60_000L),
      Map.entry("h", 3_600_000L),
      Map.entry("hour", 3_600_000L),
      Map.entry("hours", 3_600_000L),
      Map.entry("d", 86_400_000L),
      Map.entry("day", 86_400_000L),
      Map.entry("days", 86_400_000L),
      Map.entry("w", 604_800_000L),
      Map.entry("week", 604_800_000L),
      Map.entry("weeks", 604_800_000L));

  private DurationText() {}

  /**
   * What {@code text} says, rounded down to whole milliseconds. Throws {@code ValidationFailed} for anything
   * else and beyond 36 500 days.
   */
  public static Duration parse(String text) {
    Matcher matcher = SYNTAX.matcher(text.toLowerCase(Locale.ROOT));
    Long unit = matcher.matches() ? MILLIS_OF_UNIT.get(matcher.group(2)) : null;
    if (unit == null) {
      throw RunlaneException.validationFailed(
          "a duration looks like 500ms, 1.5 hours or 2 days, not like '%s'", text);
    }
    BigDecimal millis = new BigDecimal(matcher.group(1))
        .multiply(BigDecimal.valueOf(unit))
        .setScale(0, RoundingMode.DOWN);
    if (millis.compareTo(BigDecimal.valueOf(ContractDefaults.LONGEST_DURATION.toMillis())) > 0) {
      throw RunlaneException.validationFailed(
          "the duration '%s' is beyond %s", text, ContractDefaults.LONGEST_DURATION);
    }
    return Duration.ofMillis(millis.longValueExact());
  }

  /** The same, where {@code in} may stand before it: {@code in 5 minutes}. */
  public static Duration parseDelay(String text) {
    Matcher in = LEADING_IN.matcher(text.toLowerCase(Locale.ROOT));
    return parse(in.lookingAt() ? text.substring(in.end()) : text);
  }
}
