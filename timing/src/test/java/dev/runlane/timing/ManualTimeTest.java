package dev.runlane.timing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
class ManualTimeTest {
  private static final Instant NOON = Instant.parse("2026-01-01T12:00:00Z");
  private static final Duration HOUR = Duration.ofHours(1);

  private final ManualTime time = ManualTime.at(NOON);
  private final List<String> done = new ArrayList<>();

  private Runnable note(String what) {
    return () ->
        done.add(what + " at " + Duration.between(NOON, time.clock().now()).toMillis());
  }

  @Test
  void what_is_due_at_once_runs_with_all_that_follows_from_it() {
    time.timers().schedule(HOUR, note("later"));
    time.timers()
        .schedule(
            Duration.ZERO,
            () -> time.defer(() -> {
              note("turn").run();
              time.timers().schedule(Duration.ZERO, note("timer"));
            }));

    time.runDue();

    assertThat(done).containsExactly("turn at 1", "timer at 2");
  }

  @Test
  void turns_come_before_the_next_instant() {
    time.timers().schedule(HOUR, () -> time.defer(note("turn")));
    time.timers().schedule(HOUR.plusMillis(1), note("timer"));

    time.advance(HOUR.multipliedBy(2));

    assertThat(done).containsExactly("turn at 3600000", "timer at 3600001");
    assertThat(time.clock().now()).isEqualTo(NOON.plus(HOUR.multipliedBy(2)));
  }

  @Test
  void the_next_instant_runs_where_it_is_near_enough() {
    time.timers().schedule(HOUR, note("timer"));

    assertThat(time.runNext(HOUR.minusMillis(1))).isFalse();
    assertThat(time.clock().now()).isEqualTo(NOON);
    assertThat(time.runNext(HOUR)).isTrue();
    assertThat(done).containsExactly("timer at 3600000");
  }

  @Test
  void turns_that_do_not_end_are_noticed() {
    time.defer(this::again);

    assertThatThrownBy(time::runDue)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("come to rest");
  }

  private void again() {
    time.defer(this::again);
  }

  @Test
  void many_timers_over_a_long_time_are_no_endless_loop() {
    time.timers().schedule(Duration.ofMinutes(1), this::tick);

    time.advance(Duration.ofDays(100));

    assertThat(done).hasSize(144_000);
  }

  private void tick() {
    done.add("");
    time.timers().schedule(Duration.ofMinutes(1), this::tick);
  }
}
