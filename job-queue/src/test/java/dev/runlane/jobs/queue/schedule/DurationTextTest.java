package dev.runlane.jobs.queue.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import java.time.Duration;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DurationTextTest {
  @ParameterizedTest
  @CsvSource({
    "500ms, 500",
    "1 millisecond, 1",
    "2 Milliseconds, 2",
    "1s, 1000",
    "1 second, 1000",
    "1.5 SECONDS, 1500",
    "5m, 300000",
    "1 minute, 60000",
    "2 minutes, 120000",
    "1h, 3600000",
    "1.5 hours, 5400000",
    "1 hour, 3600000",
    "1d, 86400000",
    "1 day, 86400000",
    "2 days, 172800000",
    "1w, 604800000",
    "1 week, 604800000",
    "2 weeks, 1209600000",
    "0s, 0"
  })
  void a_number_and_a_unit_in_any_case_with_or_without_a_blank(String text, long millis) {
    assertThat(DurationText.parse(text)).isEqualTo(Duration.ofMillis(millis));
  }

  @Test
  void a_part_of_a_millisecond_is_dropped() {
    assertThat(DurationText.parse("1.9999ms")).isEqualTo(Duration.ofMillis(1));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "5", "m", "-5m", "5 fortnights", "5m 3s", "1e3 s", "in 5m", "1.s", ".5s"})
  void anything_else_is_refused(String text) {
    assertRefused(() -> DurationText.parse(text));
  }

  @Test
  void more_than_a_hundred_years_are_refused() {
    assertRefused(() -> DurationText.parse("36501 days"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"in 5 minutes", "5m", "IN  5 Minutes", " in 300 s"})
  void a_delay_may_begin_with_in(String text) {
    assertThat(DurationText.parseDelay(text)).isEqualTo(Duration.ofMinutes(5));
  }

  private static void assertRefused(ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(RunlaneException.class, refused -> assertThat(refused.code())
            .isEqualTo(ErrorCode.VALIDATION_FAILED));
  }
}
