package dev.runlane.timing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import java.time.Duration;
import java.util.stream.IntStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
class BackoffTest {
  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final Randomness RANDOM = Randomness.seeded(3);

  @Test
  void an_exponential_back_off_doubles_up_to_the_most() {
    Backoff backoff = Backoff.exponential(SECOND, Duration.ofSeconds(10));

    assertThat(IntStream.rangeClosed(1, 6)
            .mapToObj(failures -> backoff.delay(failures, RANDOM).toSeconds()))
        .containsExactly(1L, 2L, 4L, 8L, 10L, 10L);
  }

  @Test
  void a_fixed_back_off_stays_the_same() {
    Backoff backoff = Backoff.fixed(SECOND);

    assertThat(backoff.delay(1, RANDOM)).isEqualTo(backoff.delay(50, RANDOM)).isEqualTo(SECOND);
  }

  @Test
  void any_number_of_failures_ends_at_the_most() {
    Duration most = Duration.ofDays(36_500);

    assertThat(Backoff.exponential(Duration.ofNanos(1), most).delay(Integer.MAX_VALUE, RANDOM))
        .isEqualTo(most);
    assertThat(Backoff.exponential(most.minusNanos(1), most).delay(2, RANDOM)).isEqualTo(most);
  }

  @Test
  void what_doubled_is_less_than_the_most_is_doubled() {
    Backoff backoff = Backoff.exponential(Duration.ofNanos(1), Duration.ofNanos(3));

    assertThat(IntStream.rangeClosed(1, 3)
            .mapToObj(failures -> backoff.delay(failures, RANDOM).toNanos()))
        .containsExactly(1L, 2L, 3L);
  }

  @Test
  void jitter_goes_both_ways() {
    Backoff backoff = Backoff.fixed(SECOND).withJitter(0.2);

    assertThat(IntStream.range(0, 1_000).mapToObj(i -> backoff.delay(1, RANDOM)))
        .allMatch(delay -> delay.compareTo(Duration.ofMillis(800)) >= 0
            && delay.compareTo(Duration.ofMillis(1_200)) <= 0)
        .anyMatch(delay -> delay.compareTo(Duration.ofMillis(850)) < 0)
        .anyMatch(delay -> delay.compareTo(Duration.ofMillis(1_150)) > 0);
  }

  @Test
  void values_out_of_range_are_refused() {
    refused(() -> Backoff.fixed(Duration.ZERO));
    refused(() -> Backoff.fixed(Duration.ofMillis(-1)));
    refused(() -> Backoff.exponential(SECOND, Duration.ofMillis(999)));
    refused(() -> Backoff.exponential(SECOND, Duration.ofDays(36_501)));
    refused(() -> Backoff.fixed(SECOND).withJitter(1));
    refused(() -> Backoff.fixed(SECOND).withJitter(-0.1));
    refused(() -> Backoff.fixed(SECOND).withJitter(Double.NaN));
  }

  @Test
  void a_back_off_after_no_failure_is_refused() {
    assertThatThrownBy(() -> Backoff.fixed(SECOND).delay(0, RANDOM))
        .isInstanceOfSatisfying(RunlaneException.class, e -> assertThat(e.code())
            .isEqualTo(ErrorCode.VALIDATION_FAILED));
  }

  private static void refused(ThrowingCallable building) {
    assertThatThrownBy(building)
        .isInstanceOfSatisfying(RunlaneException.class, e -> assertThat(e.code())
            .isEqualTo(ErrorCode.CONFIGURATION_INVALID));
  }
}
