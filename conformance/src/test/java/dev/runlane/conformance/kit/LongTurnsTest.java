package dev.runlane.conformance.kit;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
class LongTurnsTest {
  private static final long SECOND = Duration.ofSeconds(1).toNanos();
  private static final long MILLI = Duration.ofMillis(1).toNanos();

  private final LongTurns turns = new LongTurns(3, Duration.ofSeconds(1));
  private final Thread loop = new Thread("a loop");

  @Test
  void a_turn_that_waits_is_blocked_from_the_check_on_that_makes_them_enough() {
    assertThat(turns.isBlocked(loop, 100, SECOND)).isFalse();
    assertThat(turns.isBlocked(loop, 90, SECOND)).isFalse();
    assertThat(turns.isBlocked(loop, 110, SECOND)).isTrue();
    assertThat(turns.isBlocked(loop, 100, SECOND)).isTrue();
  }

  @Test
  void a_turn_that_works_all_the_time_is_blocked_too() {
    assertThat(turns.isBlocked(loop, 100, SECOND)).isFalse();
    assertThat(turns.isBlocked(loop, 100, 2 * SECOND)).isFalse();
    assertThat(turns.isBlocked(loop, 100, 3 * SECOND)).isTrue();
  }

  @Test
  void a_turn_that_gets_little_of_a_busy_machine_is_not_but_for_one_that_never_ends() {
    for (int check = 1; check < 30; check++) {
      assertThat(turns.isBlocked(loop, 100, check * 20 * MILLI)).isFalse();
    }
    assertThat(turns.isBlocked(loop, 100, SECOND)).isTrue();
  }

  @Test
  void turns_of_one_loop_that_are_each_seen_once_after_the_machine_stood_still_do_not_add_up() {
    for (int turn = 0; turn < 10; turn++) {
      assertThat(turns.isBlocked(loop, turn * 5 * SECOND, SECOND)).isFalse();
    }
  }

  @Test
  void turns_of_several_loops_do_not_add_up() {
    for (int each = 0; each < 10; each++) {
      assertThat(turns.isBlocked(new Thread("loop " + each), 100, SECOND)).isFalse();
    }
  }
}
