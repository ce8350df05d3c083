package dev.runlane.timing;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** Four slots, a look every ten seconds when nothing waits, and handlers that end when the test says so. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class SlotsTest {
  private static final Duration TURN = Duration.ofMillis(1);
  private static final Duration GATHER = Duration.ofMillis(5);
  private static final Duration PAUSE = Duration.ofMillis(200);
  private static final Duration POLL = Duration.ofSeconds(10);

  private final ManualTimers timers =
      new ManualTimers(ManualClock.at(Instant.parse("2026-03-01T12:00:00Z")));
  private final Owner owner = new Owner();
  private Slots slots = slots(4);

  private Slots slots(int concurrency) {
    return new Slots(
        timers, action -> timers.schedule(Duration.ZERO, action), concurrency, GATHER, owner);
  }

  @Test
  void the_first_look_comes_in_the_turn_after_start_for_all_slots() {
    slots.pollSoon();
    timers.advance(TURN);
    assertThat(owner.looks).isEmpty();

    slots.start();
    timers.advance(TURN);

    assertThat(owner.asked).containsExactly(4);
  }

  @Test
  void when_nothing_waits_the_owner_says_when_to_look_unasked() {
    start();

    owner.answer(0, false);
    timers.advance(POLL.minus(TURN));
    assertThat(owner.looks).hasSize(1);
    timers.advance(TURN);

    assertThat(owner.looks).hasSize(2);
    assertThat(owner.idle).containsExactly(true);
  }

  @Test
  void the_earliest_of_the_times_asked_for_counts() {
    start();
    owner.answer(0, false);

    slots.pollWithin(Duration.ofSeconds(2));
    slots.pollWithin(Duration.ofSeconds(7));
    timers.advance(Duration.ofSeconds(2));
    assertThat(owner.looks).hasSize(2);
    owner.answer(0, false);

    assertThat(timers.untilNext()).contains(POLL);
  }

  @Test
  void hints_of_one_turn_ask_for_one_look() {
    start();
    owner.answer(0, false);

    slots.pollSoon();
    slots.pollSoon();
    timers.advance(TURN);
    assertThat(owner.looks).hasSize(2);
    owner.answer(0, false);
    timers.advance(TURN);

    assertThat(owner.looks).hasSize(2);
  }

  @Test
  void a_hint_during_a_look_asks_for_one_more_and_never_for_two_at_once() {
    start();

    slots.pollSoon();
    timers.advance(TURN);
    assertThat(owner.looks).hasSize(1);
    owner.answer(0, false);
    timers.advance(TURN);

    assertThat(owner.looks).hasSize(2);
  }

  @Test
  void a_look_that_begins_takes_the_place_of_the_one_that_was_due() {
    start();
    owner.answer(0, false);

    slots.pollSoon();
    timers.advance(TURN);

    assertThat(owner.looks).hasSize(2);
    assertThat(timers.pending()).isZero();
  }

  @Test
  void a_look_that_left_nothing_behind_is_followed_by_none_until_the_owner_says_so() {
    start();
    owner.answer(2, false);

    owner.end(0);
    timers.advance(TURN);

    assertThat(owner.looks).hasSize(1);
    assertThat(owner.idle).containsExactly(false);
  }

  @Test
  void a_look_that_claimed_work_and_left_more_is_followed_by_one_for_the_other_slots() {
    start();

    owner.answer(2, true);
    timers.advance(TURN);

    assertThat(owner.asked).containsExactly(4, 2);
  }

  @Test
  void a_slot_that_is_lent_is_filled_with_other_work() {
    Slots.Slot lent = slots.take();
    lent.until(Promise.promise().future(), Promise.promise().future());
    slots.take(Promise.promise().future(), Promise.promise().future());
    slots.take(Promise.promise().future(), Promise.promise().future());
    slots.take(Promise.promise().future(), Promise.promise().future());
    start();

    lent.lend();
    timers.advance(TURN);

    assertThat(owner.asked).containsExactly(1);
  }

  @Test
  void as_many_slots_as_are_lent_are_filled_together_while_a_backlog_waits() {
    start();
    owner.answer(4, true);
    List<Slots.Slot> waiting = new ArrayList<>();
    owner.calls.forEach(call -> call.handled.complete());
    for (int each = 0; each < 4; each++) {
      Slots.Slot slot = slots.take();
      slot.until(Promise.promise().future(), Promise.promise().future());
      waiting.add(slot);
    }

    waiting.forEach(slot -> {
      assertThat(slots.hasBacklog()).isTrue();
      slot.lend();
    });
    timers.advance(TURN);

    assertThat(owner.asked).as("one claim for all of them").containsExactly(4, 4);
  }

  @Test
  void no_slot_is_wanted_beside_a_free_one_whatever_waits() {
    start();
    owner.answer(4, true);
    assertThat(slots.isWanted()).isTrue();

    owner.end(0);

    assertThat(slots.isWanted()).isFalse();
    assertThat(slots.hasBacklog()).isTrue();
  }

  @Test
  void no_slot_is_wanted_beside_a_free_one_while_nothing_is_known_to_wait() {
    start();
    owner.answer(3, false);

    slots.pollSoon();

    assertThat(slots.isWanted()).isFalse();
    assertThat(slots.hasBacklog()).isFalse();
  }

  @Test
  void a_handler_that_goes_on_waits_for_a_slot_before_work_that_begins() {
    slots = slots(1);
    List<String> gone = new ArrayList<>();
    Slots.Slot lent = slots.take();
    lent.until(Promise.promise().future(), Promise.promise().future());
    lent.lend();
    Promise<Void> other = Promise.promise();
    slots.take(other.future(), Promise.promise().future());
    start();

    lent.reclaim(() -> gone.add("on"));
    assertThat(gone).isEmpty();
    assertThat(slots.isWanted()).isTrue();
    other.complete();
    timers.advance(TURN);

    assertThat(gone).containsExactly("on");
    assertThat(owner.asked).isEmpty();
  }

  @Test
  void a_slot_that_was_not_lent_is_reclaimed_at_once() {
    List<String> gone = new ArrayList<>();
    Slots.Slot held = slots.take();
    held.until(Promise.promise().future(), Promise.promise().future());

    held.reclaim(() -> gone.add("on"));

    assertThat(gone).containsExactly("on");
  }

  @Test
  void so_is_one_that_was_lent_and_that_nobody_took() {
    List<String> gone = new ArrayList<>();
    Slots.Slot lent = slots.take();
    lent.until(Promise.promise().future(), Promise.promise().future());
    lent.lend();

    lent.reclaim(() -> gone.add("on"));

    assertThat(gone).containsExactly("on");
  }

  @Test
  void a_handler_that_goes_on_waits_while_too_many_outcomes_are_on_their_way() {
    slots = slots(1);
    Slots.Slot lent = slots.take();
    lent.until(Promise.promise().future(), Promise.promise().future());
    lent.lend();
    Promise<Void> ended = Promise.promise();
    Promise<Void> stored = Promise.promise();
    slots.take(ended.future(), stored.future());
    ended.complete();
    slots.take(Future.succeededFuture(), Promise.promise().future());
    List<String> gone = new ArrayList<>();

    lent.reclaim(() -> gone.add("on"));
    assertThat(gone).isEmpty();
    stored.complete();

    assertThat(gone).containsExactly("on");
  }

  @Test
  void a_handler_that_ends_while_its_slot_is_lent_frees_no_second_one() {
    slots = slots(1);
    Promise<Void> ended = Promise.promise();
    Slots.Slot lent = slots.take();
    lent.until(ended.future(), ended.future());
    lent.lend();
    Promise<Void> other = Promise.promise();
    slots.take(other.future(), other.future());
    List<String> gone = new ArrayList<>();
    lent.reclaim(() -> gone.add("on"));

    ended.complete();
    start();
    assertThat(owner.asked).isEmpty();
    other.complete();
    timers.advance(TURN);

    assertThat(owner.asked).containsExactly(1);
    assertThat(gone).as("what has ended goes on no more").isEmpty();
  }

  @Test
  void a_hint_while_no_slot_is_free_is_remembered_until_one_is() {
    start();
    owner.answer(4, false);
    slots.pollSoon();
    timers.advance(POLL);
    assertThat(owner.looks).hasSize(1);
    assertThat(slots.isWanted()).isTrue();

    owner.end(0);
    timers.advance(TURN);

    assertThat(owner.asked).containsExactly(4, 1);
    assertThat(slots.isWanted()).isFalse();
  }

  @Test
  void a_hint_while_no_slot_is_free_sets_no_timer() {
    start();
    owner.answer(4, false);

    slots.pollSoon();
    timers.advance(TURN);

    assertThat(timers.untilNext()).contains(POLL.minus(TURN));
  }

  @Test
  void no_slot_is_wanted_while_nothing_is_known_to_wait_for_one() {
    start();

    owner.answer(4, false);
    assertThat(slots.isWanted()).isFalse();
    owner.end(0);
    slots.pollSoon();
    timers.advance(TURN);
    owner.answer(1, true);

    assertThat(slots.isWanted()).isTrue();
  }

  @Test
  void a_slot_is_taken_until_its_handler_has_ended_and_not_until_its_outcome_is_stored() {
    start();
    owner.answer(4, true);
    timers.advance(POLL);
    assertThat(owner.looks).hasSize(1);

    owner.calls.get(0).handled.complete();
    owner.calls.get(1).handled.complete();
    timers.advance(TURN);

    assertThat(owner.asked).containsExactly(4, 2);
  }

  @Test
  void a_handler_that_runs_on_after_its_outcome_was_given_up_keeps_its_slot() {
    start();
    owner.answer(4, true);

    owner.calls.get(0).stored.complete();
    timers.advance(POLL);
    assertThat(owner.looks).hasSize(1);
    owner.calls.get(0).handled.complete();
    timers.advance(TURN);

    assertThat(owner.asked).containsExactly(4, 1);
  }

  @Test
  void as_many_outcomes_as_there_are_slots_may_be_on_their_way_before_looks_slow_down() {
    start();
    owner.answer(4, true);
    owner.calls.forEach(call -> call.handled.complete());
    timers.advance(TURN);
    assertThat(owner.asked).containsExactly(4, 4);
    owner.answer(4, true);
    owner.calls.get(4).handled.complete();
    timers.advance(POLL);
    assertThat(owner.looks).hasSize(2);

    owner.calls.get(0).stored.complete();
    timers.advance(TURN);

    assertThat(owner.asked).containsExactly(4, 4, 1);
  }

  @Test
  void a_few_slots_of_a_busy_worker_wait_a_little_for_others() {
    slots = slots(40);
    start();
    owner.answer(40, true);

    owner.end(0);
    timers.advance(GATHER.minus(TURN));
    owner.end(1);
    assertThat(owner.looks).hasSize(1);
    timers.advance(TURN.multipliedBy(2));

    assertThat(owner.asked).containsExactly(40, 2);
  }

  @Test
  void a_quarter_of_the_slots_is_worth_a_look_at_once() {
    slots = slots(40);
    start();
    owner.answer(40, true);

    for (int i = 0; i < 10; i++) {
      owner.end(i);
    }
    timers.advance(TURN);

    assertThat(owner.asked).containsExactly(40, 10);
  }

  @Test
  void work_that_others_lock_is_looked_at_again_soon() {
    start();
    owner.answer(0, true);

    timers.advance(Duration.ofMillis(4));
    assertThat(owner.looks).hasSize(1);
    timers.advance(TURN);

    assertThat(owner.looks).hasSize(2);
  }

  @Test
  void an_end_is_a_reason_to_look_where_the_owner_says_so() {
    start();
    owner.answer(1, false);
    owner.eachEndIsAReason = true;

    owner.calls.get(0).handled.complete();
    timers.advance(TURN);
    owner.answer(0, false);
    owner.calls.get(0).stored.complete();
    timers.advance(TURN);

    assertThat(owner.looks).hasSize(3);
  }

  @Test
  void so_is_an_outcome_that_is_stored_while_its_handler_runs_on() {
    start();
    owner.answer(1, false);
    owner.eachEndIsAReason = true;

    owner.calls.get(0).stored.complete();
    timers.advance(TURN);

    assertThat(owner.looks).hasSize(2);
  }

  @Test
  void
      after_failures_the_owner_says_when_to_look_again_and_hears_how_many_there_were_since_a_look_that_worked() {
    start();
    owner.fail();
    timers.advance(PAUSE.minus(TURN));
    assertThat(owner.looks).hasSize(1);
    timers.advance(TURN);
    owner.fail();
    timers.advance(PAUSE);
    owner.answer(0, false);
    slots.pollSoon();
    timers.advance(TURN);
    owner.fail();

    assertThat(owner.failures).containsExactly(1, 2, 1);
  }

  @Test
  void a_claim_that_throws_is_a_look_that_failed() {
    owner.throwing = new IllegalStateException("no command");

    start();

    assertThat(owner.failures).containsExactly(1);
    assertThat(timers.pending()).isEqualTo(1);
  }

  @Test
  void so_is_one_whose_work_cannot_be_begun() {
    start();
    owner.looks.get(0).complete(new Slots.Found(false, false, () -> {
      throw new IllegalStateException("no lease");
    }));

    assertThat(owner.failures).containsExactly(1);
    timers.advance(PAUSE);

    assertThat(owner.looks).hasSize(2);
  }

  @Test
  void nothing_is_looked_for_while_the_owner_holds_back_and_what_was_asked_for_comes_then() {
    owner.heldBack = Duration.ofSeconds(1);
    start();
    slots.pollSoon();
    timers.advance(Duration.ofMillis(900));
    assertThat(owner.looks).isEmpty();

    owner.heldBack = Duration.ofMillis(-1);
    timers.advance(Duration.ofMillis(101));

    assertThat(owner.asked).containsExactly(4);
  }

  @Test
  void no_look_begins_while_paused_and_one_does_after() {
    start();
    owner.answer(2, true);
    slots.pause();
    owner.end(0);
    slots.pollSoon();
    slots.pollWithin(TURN);
    timers.advance(POLL);
    assertThat(owner.looks).hasSize(1);
    assertThat(timers.pending()).isZero();

    slots.resume();
    timers.advance(TURN);

    assertThat(owner.asked).containsExactly(4, 3);
  }

  @Test
  void what_is_paused_before_it_is_started_looks_when_it_is_resumed() {
    slots.pause();
    start();
    assertThat(owner.looks).isEmpty();

    slots.resume();
    timers.advance(TURN);

    assertThat(owner.looks).hasSize(1);
  }

  @Test
  void a_pause_and_a_stop_leave_no_timer() {
    start();
    owner.answer(0, false);

    slots.pause();
    assertThat(timers.pending()).isZero();
    slots.resume();
    timers.advance(TURN);
    owner.answer(0, false);
    slots.stop();

    assertThat(timers.pending()).isZero();
  }

  @Test
  void stopping_waits_for_the_look_under_way_and_gives_the_owner_what_it_claimed() {
    start();
    Future<?> stopped = slots.stop();
    assertThat(stopped.isComplete()).isFalse();

    owner.answer(2, true);

    assertThat(stopped.succeeded()).isTrue();
    assertThat(owner.calls).hasSize(2);
  }

  @Test
  void nothing_is_looked_for_after_a_stop() {
    start();
    owner.answer(4, true);

    slots.stop();
    owner.end(0);
    slots.pollSoon();
    slots.resume();
    timers.advance(POLL);

    assertThat(owner.looks).hasSize(1);
    assertThat(timers.pending()).isZero();
  }

  @Test
  void a_look_that_fails_after_a_stop_is_told_and_not_made_again() {
    start();
    Future<?> stopped = slots.stop();

    owner.fail();

    assertThat(stopped.succeeded()).isTrue();
    assertThat(owner.failures).hasSize(1);
    assertThat(timers.pending()).isZero();
  }

  private void start() {
    slots.start();
    timers.advance(TURN);
  }

  private record Call(Promise<Void> handled, Promise<Void> stored) {}

  /** Notes what it is asked. */
  private final class Owner implements Slots.WorkSource {
    final List<Integer> asked = new ArrayList<>();
    final List<Promise<Slots.Found>> looks = new ArrayList<>();
    final List<Call> calls = new ArrayList<>();
    final List<Boolean> idle = new ArrayList<>();
    final List<Integer> failures = new ArrayList<>();
    Duration heldBack = Duration.ZERO;
    boolean eachEndIsAReason;
    RuntimeException throwing;

    /** The look under way has claimed this many. */
    void answer(int claimed, boolean mayHaveMore) {
      looks
          .get(looks.size() - 1)
          .complete(new Slots.Found(claimed == 0, mayHaveMore, () -> begin(claimed)));
    }

    void fail() {
      looks.get(looks.size() - 1).fail(new IllegalStateException("out of reach"));
    }

    /** The handler ends, and its outcome is stored at once. */
    void end(int call) {
      calls.get(call).handled.complete();
      calls.get(call).stored.complete();
    }

    private void begin(int claimed) {
      for (int i = 0; i < claimed; i++) {
        Call call = new Call(Promise.promise(), Promise.promise());
        calls.add(call);
        slots.take(call.handled.future(), call.stored.future());
      }
    }

    @Override
    public Duration pollDelay() {
      return heldBack;
    }

    @Override
    public Future<Slots.Found> claim(int free) {
      if (throwing != null) {
        throw throwing;
      }
      asked.add(free);
      looks.add(Promise.promise());
      return looks.get(looks.size() - 1).future();
    }

    @Override
    public boolean pollsAfterEachEnd() {
      return eachEndIsAReason;
    }

    @Override
    public void idle(boolean nothingFound) {
      idle.add(nothingFound);
      slots.pollWithin(POLL);
    }

    @Override
    public Duration failed(Throwable failure, int inARow) {
      failures.add(inARow);
      return PAUSE;
    }
  }
}
