package dev.runlane.jobs.queue.schedule;

import dev.runlane.run.RunlaneException;
import dev.runlane.timing.fire.FireTimes;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The fires of a cron expression of five fields, six (seconds first) or seven (and the year last). The minutes
 * are those of {@link FireTimes#cron(String, ZoneId)}, so the changes of the clocks are dealt with there: the
 * seconds are counted from each of its fires.
 */
final class CronTimes {
  private static final Pattern PART =
      Pattern.compile("(?:(\\*)|([0-9]{1,4})(?:-([0-9]{1,4}))?)(?:/([0-9]{1,4}))?");
  private static final int FIRST_YEAR = 1970;
  private static final int LAST_YEAR = 2099;

  private final FireTimes minutes;
  private final NavigableSet<Integer> seconds;
  private final NavigableSet<Integer> years;
  private final ZoneId zone;

  private CronTimes(
      FireTimes minutes, NavigableSet<Integer> seconds, NavigableSet<Integer> years, ZoneId zone) {
    this.minutes = minutes;
    this.seconds = seconds;
    this.years = years;
    this.zone = zone;
  }

  /** Throws {@code ConfigurationInvalid} for anything else than five to seven fields that each are in range. */
  static CronTimes of(String expression, ZoneId zone) {
    List<String> fields = List.of(expression.strip().split("\\s+"));
    int count = fields.size();
    if (count < 5 || count > 7) {
      throw RunlaneException.configurationInvalid(
          "a cron expression must have five, six or seven fields, but '%s' has %d",
          expression, expression.isBlank() ? 0 : count);
    }
    int first = count == 5 ? 0 : 1;
    FireTimes minutes = FireTimes.cron(String.join(" ", fields.subList(first, first + 5)), zone);
    return new CronTimes(
        minutes,
        values(count == 5 ? "0" : fields.get(0), "seconds", 0, 59),
        values(count == 7 ? fields.get(6) : "*", "year", FIRST_YEAR, LAST_YEAR),
        zone);
  }

  /** The zone with this IANA name, UTC for none. Throws {@code ConfigurationInvalid} for an unknown one. */
  static ZoneId zone(Optional<String> name) {
    try {
      return ZoneId.of(name.orElse("UTC"));
    } catch (DateTimeException unknown) {
      throw RunlaneException.configurationInvalid("Invalid timezone: '%s'", name.orElse(""))
          .causedBy(unknown);
    }
  }

  /** The first fire after {@code after}, or empty when none follows. */
  Optional<Instant> next(Instant after) {
    Instant minute = after.truncatedTo(ChronoUnit.MINUTES);
    Optional<Instant> current = minutes.latest(after).filter(minute::equals);
    if (current.isPresent() && years.contains(yearOf(minute))) {
      Integer second = seconds.higher((int) ChronoUnit.SECONDS.between(minute, after));
      if (second != null) {
        return Optional.of(minute.plusSeconds(second));
      }
    }
    return nextMinute(after).map(fire -> fire.plusSeconds(seconds.first()));
  }

  private Optional<Instant> nextMinute(Instant after) {
    Optional<Instant> fire = minutes.next(after);
    while (fire.isPresent() && !years.contains(yearOf(fire.get()))) {
      Integer year = years.higher(yearOf(fire.get()));
      if (year == null) {
        return Optional.empty();
      }
      Instant begin = LocalDate.of(year, 1, 1).atStartOfDay(zone).toInstant();
      fire = minutes.next(begin.minusNanos(1));
    }
    return fire;
  }

  private int yearOf(Instant fire) {
    return fire.atZone(zone).getYear();
  }

  private static NavigableSet<Integer> values(String field, String name, int least, int most) {
    NavigableSet<Integer> values = new TreeSet<>();
    for (String part : field.split(",", -1)) {
      Matcher matcher = PART.matcher(part);
      if (!matcher.matches()) {
        throw malformed(field, name, least, most);
      }
      boolean any = matcher.group(1) != null;
      int from = any ? least : Integer.parseInt(matcher.group(2));
      int step = matcher.group(4) == null ? 1 : Integer.parseInt(matcher.group(4));
      int to = any || (matcher.group(3) == null && matcher.group(4) != null) ? most : from;
      to = matcher.group(3) == null ? to : Integer.parseInt(matcher.group(3));
      if (from < least || to > most || from > to || step < 1) {
        throw malformed(field, name, least, most);
      }
      for (int value = from; value <= to; value += step) {
        values.add(value);
      }
    }
    return values;
  }

  private static RunlaneException malformed(String field, String name, int least, int most) {
    return RunlaneException.configurationInvalid(
        "the %s of a cron expression must be made of numbers from %d to %d, *, ranges, steps and lists, but is '%s'",
        name, least, most, field);
  }
}
