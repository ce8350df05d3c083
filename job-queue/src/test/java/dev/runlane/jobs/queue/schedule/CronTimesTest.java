package dev.runlane.jobs.queue.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CronTimesTest {
  private static final ZoneId UTC = ZoneId.of("UTC");

  @Test
  void five_fields_fire_at_the_start_of_the_minute() {
    assertThat(fires("*/15 * * * *", "2026-01-01T00:00:00Z", 2))
        .containsExactly(at("2026-01-01T00:15:00Z"), at("2026-01-01T00:30:00Z"));
  }

  @Test
  void six_fields_begin_with_the_seconds() {
    assertThat(fires("10,40 * * * * *", "2026-01-01T00:00:10Z", 3))
        .containsExactly(
            at("2026-01-01T00:00:40Z"), at("2026-01-01T00:01:10Z"), at("2026-01-01T00:01:40Z"));
  }

  @Test
  void a_step_of_seconds_counts_from_its_start() {
    assertThat(fires("5/20 30 12 * * *", "2026-01-01T12:30:05.5Z", 3))
        .containsExactly(
            at("2026-01-01T12:30:25Z"), at("2026-01-01T12:30:45Z"), at("2026-01-02T12:30:05Z"));
  }

  @Test
  void seven_fields_end_with_the_year() {
    assertThat(fires("0 0 0 1 1 * 2028,2030", "2026-06-01T00:00:00Z", 3))
        .containsExactly(at("2028-01-01T00:00:00Z"), at("2030-01-01T00:00:00Z"));
    assertThat(fires("10,40 59 23 31 12 * 2027", "2026-12-31T23:59:15Z", 1))
        .as("later in a minute of another year")
        .containsExactly(at("2027-12-31T23:59:10Z"));
  }

  @Test
  void an_expression_whose_years_are_over_has_no_next_fire() {
    assertThat(CronTimes.of("0 0 0 1 1 * 2020", UTC).next(at("2026-01-01T00:00:00Z")))
        .isEmpty();
  }

  @Test
  void the_zone_decides_the_hour() {
    CronTimes nine = CronTimes.of("0 9 * * *", ZoneId.of("Europe/Berlin"));

    assertThat(nine.next(at("2026-01-01T00:00:00Z"))).contains(at("2026-01-01T08:00:00Z"));
    assertThat(nine.next(at("2026-07-01T00:00:00Z"))).contains(at("2026-07-01T07:00:00Z"));
  }

  @Test
  void the_zone_decides_the_year() {
    CronTimes early = CronTimes.of("0 30 0 1 1 * 2026", ZoneId.of("Europe/Berlin"));

    assertThat(early.next(at("2026-12-31T00:00:00Z"))).isEmpty();
    assertThat(early.next(at("2025-12-31T00:00:00Z"))).contains(at("2025-12-31T23:30:00Z"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "* * * *",
        "* * * * * * * *",
        "60 * * * * *",
        "a * * * * *",
        "* * * * * * 1800",
        "5-1 * * * * *",
        "*/0 * * * * *",
        "61 * * * *",
        "1,,2 * * * * *"
      })
  void a_malformed_expression_is_refused(String expression) {
    assertThatThrownBy(() -> CronTimes.of(expression, UTC))
        .isInstanceOfSatisfying(RunlaneException.class, refused -> assertThat(refused.code())
            .isEqualTo(ErrorCode.CONFIGURATION_INVALID));
  }

  @Test
  void an_unknown_zone_is_refused() {
    assertThatThrownBy(() -> CronTimes.zone(Optional.of("Mars/Olympus")))
        .hasMessageContaining("Invalid timezone");
  }

  private static List<Instant> fires(String expression, String after, int most) {
    CronTimes times = CronTimes.of(expression, UTC);
    List<Instant> fires = new ArrayList<>();
    Optional<Instant> fire = times.next(at(after));
    while (fire.isPresent() && fires.size() < most) {
      fires.add(fire.get());
      fire = times.next(fire.get());
    }
    return fires;
  }

  private static Instant at(String text) {
    return Instant.parse(text);
  }
}
