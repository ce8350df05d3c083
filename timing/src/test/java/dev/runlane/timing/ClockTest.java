package dev.runlane.timing;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
class ClockTest {
  private static final Instant NOON = Instant.parse("2026-03-01T12:00:00Z");

  @Test
  void the_system_clock_shows_the_present_in_microseconds() {
    Instant before = Instant.now().minusNanos(1_000);
    Instant now = Clock.system().now();

    assertThat(now).isBetween(before, Instant.now());
    assertThat(now.getNano() % 1_000).isZero();
  }

  @Test
  void a_manual_clock_moves_only_when_told() {
    ManualClock clock = ManualClock.at(NOON.plusNanos(1_999));
    assertThat(clock.now()).isEqualTo(NOON.plusNanos(1_000)).isEqualTo(clock.now());

    clock.advance(Duration.ofSeconds(2));
    assertThat(clock.now()).isEqualTo(NOON.plusNanos(2_000_001_000));

    clock.advance(Duration.ofSeconds(-1));
    assertThat(clock.now()).isEqualTo(NOON.plusNanos(1_000_001_000));

    clock.set(NOON.plusNanos(999));
    assertThat(clock.now()).isEqualTo(NOON);
  }

  @Test
  void competing_advances_of_a_manual_clock_all_count() {
    ManualClock clock = ManualClock.at(NOON);

    IntStream.range(0, 10_000).parallel().forEach(i -> clock.advance(Duration.ofMillis(1)));

    assertThat(clock.now()).isEqualTo(NOON.plusSeconds(10));
  }
}
