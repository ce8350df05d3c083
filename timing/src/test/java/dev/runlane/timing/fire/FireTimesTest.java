package dev.runlane.timing.fire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayNameGeneration(ReplaceUnderscores.class)
class FireTimesTest {
  private static final Instant NOON = Instant.parse("2026-03-01T12:00:00Z");

  @Test
  void once_fires_once() {
    FireTimes once = FireTimes.once(NOON.plusNanos(999));

    assertThat(once.next(NOON.minusNanos(1))).contains(NOON);
    assertThat(once.next(NOON)).isEmpty();
    assertThat(once.latest(NOON)).contains(NOON);
    assertThat(once.latest(NOON.minusNanos(1))).isEmpty();
    assertThat(once.between(Instant.MIN, Instant.MAX, 10)).containsExactly(NOON);
    assertThat(once.between(NOON, Instant.MAX, 10)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "once at 2026-03-01T12:00:00Z",
        "every PT24H",
        "every PT0.001S",
        "cron 30 6 * * MON-FRI in Europe/Berlin",
        "cron */5 * * * * in UTC"
      })
  void a_definition_is_read_back(String definition) {
    assertThat(FireTimes.ofDefinition(definition).map(FireTimes::definition)).contains(definition);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "disabled",
        "once at noon",
        "every hour",
        "every PT0S",
        "cron occ_5f0c in UTC",
        "cron * * * * 9 in UTC",
        "cron * * * * * in Nowhere"
      })
  void what_tells_no_fires_is_not_read(String definition) {
    assertThat(FireTimes.ofDefinition(definition)).isEmpty();
  }

  @Test
  void only_the_fires_of_a_cron_expression_have_a_zone() {
    assertThat(FireTimes.cron("0 3 * * *", "Europe/Berlin").zone())
        .contains(ZoneId.of("Europe/Berlin"));
    assertThat(FireTimes.every(Duration.ofHours(7)).zone()).isEmpty();
    assertThat(FireTimes.once(NOON).zone()).isEmpty();
  }

  @Test
  void an_interval_fires_at_its_multiples_since_the_epoch() {
    FireTimes every = FireTimes.every(Duration.ofHours(7));

    assertThat(every.next(Instant.EPOCH)).contains(Instant.parse("1970-01-01T07:00:00Z"));
    assertThat(every.latest(Instant.EPOCH)).contains(Instant.EPOCH);
    assertThat(every.latest(Instant.EPOCH.minusNanos(1)))
        .contains(Instant.parse("1969-12-31T17:00:00Z"));
    assertThat(every.next(Instant.EPOCH.minusNanos(1))).contains(Instant.EPOCH);
    assertThat(every.between(Instant.EPOCH, Instant.parse("1970-01-02T04:00:00Z"), 3))
        .extracting(Instant::toString)
        .containsExactly("1970-01-01T14:00:00Z", "1970-01-01T21:00:00Z", "1970-01-02T04:00:00Z");
  }

  @Test
  void fires_lie_in_the_years_1_to_9999() {
    for (FireTimes times : List.of(
        FireTimes.every(Duration.ofMillis(1)),
        FireTimes.every(Duration.ofDays(36_500)),
        FireTimes.cron("* * * * *", ZoneId.of("Asia/Tokyo")),
        FireTimes.cron("* * * * *", ZoneId.of("America/New_York")))) {
      assertThat(times.latest(Instant.parse("0000-12-31T23:59:59Z"))).isEmpty();
      assertThat(times.latest(Instant.MIN)).isEmpty();
      assertThat(times.next(Instant.parse("9999-12-31T23:59:59.999999Z"))).isEmpty();
      assertThat(times.next(Instant.MAX)).isEmpty();
      assertThat(times.next(Instant.MIN))
          .hasValueSatisfying(first -> assertThat(first).isAfterOrEqualTo(FireRange.FIRST));
      assertThat(times.latest(Instant.MAX))
          .hasValueSatisfying(last -> assertThat(last).isBeforeOrEqualTo(FireRange.LAST));
    }
  }

  @Test
  void between_lists_the_latest_in_ascending_order() {
    FireTimes hourly = FireTimes.cron("0 * * * *", ZoneOffset.UTC);

    assertThat(hourly.between(NOON.minusSeconds(7_200), NOON, 10))
        .containsExactly(NOON.minusSeconds(3_600), NOON);
    assertThat(hourly.between(Instant.EPOCH, NOON, 1)).containsExactly(NOON);
    assertThat(hourly.between(NOON, NOON, 10)).isEmpty();
    assertThat(hourly.between(NOON, NOON.minusSeconds(7_200), 10)).isEmpty();
    assertThat(hourly.between(Instant.EPOCH, NOON, 0)).isEmpty();
    assertThatThrownBy(() -> hourly.between(Instant.EPOCH, NOON, -1))
        .isInstanceOfSatisfying(RunlaneException.class, e -> assertThat(e.code())
            .isEqualTo(ErrorCode.VALIDATION_FAILED));
  }

  /** Spring forward at 02:00 CET, 01:00 UTC, 2026-03-29; back at 03:00 CEST, 01:00 UTC, 2026-10-25. */
  @ParameterizedTest
  @CsvSource({
    // Gaps: what the clock skips fires when it is over, and several fires there are one.
    "Europe/Berlin, 30 2 * * *, 2026-03-28T12:00:00Z, 2026-03-29T01:00:00Z, 2026-03-30T00:30:00Z",
    "Europe/Berlin, */10 2 * * *, 2026-03-29T00:00:00Z, 2026-03-29T01:00:00Z, 2026-03-30T00:00:00Z",
    "Europe/Berlin, 0 2-3 * * *, 2026-03-29T00:00:00Z, 2026-03-29T01:00:00Z, 2026-03-30T00:00:00Z",
    "Australia/Lord_Howe, 15 2 * * *, 2026-10-03T12:00:00Z, 2026-10-03T15:30:00Z, 2026-10-04T15:15:00Z",
    "America/Santiago, 30 0 * * *, 2026-09-05T12:00:00Z, 2026-09-06T04:00:00Z, 2026-09-07T03:30:00Z",
    "Africa/Cairo, 0 0 * * *, 2023-04-27T12:00:00Z, 2023-04-27T22:00:00Z, 2023-04-28T21:00:00Z",
    "Pacific/Apia, 0 12 * * *, 2011-12-29T23:00:00Z, 2011-12-30T10:00:00Z, 2011-12-30T22:00:00Z",
    // Overlaps: what the clock shows twice fires the first time.
    "Europe/Berlin, 30 2 * * *, 2026-10-24T12:00:00Z, 2026-10-25T00:30:00Z, 2026-10-26T01:30:00Z",
    "Europe/Berlin, 30 * * * *, 2026-10-25T00:00:00Z, 2026-10-25T00:30:00Z, 2026-10-25T02:30:00Z",
    "Europe/Berlin, 0 3 * * *, 2026-10-24T12:00:00Z, 2026-10-25T02:00:00Z, 2026-10-26T02:00:00Z",
    "Australia/Lord_Howe, 45 1 * * *, 2026-04-04T12:00:00Z, 2026-04-04T14:45:00Z, 2026-04-05T15:15:00Z",
    "America/Santiago, 30 23 * * *, 2026-04-04T12:00:00Z, 2026-04-05T02:30:00Z, 2026-04-06T03:30:00Z",
    // Rare dates
    "UTC, 0 0 29 2 *, 2096-01-01T00:00:00Z, 2096-02-29T00:00:00Z, 2104-02-29T00:00:00Z",
    "UTC, 0 0 31 * *, 2026-01-31T00:00:00Z, 2026-03-31T00:00:00Z, 2026-05-31T00:00:00Z",
    // Day fields: one of two is enough, a step counts as a restriction, Sunday is 0 and 7.
    "UTC, 0 0 13 * 5, 2026-03-01T00:00:00Z, 2026-03-06T00:00:00Z, 2026-03-13T00:00:00Z",
    "UTC, 0 0 15 * */6, 2026-03-08T00:00:00Z, 2026-03-14T00:00:00Z, 2026-03-15T00:00:00Z",
    "UTC, 0 0 * * 0, 2026-03-01T00:00:00Z, 2026-03-08T00:00:00Z, 2026-03-15T00:00:00Z",
    "UTC, 0 0 * * 7, 2026-03-01T00:00:00Z, 2026-03-08T00:00:00Z, 2026-03-15T00:00:00Z",
    "UTC, 0 0 * * 5-7, 2026-03-01T00:00:00Z, 2026-03-06T00:00:00Z, 2026-03-07T00:00:00Z",
    "UTC, 0 0 1 jan-FEB Mon, 2026-03-01T00:00:00Z, 2027-01-01T00:00:00Z, 2027-01-04T00:00:00Z",
    "UTC, 50/5 10 * * *, 2026-03-01T10:00:00Z, 2026-03-01T10:50:00Z, 2026-03-01T10:55:00Z"
  })
  void a_cron_expression_fires_by_local_time(
      String zone, String expression, Instant from, Instant first, Instant second) {
    FireTimes times = FireTimes.cron(expression, zone);

    assertThat(times.next(from)).contains(first);
    assertThat(times.next(first)).contains(second);
    assertThat(times.latest(second)).contains(second);
    assertThat(times.latest(second.minusNanos(1))).contains(first);
    assertThat(times.between(from, second, 10)).containsExactly(first, second);
  }

  @Test
  void nothing_fires_in_the_second_pass_of_an_overlap() {
    FireTimes halfPast = FireTimes.cron("30 2 * * *", "Europe/Berlin");
    Instant fire = Instant.parse("2026-10-25T00:30:00Z");
    Instant secondPass = Instant.parse("2026-10-25T01:30:00Z");

    assertThat(Stream.of(-1, 0, 1)
            .map(minutes -> halfPast.latest(secondPass.plusSeconds(minutes * 60L))))
        .allMatch(latest -> latest.equals(java.util.Optional.of(fire)));
    assertThat(halfPast.next(secondPass.minusSeconds(60)))
        .contains(Instant.parse("2026-10-26T01:30:00Z"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"0 0 31 2 *", "0 0 30 2 *", "* * 31 4,6,9,11 *"})
  void an_expression_that_fits_no_date_never_fires(String expression) {
    FireTimes never = FireTimes.cron(expression, "UTC");

    assertThat(never.next(NOON)).isEmpty();
    assertThat(never.latest(NOON)).isEmpty();
    assertThat(never.between(Instant.MIN, NOON, 5)).isEmpty();
  }

  @Test
  void names_of_days_are_read_in_a_language_with_another_capital_i() {
    FireTimes fridays = FireTimes.cron("0 9 * * fri", ZoneOffset.UTC);
    Locale before = Locale.getDefault();
    Locale.setDefault(Locale.forLanguageTag("tr"));
    try {
      assertThat(FireTimes.cron("0 9 * * fri", ZoneOffset.UTC).next(NOON))
          .isEqualTo(fridays.next(NOON));
    } finally {
      Locale.setDefault(before);
    }
  }

  @Test
  void spaces_around_fields_do_not_matter() {
    assertThat(FireTimes.cron("  0\t0  * * * ", ZoneOffset.UTC)).hasToString("cron 0 0 * * * in Z");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "   ",
        "* * * *",
        "* * * * * *",
        "0 0 0 * * ?",
        "@daily",
        "@reboot",
        "60 * * * *",
        "* 24 * * *",
        "* * 0 * *",
        "* * 32 * *",
        "* * * 0 *",
        "* * * 13 *",
        "* * * * 8",
        "*/0 * * * *",
        "*/70 * * * *",
        "/5 * * * *",
        "+5 * * * *",
        "-5 * * * *",
        "5- * * * *",
        "1-5-7 * * * *",
        "*/5/5 * * * *",
        "*-5 * * * *",
        "1,, * * * *",
        ",1 * * * *",
        "22-2 * * * *",
        "0 0 * * 6-1",
        "0 0 L * *",
        "0 0 15W * *",
        "0 0 ? * *",
        "0 0 * * 1#2",
        "0 0 * * 1L",
        "* * * * * ||",
        "0|5 0 * * *",
        "a * * * *",
        "mon * * * *",
        "* * * mon *",
        "* * * * jan",
        "* * * foo *",
        "99999999999 * * * *",
        "٥ * * * *",
        "1.5 * * * *"
      })
  void anything_else_than_five_fields_is_refused(String expression) {
    refused(() -> FireTimes.cron(expression, ZoneOffset.UTC), expression);
  }

  @Test
  void an_expression_of_too_few_fields_is_told_how_many_it_has() {
    refused(() -> FireTimes.cron("* * * *", ZoneOffset.UTC), "has 4");
    refused(() -> FireTimes.cron("  ", ZoneOffset.UTC), "has 0");
  }

  @Test
  void an_unknown_zone_is_refused() {
    refused(() -> FireTimes.cron("* * * * *", "Europe/Atlantis"), "Europe/Atlantis");
    refused(() -> FireTimes.cron("* * * * *", ""), "''");
  }

  @Test
  void an_interval_or_instant_out_of_range_is_refused() {
    refused(() -> FireTimes.every(Duration.ZERO), "PT0S");
    refused(() -> FireTimes.every(Duration.ofSeconds(-1)), "PT-1S");
    refused(() -> FireTimes.every(Duration.ofNanos(999_999)), "PT0.000999999S");
    refused(() -> FireTimes.every(Duration.ofNanos(1_000_001)), "PT0.001000001S");
    refused(() -> FireTimes.every(Duration.ofDays(36_501)), "PT876024H");
    refused(
        () -> FireTimes.once(Instant.parse("+10000-01-01T00:00:00Z")), "+10000-01-01T00:00:00Z");
  }

  private static void refused(ThrowingCallable building, String found) {
    assertThatThrownBy(building)
        .hasMessageContaining(found)
        .isInstanceOfSatisfying(RunlaneException.class, e -> assertThat(e.code())
            .isEqualTo(ErrorCode.CONFIGURATION_INVALID));
  }
}
