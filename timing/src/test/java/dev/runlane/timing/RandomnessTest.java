package dev.runlane.timing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
class RandomnessTest {
  @Test
  void the_same_seed_gives_the_same_numbers_for_good() {
    Randomness randomness = Randomness.seeded(42);

    assertThat(randomness.nextLong()).isEqualTo(-5025562857975149833L);
    assertThat(draw(Randomness.seeded(7)))
        .isEqualTo(draw(Randomness.seeded(7)))
        .isNotEqualTo(draw(randomness));
  }

  @Test
  void the_systems_numbers_differ_between_sources() {
    assertThat(draw(Randomness.system())).isNotEqualTo(draw(Randomness.system()));
  }

  @Test
  void numbers_stay_within_their_bounds() {
    Stream.of(Randomness.system(), Randomness.seeded(1)).forEach(randomness -> {
      for (int i = 0; i < 1_000; i++) {
        assertThat(randomness.nextDouble()).isBetween(0.0, Math.nextDown(1.0));
        assertThat(randomness.nextInt(3)).isBetween(0, 2);
      }
    });
  }

  @Test
  void a_bound_that_is_not_positive_is_refused() {
    assertThatThrownBy(() -> Randomness.seeded(1).nextInt(0))
        .isInstanceOf(IllegalArgumentException.class);
  }

  private static List<Long> draw(Randomness randomness) {
    return LongStream.generate(randomness::nextLong).limit(4).boxed().toList();
  }
}
