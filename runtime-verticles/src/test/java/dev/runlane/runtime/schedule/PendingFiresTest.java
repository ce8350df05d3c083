package dev.runlane.runtime.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.storage.schedule.ClaimedOccurrence;
import dev.runlane.timing.fire.FireTimes;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
class PendingFiresTest {
  private static final Instant NOON = Instant.parse("2026-03-01T12:00:00Z");
  private static final Duration HOUR = Duration.ofHours(1);
  private static final FireTimes HOURLY = FireTimes.every(HOUR);

  @Test
  void the_latest_fire_is_due_at_first_sight_and_no_other() {
    PendingFires pendingFires = new PendingFires(HOURLY, Instant.MIN, 1);

    assertThat(fires(pendingFires, NOON.plusSeconds(10))).containsExactly(NOON);
  }

  @Test
  void a_settled_fire_is_not_due_again_and_the_next_one_is_at_its_instant() {
    PendingFires pendingFires = new PendingFires(HOURLY, Instant.MIN, 1);
    fires(pendingFires, NOON);

    pendingFires.settled(NOON);

    assertThat(fires(pendingFires, NOON.plus(HOUR).minusNanos(1_000))).isEmpty();
    assertThat(pendingFires.nextCheck()).contains(NOON.plus(HOUR));
    assertThat(fires(pendingFires, NOON.plus(HOUR))).containsExactly(NOON.plus(HOUR));
  }

  @Test
  void a_fire_that_is_not_settled_stays_due() {
    PendingFires pendingFires = new PendingFires(HOURLY, Instant.MIN, 1);

    assertThat(fires(pendingFires, NOON)).containsExactly(NOON);
    assertThat(fires(pendingFires, NOON.plusSeconds(1))).containsExactly(NOON);
  }

  @Test
  void of_too_many_open_fires_the_latest_are_kept() {
    PendingFires pendingFires = new PendingFires(HOURLY, Instant.MIN, 3);
    fires(pendingFires, NOON);

    assertThat(fires(pendingFires, NOON.plus(HOUR)))
        .containsExactly(NOON.minus(HOUR), NOON, NOON.plus(HOUR));
  }

  @Test
  void fires_that_are_settled_in_any_order_are_not_due_again() {
    PendingFires pendingFires = new PendingFires(HOURLY, Instant.MIN, 3);
    fires(pendingFires, NOON);

    pendingFires.settled(NOON.minus(HOUR));

    assertThat(fires(pendingFires, NOON)).containsExactly(NOON.minus(HOUR.multipliedBy(2)), NOON);
  }

  @Test
  void fires_up_to_the_beginning_of_the_book_are_not_its_business() {
    PendingFires pendingFires = new PendingFires(HOURLY, NOON, 5);

    assertThat(fires(pendingFires, NOON.plusSeconds(1))).isEmpty();
    assertThat(fires(pendingFires, NOON.plus(HOUR))).containsExactly(NOON.plus(HOUR));
  }

  @Test
  void a_fire_that_others_hold_is_asked_for_again_less_and_less_often() {
    PendingFires pendingFires = new PendingFires(FireTimes.once(NOON), Instant.MIN, 1);
    Instant now = NOON;

    for (int minutes : List.of(1, 2, 4, 8, 10, 10)) {
      assertThat(fires(pendingFires, now)).containsExactly(NOON);
      pendingFires.retryLater(NOON, now, Duration.ofMinutes(1), Duration.ofMinutes(10));
      assertThat(pendingFires.nextCheck()).contains(now.plus(Duration.ofMinutes(minutes)));
      assertThat(fires(pendingFires, now.plus(Duration.ofMinutes(minutes)).minusNanos(1_000)))
          .isEmpty();
      now = now.plus(Duration.ofMinutes(minutes));
    }
  }

  @Test
  void a_schedule_without_a_further_fire_and_without_an_open_one_is_never_looked_at_again() {
    PendingFires pendingFires = new PendingFires(FireTimes.once(NOON), Instant.MIN, 1);
    fires(pendingFires, NOON);

    pendingFires.settled(NOON);

    assertThat(pendingFires.nextCheck()).isEmpty();
    assertThat(fires(pendingFires, NOON.plus(Duration.ofDays(9_999)))).isEmpty();
  }

  @Test
  void a_claim_is_good_until_it_ends() {
    PendingFires pendingFires = new PendingFires(HOURLY, Instant.MIN, 1);
    fires(pendingFires, NOON);
    Instant end = NOON.plusSeconds(60);
    ClaimedOccurrence claim = new ClaimedOccurrence("hourly", "occurrence", NOON, "token", end);

    pendingFires.retryAtOnce(NOON, claim);

    PendingFires.PendingFire fire = pendingFires.due(NOON.plusSeconds(1)).get(0);
    assertThat(fire.claimAt(end.minusNanos(1_000))).contains(claim);
    assertThat(fire.claimAt(end)).isEmpty();
  }

  @Test
  void news_of_a_fire_that_was_dropped_meanwhile_change_nothing() {
    PendingFires pendingFires = new PendingFires(HOURLY, Instant.MIN, 1);
    fires(pendingFires, NOON);
    fires(pendingFires, NOON.plus(HOUR));

    pendingFires.retryLater(NOON, NOON, HOUR, HOUR);
    pendingFires.retryAtOnce(
        NOON, new ClaimedOccurrence("hourly", "occurrence", NOON, "token", NOON));
    pendingFires.settled(NOON);

    assertThat(fires(pendingFires, NOON.plus(HOUR))).containsExactly(NOON.plus(HOUR));
  }

  @Test
  void a_clock_that_goes_back_brings_no_fire_twice() {
    PendingFires pendingFires = new PendingFires(HOURLY, Instant.MIN, 1);
    fires(pendingFires, NOON);
    pendingFires.settled(NOON);

    assertThat(fires(pendingFires, NOON.minus(HOUR))).isEmpty();
    assertThat(fires(pendingFires, NOON)).isEmpty();
    assertThat(fires(pendingFires, NOON.plus(HOUR))).containsExactly(NOON.plus(HOUR));
  }

  @Test
  void a_long_calendar_is_read_in_parts_and_the_latest_fires_come_first() {
    PendingFires pendingFires = new PendingFires(HOURLY, NOON.minus(Duration.ofDays(30)), 7);

    assertThat(pendingFires.read(NOON, 3)).isEqualTo(4);
    assertThat(opened(pendingFires, NOON))
        .containsExactly(NOON.minus(HOUR.multipliedBy(2)), NOON.minus(HOUR), NOON);
    assertThat(pendingFires.isBehind(NOON)).isTrue();
    pendingFires.settled(NOON);
    assertThat(pendingFires.read(NOON, 3)).isEqualTo(4);
    assertThat(pendingFires.read(NOON, 3)).isEqualTo(2);
    assertThat(pendingFires.isBehind(NOON)).isFalse();
    assertThat(pendingFires.read(NOON, 3)).isZero();

    assertThat(opened(pendingFires, NOON))
        .hasSize(6)
        .startsWith(NOON.minus(HOUR.multipliedBy(6)))
        .endsWith(NOON.minus(HOUR));
  }

  @Test
  void a_part_that_holds_fewer_fires_than_wanted_ends_the_reading() {
    PendingFires pendingFires = new PendingFires(HOURLY, NOON.minus(HOUR.multipliedBy(5)), 100);

    pendingFires.read(NOON, 3);
    pendingFires.read(NOON, 3);

    assertThat(pendingFires.isBehind(NOON)).isFalse();
    assertThat(opened(pendingFires, NOON)).hasSize(5);
  }

  @Test
  void fires_that_come_while_older_ones_are_read_cost_none_of_those_that_are_wanted() {
    PendingFires pendingFires = new PendingFires(HOURLY, Instant.MIN, 4);
    pendingFires.read(NOON, 2);
    Instant later = NOON.plus(HOUR);

    while (pendingFires.isBehind(later)) {
      pendingFires.read(later, 1);
    }

    assertThat(opened(pendingFires, later))
        .as("of five, the latest four")
        .containsExactly(NOON.minus(HOUR.multipliedBy(2)), NOON.minus(HOUR), NOON, later);
  }

  @Test
  void claimed_fires_are_not_superseded_by_newer_ones() {
    PendingFires pending =
        new PendingFires(FireTimes.every(Duration.ofSeconds(1)), NOON.minusSeconds(150), 150);
    pending.read(NOON, 1_000);
    List<Instant> held =
        pending.due(NOON).stream().map(PendingFires.PendingFire::fireAt).toList();
    held.forEach(fireAt ->
        pending.retryAfterClaim(fireAt, NOON, Duration.ofSeconds(1), NOON.plusSeconds(60)));

    pending.read(NOON.plusSeconds(60), 1_000);

    assertThat(held).hasSize(150);
    assertThat(pending.due(NOON.plusSeconds(120)))
        .extracting(PendingFires.PendingFire::fireAt)
        .containsAll(held);
  }

  @Test
  void without_a_budget_nothing_is_read() {
    PendingFires pendingFires = new PendingFires(HOURLY, Instant.MIN, 1);

    assertThat(pendingFires.read(NOON, 0)).isZero();
    assertThat(pendingFires.isBehind(NOON)).isTrue();
  }

  private static List<Instant> fires(PendingFires pendingFires, Instant now) {
    pendingFires.read(now, 1_000);
    return opened(pendingFires, now);
  }

  private static List<Instant> opened(PendingFires pendingFires, Instant now) {
    return pendingFires.due(now).stream().map(PendingFires.PendingFire::fireAt).toList();
  }
}
