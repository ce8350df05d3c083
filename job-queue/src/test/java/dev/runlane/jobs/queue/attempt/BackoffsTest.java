package dev.runlane.jobs.queue.attempt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.runlane.jobs.JobBackoff;
import dev.runlane.timing.Randomness;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

class BackoffsTest {
  private final Backoffs backoffs = new Backoffs(
      Map.of(
          "linear",
          failures -> Duration.ofMinutes(failures),
          "broken",
          failures -> Duration.ofMillis(-1)),
      Randomness.seeded(11));

  @Test
  void a_fixed_back_off_is_the_same_after_every_failure() {
    JobBackoff fixed = JobBackoff.fixed(Duration.ofSeconds(3));

    assertThat(backoffs.delay(fixed, 1)).isEqualTo(Duration.ofSeconds(3));
    assertThat(backoffs.delay(fixed, 40)).isEqualTo(Duration.ofSeconds(3));
  }

  @Test
  void an_exponential_back_off_doubles_give_or_take_a_quarter() {
    JobBackoff exponential = JobBackoff.exponential(Duration.ofSeconds(1));

    for (int failures = 1; failures <= 10; failures++) {
      long plain = 1_000L << (failures - 1);
      assertThat(backoffs.delay(exponential, failures).toMillis())
          .isBetween(plain * 3 / 4, plain * 5 / 4);
    }
  }

  @Test
  void an_exponential_back_off_ends_at_24_hours_and_the_jitter() {
    JobBackoff exponential = JobBackoff.exponential(Duration.ofDays(2));

    for (int failures = 1; failures <= 200; failures++) {
      assertThat(backoffs.delay(exponential, failures).toMillis())
          .isBetween(64_800_000L, 108_000_000L);
    }
  }

  @Test
  void a_back_off_of_nothing_stays_nothing() {
    assertThat(backoffs.delay(JobBackoff.exponential(Duration.ZERO), 5)).isZero();
  }

  @Test
  void a_custom_back_off_is_the_workers_strategy_of_that_name() {
    assertThat(backoffs.delay(JobBackoff.custom("linear"), 7)).isEqualTo(Duration.ofMinutes(7));
  }

  @Test
  void a_missing_strategy_is_named() {
    assertThatThrownBy(() -> backoffs.delay(JobBackoff.custom("unknown"), 1))
        .hasMessageContaining("customStrategy")
        .hasMessageContaining("unknown");
  }

  @Test
  void a_strategy_that_answers_nonsense_is_named() {
    assertThatThrownBy(() -> backoffs.delay(JobBackoff.custom("broken"), 1))
        .hasMessageContaining("broken");
  }
}
