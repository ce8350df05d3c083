package dev.runlane.timing.fire;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.From;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;
import net.jqwik.api.constraints.LongRange;

/** Holds next, latest and between to the definition of a fire, worked out minute by minute. */
class CronFireTimesPropertyTest {
  private static final int DAYS_AROUND = 2;

  /** Changes of offset, and one instant without any: an hour, half an hour, a whole day, at midnight, before 1970. */
  private static final List<Change> CHANGES = List.of(
      new Change("UTC", "2024-02-29T00:00:00Z"),
      new Change("Europe/Berlin", "2026-03-29T01:00:00Z"),
      new Change("Europe/Berlin", "2026-10-25T01:00:00Z"),
      new Change("America/New_York", "2026-03-08T07:00:00Z"),
      new Change("America/New_York", "2026-11-01T06:00:00Z"),
      new Change("Australia/Lord_Howe", "2026-04-04T15:00:00Z"),
      new Change("Australia/Lord_Howe", "2026-10-03T15:30:00Z"),
      new Change("America/Santiago", "2026-04-05T03:00:00Z"),
      new Change("America/Santiago", "2026-09-06T04:00:00Z"),
      new Change("Africa/Cairo", "2023-04-27T22:00:00Z"),
      new Change("Africa/Cairo", "2023-10-26T21:00:00Z"),
      new Change("Pacific/Apia", "2011-12-30T10:00:00Z"),
      new Change("Pacific/Kwajalein", "1993-08-21T12:00:00Z"),
      new Change("America/Caracas", "2007-12-09T07:00:00Z"),
      new Change("Europe/Amsterdam", "1937-06-30T23:40:28Z"),
      new Change("Africa/Casablanca", "2026-02-15T02:00:00Z"),
      new Change("Antarctica/Troll", "2026-03-29T01:00:00Z"));

  private static final Map<Change, List<Minute>> WALL_CLOCKS = CHANGES.stream()
      .collect(Collectors.toMap(change -> change, CronFireTimesPropertyTest::wallClock));

  @Property
  void every_minute_around_a_change_of_offset_is_a_fire_or_not_by_definition(
      @ForAll @From("changes") Change change, @ForAll @From("expressions") String expression) {
    FireTimes times = FireTimes.cron(expression, change.zone());
    Instant from = change.at().minus(Duration.ofDays(DAYS_AROUND));
    Instant to = change.at().plus(Duration.ofDays(DAYS_AROUND));

    TreeSet<Instant> expected = fires(expression, change, from, to);

    assertThat(walkUp(times, from, to)).containsExactlyElementsOf(expected);
    assertThat(times.between(from, to, Integer.MAX_VALUE)).containsExactlyElementsOf(expected);
  }

  @Property
  void searching_from_any_instant_finds_the_neighbours(
      @ForAll @From("changes") Change change,
      @ForAll @From("expressions") String expression,
      @ForAll @LongRange(min = -86_400_000_000_000L, max = 86_400_000_000_000L) long nanosAway) {
    FireTimes times = FireTimes.cron(expression, change.zone());
    Instant instant = change.at().plusNanos(nanosAway);
    TreeSet<Instant> expected = fires(
        expression,
        change,
        change.at().minus(Duration.ofDays(DAYS_AROUND)),
        change.at().plus(Duration.ofDays(DAYS_AROUND)));

    Instant lower = expected.floor(instant);
    Instant higher = expected.higher(instant);

    if (lower != null) {
      assertThat(times.latest(instant)).contains(lower);
    }
    if (higher != null) {
      assertThat(times.next(instant)).contains(higher);
    }
  }

  @Property(tries = 500)
  void next_and_latest_agree(
      @ForAll @From("zones") String zone,
      @ForAll @From("expressions") String expression,
      @ForAll @LongRange(min = -2_000_000_000L, max = 8_000_000_000L) long epochSecond) {
    FireTimes times = FireTimes.cron(expression, zone);
    Instant instant = Instant.ofEpochSecond(epochSecond);

    Optional<Instant> next = times.next(instant);
    if (next.isEmpty()) {
      assertThat(times.latest(instant)).isEmpty();
      return;
    }
    Instant fire = next.get();

    assertThat(fire).isAfter(instant);
    assertThat(times.latest(fire)).contains(fire);
    assertThat(times.next(fire.minusNanos(1))).contains(fire);
    assertThat(times.latest(fire.minusNanos(1))).hasValueSatisfying(before -> {
      assertThat(before).isBeforeOrEqualTo(instant);
      assertThat(times.latest(instant)).contains(before);
      assertThat(times.next(before)).contains(fire);
    });
  }

  @Property(tries = 500)
  void the_fires_of_an_interval_agree_with_its_definition(
      @ForAll @LongRange(min = 1, max = 100_000_000_000L) long millis,
      @ForAll @LongRange(min = -62_000_000_000L, max = 253_000_000_000L) long epochSecond) {
    FireTimes times = FireTimes.every(Duration.ofMillis(millis));
    Instant instant = Instant.ofEpochSecond(epochSecond).plusNanos(1);

    Instant latest = times.latest(instant).orElse(Instant.MIN);

    if (!latest.equals(Instant.MIN)) {
      assertThat(latest).isBetween(instant.minusMillis(millis), instant);
      assertThat(Math.floorMod(latest.toEpochMilli(), millis)).isZero();
      assertThat(times.next(latest.minusNanos(1))).contains(latest);
      assertThat(times.latest(latest)).contains(latest);
    }
    times.next(instant).ifPresent(next -> assertThat(next)
        .isBetween(instant, instant.plusMillis(millis)));
  }

  @Provide
  Arbitrary<Change> changes() {
    return Arbitraries.of(CHANGES);
  }

  @Provide
  Arbitrary<String> zones() {
    return Arbitraries.of(new TreeSet<>(ZoneId.getAvailableZoneIds()));
  }

  @Provide
  Arbitrary<String> expressions() {
    return Combinators.combine(field(0, 59), field(0, 23), field(1, 31), field(1, 12), field(0, 7))
        .as((minute, hour, day, month, weekday) ->
            String.join(" ", minute, hour, day, month, weekday));
  }

  private static Arbitrary<String> field(int low, int high) {
    Arbitrary<Integer> number = Arbitraries.integers().between(low, high);
    Arbitrary<Integer> step = Arbitraries.integers().between(1, (high - low) / 2);
    Arbitrary<String> range =
        Combinators.combine(number, number).as((a, b) -> Math.min(a, b) + "-" + Math.max(a, b));
    return Arbitraries.frequencyOf(
        Tuple.of(4, Arbitraries.just("*")),
        Tuple.of(2, step.map(by -> "*/" + by)),
        Tuple.of(2, number.map(String::valueOf)),
        Tuple.of(1, range),
        Tuple.of(1, Combinators.combine(range, step).as((part, by) -> part + "/" + by)),
        Tuple.of(1, Combinators.combine(number, range).as((part, other) -> part + "," + other)));
  }

  private static List<Instant> walkUp(FireTimes times, Instant from, Instant to) {
    Set<Instant> found = new TreeSet<>();
    Optional<Instant> fire = times.next(from);
    while (fire.isPresent() && !fire.get().isAfter(to)) {
      assertThat(found.add(fire.get())).isTrue();
      fire = times.next(fire.get());
    }
    return List.copyOf(found);
  }

  private static TreeSet<Instant> fires(
      String expression, Change change, Instant from, Instant to) {
    Cron cron = Cron.of(expression);
    return WALL_CLOCKS.get(change).stream()
        .filter(minute -> cron.fits(minute.local()))
        .map(Minute::at)
        .filter(at -> at.isAfter(from) && !at.isAfter(to))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /**
   * The minutes that a clock on the wall shows, second by second, with no notion of gaps and overlaps but
   * these two: a local minute seen before does not come again, and the minutes the clock jumps over come when
   * it lands. A minute that begins and ends as minutes do is looked at once.
   */
  private static List<Minute> wallClock(Change change) {
    ZoneId zone = ZoneId.of(change.zone());
    List<Minute> minutes = new ArrayList<>();
    Set<LocalDateTime> seen = new HashSet<>();
    Instant start =
        change.at().minus(Duration.ofDays(DAYS_AROUND + 1)).truncatedTo(ChronoUnit.MINUTES);
    Instant end = change.at().plus(Duration.ofDays(DAYS_AROUND));
    LocalDateTime before = LocalDateTime.ofInstant(start, zone).minusSeconds(1);
    Instant instant = start;
    while (!instant.isAfter(end)) {
      LocalDateTime local = LocalDateTime.ofInstant(instant, zone);
      for (LocalDateTime time = before.plusSeconds(1);
          !time.isAfter(local);
          time = time.plusSeconds(1)) {
        if (time.getSecond() == 0 && seen.add(time)) {
          minutes.add(new Minute(instant, time));
        }
      }
      LocalDateTime last = local.plusSeconds(59);
      boolean isWhole = local.getSecond() == 0
          && last.equals(LocalDateTime.ofInstant(instant.plusSeconds(59), zone));
      before = isWhole ? last : local;
      instant = instant.plusSeconds(isWhole ? 60 : 1);
    }
    return minutes;
  }

  /** When a local minute is first shown, or jumped over. */
  private record Minute(Instant at, LocalDateTime local) {}

  private record Change(String zone, Instant at) {
    Change(String zone, String at) {
      this(zone, Instant.parse(at));
    }
  }

  /** The documented syntax, read in the plainest way. */
  private record Cron(
      BitSet minutes,
      BitSet hours,
      BitSet days,
      BitSet months,
      BitSet weekdays,
      boolean eitherDay) {
    static Cron of(String expression) {
      String[] fields = expression.split(" ");
      BitSet weekdays = values(fields[4], 0, 7);
      weekdays.set(0, weekdays.get(0) || weekdays.get(7));
      boolean anyDay = everything(fields[2]) || everything(fields[4]);
      return new Cron(
          values(fields[0], 0, 59),
          values(fields[1], 0, 23),
          values(fields[2], 1, 31),
          values(fields[3], 1, 12),
          weekdays,
          !anyDay);
    }

    boolean fits(LocalDateTime time) {
      LocalTime clock = time.toLocalTime();
      return minutes.get(clock.getMinute())
          && hours.get(clock.getHour())
          && fits(time.toLocalDate());
    }

    private boolean fits(LocalDate date) {
      boolean day = days.get(date.getDayOfMonth());
      boolean weekday = weekdays.get(date.getDayOfWeek().getValue() % 7);
      return months.get(date.getMonthValue()) && (eitherDay ? day || weekday : day && weekday);
    }

    private static boolean everything(String field) {
      return field.equals("*") || field.equals("*/1");
    }

    private static BitSet values(String field, int low, int high) {
      BitSet values = new BitSet();
      Arrays.stream(field.split(",")).forEach(part -> add(values, part, low, high));
      return values;
    }

    private static void add(BitSet values, String part, int low, int high) {
      String[] steps = part.split("/");
      String[] ends =
          steps[0].equals("*") ? new String[] {"" + low, "" + high} : steps[0].split("-");
      int by = steps.length == 1 ? 1 : Integer.parseInt(steps[1]);
      for (int value = Integer.parseInt(ends[0]);
          value <= Integer.parseInt(ends[ends.length - 1]);
          value += by) {
        values.set(value);
      }
    }
  }
}
