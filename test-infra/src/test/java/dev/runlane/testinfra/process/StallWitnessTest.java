package dev.runlane.testinfra.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
class StallWitnessTest {
  private static final Duration SECOND = Duration.ofSeconds(1);

  private long nanoTime = Long.MAX_VALUE - SECOND.toNanos(); // which may overflow
  private final StallWitness witness = new StallWitness(() -> nanoTime);

  @Test
  void a_process_that_runs_misses_no_ticks() {
    runFor(SECOND.multipliedBy(60));

    assertThat(witness.hasMissedTicks(SECOND)).isFalse();
  }

  @Test
  void a_process_that_stood_still_for_most_of_the_time_has_missed_them() {
    runFor(SECOND);
    pass(SECOND);

    assertThat(witness.hasMissedTicks(SECOND)).isTrue();
    runFor(SECOND);
    assertThat(witness.hasMissedTicks(SECOND)).isFalse();
  }

  @Test
  void the_time_before_the_first_tick_was_due_tells_nothing() {
    pass(Duration.ofMillis(60));

    assertThat(witness.hasMissedTicks(SECOND)).isFalse();
  }

  private void runFor(Duration time) {
    for (long passed = 0; passed < time.toMillis(); passed += 50) {
      pass(Duration.ofMillis(50));
      witness.tick();
    }
  }

  private void pass(Duration time) {
    nanoTime += time.toNanos();
  }
}
