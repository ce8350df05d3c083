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
class LeaseEndsTest {
  private static final Duration MOMENT = Duration.ofMillis(1);

  private final ManualTimers timers =
      new ManualTimers(ManualClock.at(Instant.parse("2026-03-01T12:00:00Z")));
  private final List<String> ended = new ArrayList<>();
  private final LeaseEnds<Lease> ends = new LeaseEnds<>(timers, lease -> lease.end, this::told);

  private Lease add(String name, int seconds) {
    Lease lease = new Lease(name, timers.elapsed().plusSeconds(seconds));
    ends.add(lease);
    return lease;
  }

  private void told(Lease lease) {
    ended.add(lease.name);
    if (lease.throwing) {
      throw new IllegalStateException("told");
    }
    if (lease.alsoEnds != null) {
      ends.remove(lease.alsoEnds);
    }
  }

  @Test
  void a_lease_is_told_once_at_the_very_time_at_which_it_ends() {
    add("one", 30);

    timers.advance(Duration.ofSeconds(30).minus(MOMENT));
    assertThat(ended).isEmpty();
    timers.advance(MOMENT);
    timers.advance(Duration.ofMinutes(5));

    assertThat(ended).containsExactly("one");
  }

  @Test
  void a_lease_that_was_renewed_is_told_when_its_last_renewal_ends() {
    Lease lease = add("one", 30);
    timers.advance(Duration.ofSeconds(20));
    lease.end = Duration.ofSeconds(50);

    timers.advance(Duration.ofSeconds(30).minus(MOMENT));
    assertThat(ended).isEmpty();
    timers.advance(MOMENT);

    assertThat(ended).containsExactly("one");
  }

  @Test
  void one_that_is_added_later_and_ends_earlier_is_told_first() {
    add("later", 30);
    add("earlier", 20);
    assertThat(timers.pending()).isEqualTo(1);

    timers.advance(Duration.ofSeconds(20));
    assertThat(ended).containsExactly("earlier");
    timers.advance(Duration.ofSeconds(10));

    assertThat(ended).containsExactly("earlier", "later");
  }

  @Test
  void one_that_is_over_when_it_is_added_is_told_in_the_next_turn() {
    add("over", -5);
    assertThat(ended).isEmpty();

    timers.advance(MOMENT);

    assertThat(ended).containsExactly("over");
  }

  @Test
  void one_that_is_removed_is_told_nothing_and_keeps_nobody_from_being_told() {
    Lease gone = add("gone", 20);
    add("kept", 30);
    ends.remove(gone);

    timers.advance(Duration.ofSeconds(30));

    assertThat(ended).containsExactly("kept");
  }

  @Test
  void one_that_is_removed_by_the_end_of_another_is_told_nothing() {
    Lease first = add("first", 1);
    Lease second = add("second", 1);
    first.alsoEnds = second;

    timers.advance(Duration.ofSeconds(2));

    assertThat(ended).containsExactly("first");
  }

  @Test
  void one_whose_end_throws_keeps_nobody_from_being_told() {
    add("throws", 20).throwing = true;
    add("same time", 20);
    add("later", 30);

    assertThatThrownBy(() -> timers.advance(Duration.ofSeconds(30))).hasMessage("told");
    timers.advance(Duration.ofSeconds(10));

    assertThat(ended).containsExactly("throws", "same time", "later");
  }

  @Test
  void one_timer_serves_any_number_of_leases_and_none_is_left_without_one() {
    List<Lease> many = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      many.add(add("lease " + i, 30 + i));
    }
    assertThat(timers.pending()).isEqualTo(1);

    many.forEach(ends::remove);

    assertThat(timers.pending()).isZero();
  }

  /** A lease that can be renewed. */
  private static final class Lease {
    final String name;
    Duration end;
    Lease alsoEnds; // is given up with it
    boolean throwing;

    Lease(String name, Duration end) {
      this.name = name;
      this.end = end;
    }
  }
}
