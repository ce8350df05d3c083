package dev.runlane.timing;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;

class BackoffPropertyTest {
  @Property
  void a_delay_is_never_negative_nor_past_the_most_and_its_jitter(
      @ForAll @LongRange(min = 1, max = 3_153_600_000_000_000_000L) long firstNanos,
      @ForAll @LongRange(min = 1, max = 3_153_600_000_000_000_000L) long mostNanos,
      @ForAll @DoubleRange(min = 0, max = 1, maxIncluded = false) double jitter,
      @ForAll @IntRange(min = 1) int failures,
      @ForAll long seed) {
    Duration most = Duration.ofNanos(Math.max(firstNanos, mostNanos));
    Backoff backoff = Backoff.exponential(Duration.ofNanos(Math.min(firstNanos, mostNanos)), most)
        .withJitter(jitter);

    Duration delay = backoff.delay(failures, Randomness.seeded(seed));

    assertThat(delay).isBetween(Duration.ZERO, most.plusNanos((long) (most.toNanos() * jitter)));
  }
}
