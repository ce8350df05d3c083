package dev.runlane.timing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import java.time.Duration;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayNameGeneration(ReplaceUnderscores.class)
class DurationsTest {
  @ParameterizedTest
  @CsvSource({
    "500ms, PT0.5S",
    "30s, PT30S",
    "5m, PT5M",
    "2h, PT2H",
    "30d, P30D",
    "2w, P14D",
    "0s, PT0S",
    "9223372036854775807ms, PT2562047788015H12M55.807S"
  })
  void a_number_and_a_unit_are_a_duration_and_back(String text, Duration duration) {
    assertThat(Durations.parse(text)).isEqualTo(duration);
    assertThat(Durations.format(duration)).isEqualTo(text);
  }

  @ParameterizedTest
  @CsvSource({"1000ms, 1s", "90s, 90s", "3600s, 1h", "24h, 1d", "14d, 2w", "0w, 0s"})
  void a_duration_is_written_in_the_largest_unit_that_leaves_no_rest(String text, String written) {
    assertThat(Durations.format(Durations.parse(text))).isEqualTo(written);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        "5",
        "s",
        "-5s",
        "+5s",
        "1.5h",
        "05s",
        " 5s",
        "5 s",
        "5s\n",
        "5S",
        "5M",
        "5y",
        "5us",
        "1h30m",
        "PT5S",
        "٥s",
        "5µs",
        "9223372036854775808ms",
        "9223372036854775807s",
        "99999999999999999999s"
      })
  void anything_else_is_refused(String text) {
    refused(() -> Durations.parse(text));
  }

  @Test
  void a_duration_that_no_text_says_is_refused() {
    refused(() -> Durations.format(Duration.ofMillis(-1)));
    refused(() -> Durations.format(Duration.ofNanos(1)));
    refused(() -> Durations.format(Duration.ofSeconds(Long.MAX_VALUE)));
  }

  private static void refused(ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(RunlaneException.class, e -> assertThat(e.code())
            .isEqualTo(ErrorCode.VALIDATION_FAILED));
  }
}
