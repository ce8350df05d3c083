package dev.runlane.timing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
class ManualTimersTest {
  private static final Instant NOON = Instant.parse("2026-03-01T12:00:00Z");

  private final ManualClock clock = ManualClock.at(NOON);
  private final ManualTimers timers = new ManualTimers(clock);
  private final List<String> log = new ArrayList<>();

  @Test
  void a_future_of_a_delay_completes_when_it_is_over() {
    Future<Void> over = timers.after(Duration.ofSeconds(2));

    timers.advance(Duration.ofMillis(1_999));
    assertThat(over.isComplete()).isFalse();
    timers.advance(Duration.ofMillis(1));
    assertThat(over.succeeded()).isTrue();
  }

  @Test
  void actions_run_in_order_of_due_time_and_then_of_scheduling() {
    note(Duration.ofSeconds(2), "late");
    note(Duration.ofSeconds(1), "first");
    note(Duration.ofSeconds(1), "second");

    timers.advance(Duration.ofSeconds(3));

    assertThat(log).containsExactly("first@1s", "second@1s", "late@2s");
    assertThat(clock.now()).isEqualTo(NOON.plusSeconds(3));
    assertThat(timers.elapsed()).isEqualTo(Duration.ofSeconds(3));
  }

  @Test
  void an_action_runs_when_its_delay_is_over_and_not_before() {
    note(Duration.ofMillis(1_500).plusNanos(1), "action");

    timers.advance(Duration.ofMillis(1_500));
    assertThat(log).isEmpty();
    assertThat(timers.untilNext()).contains(Duration.ofNanos(1_000));

    timers.advance(Duration.ofNanos(1_000));
    assertThat(log).hasSize(1);
    assertThat(timers.untilNext()).isEmpty();
  }

  @Test
  void what_an_action_schedules_runs_in_the_same_advance_if_due() {
    timers.schedule(Duration.ofSeconds(1), () -> note(Duration.ofSeconds(1), "successor"));

    timers.advance(Duration.ofSeconds(2));

    assertThat(log).containsExactly("successor@2s");
  }

  @Test
  void an_action_that_always_schedules_its_successor_lets_time_pass() {
    reschedule();

    timers.advance(Duration.ofMillis(10));

    assertThat(log).hasSize(10);
  }

  @Test
  void a_cancelled_action_never_runs() {
    Timers.Timer timer = note(Duration.ofSeconds(1), "cancelled");
    timer.cancel();
    timer.cancel();
    Timers.Timer late = note(Duration.ofSeconds(2), "by its neighbour");
    timers.schedule(Duration.ofSeconds(2).minusNanos(1_000), late::cancel);

    timers.advance(Duration.ofSeconds(3));

    assertThat(log).isEmpty();
    assertThat(timers.pending()).isZero();
  }

  @Test
  void a_clock_that_jumps_moves_no_timer() {
    note(Duration.ofSeconds(2), "action");
    clock.set(NOON.minusSeconds(3_600));

    timers.advance(Duration.ofSeconds(1));
    assertThat(log).isEmpty();
    timers.advance(Duration.ofSeconds(1));

    assertThat(log).hasSize(1);
    assertThat(clock.now()).isEqualTo(NOON.minusSeconds(3_598));
  }

  @Test
  void what_an_action_throws_reaches_whoever_advances_and_the_rest_stays() {
    timers.schedule(Duration.ofSeconds(1), () -> {
      throw new IllegalStateException("broken");
    });
    note(Duration.ofSeconds(2), "next");

    assertThatThrownBy(() -> timers.advance(Duration.ofSeconds(5))).hasMessage("broken");
    assertThat(clock.now()).isEqualTo(NOON.plusSeconds(1));

    timers.advance(Duration.ofSeconds(1));
    assertThat(log).containsExactly("next@2s");
  }

  @Test
  void an_action_cannot_advance_time_and_nobody_can_turn_it_back() {
    timers.schedule(Duration.ofSeconds(1), () -> timers.advance(Duration.ofSeconds(1)));

    assertThatThrownBy(() -> timers.advance(Duration.ofSeconds(1)))
        .isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> timers.advance(Duration.ofSeconds(-1)))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void a_huge_delay_is_cut_to_a_hundred_years() {
    note(Duration.ofSeconds(Long.MAX_VALUE), "far");

    assertThat(timers.untilNext()).contains(Duration.ofDays(36_500));
  }

  private Timers.Timer note(Duration delay, String name) {
    return timers.schedule(
        delay,
        () -> log.add(
            name + "@" + Durations.format(Duration.ofSeconds(timers.elapsed().toSeconds()))));
  }

  private void reschedule() {
    timers.schedule(Duration.ZERO, () -> {
      log.add("again");
      reschedule();
    });
  }
}
