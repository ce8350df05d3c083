package dev.runlane.simulation.history;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.run.IdempotencyTtl;
import dev.runlane.run.QueuePolicy;
import dev.runlane.run.RunKeys;
import dev.runlane.run.RunRecord;
import dev.runlane.run.StepIds;
import dev.runlane.simulation.history.StoredState.Effect;
import dev.runlane.simulation.history.StoredState.OutboxRow;
import dev.runlane.simulation.history.StoredState.PartitionUse;
import dev.runlane.simulation.history.Violation.Rule;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
class HistoryCheckerTest {
  private static final Duration MINUTE = Duration.ofMinutes(1);
  private static final RunKeys ONE = new RunKeys("one", null, null, null);
  private static final RunKeys SINGLE = new RunKeys(null, null, null, "single");

  private final HistoryChecker checker = new HistoryChecker(
      List.of(QueuePolicy.unbounded("free"), QueuePolicy.bounded("narrow", 1)),
      Duration.ofMillis(500));
  private final Forgery forged = new Forgery();

  @Test
  void a_state_that_keeps_every_promise_is_left_alone() {
    succeeds("a").partitions.add(new PartitionUse("narrow", "one", 0, 0));
    forged
        .created("b", "narrow", ONE)
        .reserved("b", MINUTE)
        .started("b", 1)
        .released("b", 1)
        .created("c", "narrow", ONE)
        .started("c", 1)
        .succeeded("c", 1)
        .started("b", 2)
        .failed("b", 2);

    assertThat(broken()).isEmpty();
  }

  @Test
  void a_run_that_has_not_ended_is_found() {
    forged.created("a", "free", RunKeys.NONE).requested("a");

    assertThat(broken()).containsExactly(Rule.TERMINAL);
  }

  @Test
  void a_gap_in_a_history_is_found() {
    succeeds("a");
    RunRecord stored = forged.projected("a");

    forged.storing(stored).without("a", 2).outbox.clear();

    assertThat(broken()).contains(Rule.SEQUENCE);
  }

  @Test
  void an_event_id_that_does_not_grow_is_found() {
    forged.created("a", "free", RunKeys.NONE).requested("a").nextId(1).cancelled("a");

    assertThat(broken()).containsExactly(Rule.EVENT_IDS);
  }

  @Test
  void an_event_id_that_two_runs_share_is_found() {
    succeeds("a");
    forged.nextId(1);
    succeeds("b");

    assertThat(broken()).containsExactly(Rule.EVENT_IDS);
  }

  @Test
  void a_projection_that_differs_from_the_replay_is_found() {
    succeeds("a");
    RunRecord before = forged.projected("a");
    Forgery other = new Forgery();
    other.created("a", "free", RunKeys.NONE).requested("a").started("a", 1).failed("a", 1);

    forged.storing(other.projected("a"));

    assertThat(before).isNotEqualTo(other.projected("a"));
    assertThat(broken()).containsExactlyInAnyOrder(Rule.REPLAY, Rule.COUNTERS, Rule.FIELDS);
  }

  @Test
  void a_failure_that_is_counted_though_it_never_happened_is_found() {
    Forgery failing = new Forgery();
    failing.created("a", "free", RunKeys.NONE).requested("a").started("a", 1).failed("a", 1);
    succeeds("a");

    forged.storing(failing.projected("a"));

    assertThat(broken()).contains(Rule.COUNTERS);
  }

  @Test
  void an_event_after_the_end_is_found() {
    succeeds("a");
    RunRecord stored = forged.projected("a");

    forged.storing(stored).cancelled("a");

    assertThat(broken()).contains(Rule.END);
  }

  @Test
  void a_second_outcome_of_an_attempt_is_found() {
    succeeds("a");
    RunRecord stored = forged.projected("a");

    forged.storing(stored).failed("a", 1);

    assertThat(broken()).contains(Rule.ONE_OUTCOME);
  }

  @Test
  void an_outcome_of_an_attempt_that_was_taken_over_is_found() {
    forged.created("a", "free", RunKeys.NONE).requested("a").started("a", 1).after(MINUTE);
    forged.started("a", 2);
    RunRecord stored = forged.projected("a");

    forged.storing(stored).succeeded("a", 1);

    assertThat(broken()).contains(Rule.ONE_OUTCOME);
  }

  @Test
  void an_attempt_that_starts_twice_is_found() {
    forged.created("a", "free", RunKeys.NONE).requested("a").started("a", 1).released("a", 1);
    RunRecord stored = forged.projected("a");

    forged.storing(stored).started("a", 1).succeeded("a", 1);

    assertThat(broken()).contains(Rule.ONE_OUTCOME, Rule.ONE_EFFECT);
  }

  @Test
  void two_leases_in_a_partition_of_one_are_found() {
    forged
        .created("a", "narrow", ONE)
        .created("b", "narrow", ONE)
        .started("a", 1)
        .started("b", 1)
        .succeeded("a", 1)
        .succeeded("b", 1);

    assertThat(broken()).containsExactly(Rule.LIMIT);
  }

  @Test
  void a_lease_beside_a_live_reservation_is_found() {
    forged
        .created("a", "narrow", ONE)
        .created("b", "narrow", ONE)
        .reserved("a", MINUTE)
        .started("b", 1)
        .succeeded("b", 1)
        .cancelled("a");

    assertThat(broken()).containsExactly(Rule.LIMIT);
  }

  @Test
  void a_reservation_beside_an_expired_lease_is_found() {
    forged
        .created("a", "narrow", ONE)
        .created("b", "narrow", ONE)
        .started("a", 1)
        .after(MINUTE)
        .reserved("b", MINUTE)
        .started("a", 2)
        .succeeded("a", 2)
        .cancelled("b");

    assertThat(broken()).containsExactly(Rule.LIMIT);
  }

  @Test
  void a_lease_after_the_end_of_a_reservation_is_allowed() {
    forged
        .created("a", "narrow", ONE)
        .created("b", "narrow", ONE)
        .reserved("a", MINUTE)
        .after(MINUTE)
        .started("b", 1)
        .succeeded("b", 1)
        .cancelled("a");

    assertThat(broken()).isEmpty();
  }

  @Test
  void a_lease_within_the_wait_of_a_command_before_the_end_of_a_reservation_is_allowed() {
    forged
        .created("a", "narrow", ONE)
        .created("b", "narrow", ONE)
        .reserved("a", MINUTE)
        .after(MINUTE.minusMillis(3_500)) // each event takes a second
        .started("b", 1)
        .succeeded("b", 1)
        .cancelled("a");

    assertThat(broken()).isEmpty();
  }

  @Test
  void a_lease_further_before_the_end_of_a_reservation_is_found() {
    forged
        .created("a", "narrow", ONE)
        .created("b", "narrow", ONE)
        .reserved("a", MINUTE)
        .after(MINUTE.minusMillis(3_501))
        .started("b", 1)
        .succeeded("b", 1)
        .cancelled("a");

    assertThat(broken()).containsExactly(Rule.LIMIT);
  }

  @Test
  void a_run_that_begins_on_a_reservation_that_was_collected_takes_its_slot_anew() {
    forged
        .created("a", "narrow", ONE)
        .created("b", "narrow", ONE)
        .reserved("a", MINUTE)
        .after(MINUTE.minusMillis(3_500))
        .started("b", 1)
        .started("a", 1)
        .succeeded("b", 1)
        .succeeded("a", 1);

    assertThat(broken()).containsExactly(Rule.LIMIT);
  }

  @Test
  void order_is_that_of_event_ids_and_not_of_histories() {
    forged.created("a", "narrow", ONE).created("b", "narrow", ONE).nextId(20);
    forged.started("a", 1).succeeded("a", 1).nextId(10);
    forged.started("b", 1).succeeded("b", 1);

    assertThat(broken()).isEmpty();
  }

  @Test
  void a_capacity_row_that_counts_wrong_is_found() {
    succeeds("a").partitions.add(new PartitionUse("narrow", "one", 1, 0));

    assertThat(broken()).containsExactly(Rule.CAPACITY_COUNTER);
  }

  @Test
  void a_lost_outbox_message_is_found() {
    succeeds("a").outbox.clear();

    assertThat(broken()).containsExactly(Rule.OUTBOX);
  }

  @Test
  void an_outbox_message_that_is_left_is_found() {
    succeeds("a").outbox.set(0, new OutboxRow("a", 2, 1, 0));

    assertThat(broken()).containsExactly(Rule.OUTBOX);
  }

  @Test
  void a_doubled_outbox_message_is_found() {
    succeeds("a").outbox.set(0, new OutboxRow("a", 2, 2, 2));

    assertThat(broken()).containsExactly(Rule.OUTBOX);
  }

  @Test
  void two_outbox_messages_of_one_request_are_found() {
    succeeds("a").outbox.add(new OutboxRow("a", 2, 1, 1));

    assertThat(broken()).containsExactly(Rule.OUTBOX);
  }

  @Test
  void an_outbox_message_that_nobody_asked_for_is_found() {
    succeeds("a").outbox.add(new OutboxRow("a", 3, 1, 1));

    assertThat(broken()).containsExactly(Rule.OUTBOX);
  }

  @Test
  void an_outbox_message_that_is_left_may_be_allowed() {
    succeeds("a").outbox.set(0, new OutboxRow("a", 2, 1, 0));

    assertThat(checker.allowingUnpublished().violations(forged.state())).isEmpty();
  }

  @Test
  void a_storage_that_wakes_needs_no_message_of_a_run_that_was_due_and_one_of_every_other() {
    succeeds("due").outbox.clear();
    forged.created("again", "free", RunKeys.NONE).requested("again");
    forged.started("again", 1).released("again", 1).requested("again");
    forged.started("again", 2).succeeded("again", 2);
    forged.outbox.clear();

    assertThat(checker.allowingWakingStorage().violations(forged.state()))
        .singleElement()
        .satisfies(violation -> {
          assertThat(violation.rule()).isEqualTo(Rule.OUTBOX);
          assertThat(violation.toString()).contains("runId=again, sequence=6");
        });
  }

  @Test
  void where_messages_may_be_left_a_lost_a_doubled_and_an_unwanted_one_are_still_found() {
    succeeds("lost").outbox.clear();
    succeeds("doubled").outbox.set(0, new OutboxRow("doubled", 2, 2, 0));
    succeeds("twice").outbox.set(1, new OutboxRow("twice", 2, 1, 2));
    forged.outbox.add(new OutboxRow("nobody", 2, 1, 0));

    assertThat(checker.allowingUnpublished().violations(forged.state()))
        .extracting(Violation::rule)
        .containsOnly(Rule.OUTBOX)
        .hasSize(4);
  }

  @Test
  void an_attempt_whose_run_is_claimed_again_is_lost() {
    forged.created("a", "free", RunKeys.NONE).requested("a").started("a", 1).after(MINUTE);
    forged.started("a", 2).succeeded("a", 2);

    assertThat(lost()).containsExactly(Rule.NO_LOST_ATTEMPT);
  }

  @Test
  void an_attempt_whose_run_is_delivered_again_is_lost_once() {
    forged.created("a", "free", RunKeys.NONE).requested("a").started("a", 1).after(MINUTE);
    forged.requested("a").started("a", 2).succeeded("a", 2);

    assertThat(lost()).containsExactly(Rule.NO_LOST_ATTEMPT);
  }

  @Test
  void attempts_that_end_are_not_lost_however_they_do() {
    forged.created("a", "free", RunKeys.NONE).requested("a").started("a", 1).released("a", 1);
    forged.requested("a").started("a", 2).succeeded("a", 2);
    forged.created("b", "free", RunKeys.NONE).requested("b").started("b", 1).failed("b", 1);
    forged.created("c", "free", RunKeys.NONE).requested("c").requested("c").cancelled("c");

    assertThat(broken()).isEmpty();
    assertThat(lost()).isEmpty();
  }

  @Test
  void a_second_call_for_an_attempt_is_found() {
    succeeds("a").effects.add(new Effect("a", 1));

    assertThat(broken()).containsExactly(Rule.ONE_EFFECT);
  }

  @Test
  void a_call_for_an_attempt_that_was_never_started_is_found() {
    succeeds("a").effects.add(new Effect("a", 2));

    assertThat(broken()).containsExactly(Rule.ONE_EFFECT);
  }

  @Test
  void a_success_without_effect_is_found() {
    succeeds("a").effects.clear();

    assertThat(broken()).containsExactly(Rule.EFFECT_OF_SUCCESS);
  }

  @Test
  void two_active_runs_of_a_singleton_key_are_found() {
    forged.created("a", "free", SINGLE).created("b", "free", SINGLE);
    forged.cancelled("a").cancelled("b");

    assertThat(broken()).containsExactly(Rule.SINGLETON);
  }

  @Test
  void a_singleton_key_may_be_used_again_after_the_end() {
    forged.created("a", "free", SINGLE).cancelled("a");
    forged.created("b", "free", SINGLE).cancelled("b");

    assertThat(broken()).isEmpty();
  }

  @Test
  void a_second_run_of_an_owned_idempotency_key_is_found() {
    RunKeys keys = new RunKeys(null, "key", IdempotencyTtl.of(Duration.ofDays(1)), null);
    forged.created("a", "free", keys).cancelled("a");
    forged.created("b", "free", keys).cancelled("b");

    assertThat(broken()).containsExactly(Rule.IDEMPOTENCY);
  }

  @Test
  void an_idempotency_key_may_be_used_again_when_it_has_expired_or_its_run_failed() {
    RunKeys keys = new RunKeys(null, "key", IdempotencyTtl.of(MINUTE), null);
    forged.created("a", "free", keys).cancelled("a").after(MINUTE);
    forged.created("b", "free", keys).started("b", 1).failed("b", 1);
    forged.created("c", "free", keys).cancelled("c");

    assertThat(broken()).isEmpty();
  }

  @Test
  void a_key_that_has_expired_by_one_clock_may_be_used_again_by_a_process_whose_clock_is_behind() {
    RunKeys keys = new RunKeys(null, "key", IdempotencyTtl.of(MINUTE), null);
    forged.created("a", "free", keys).cancelled("a").after(MINUTE.minusSeconds(30));
    forged.created("b", "free", keys).cancelled("b");
    HistoryChecker halfMinute = new HistoryChecker(List.of(), Duration.ofSeconds(30));

    assertThat(halfMinute.violations(forged.state())).isEmpty();
    assertThat(broken()).containsExactly(Rule.IDEMPOTENCY);
  }

  @Test
  void an_idempotency_key_may_be_used_again_when_an_operator_has_freed_it() {
    RunKeys keys = new RunKeys(null, "key", IdempotencyTtl.of(Duration.ofDays(1)), null);
    forged.created("a", "free", keys).cancelled("a");
    KeyReset reset = new KeyReset("task", "key", forged.now());
    forged.created("b", "free", keys).cancelled("b");

    assertThat(checker.withResets(List.of(reset)).violations(forged.state())).isEmpty();
  }

  @Test
  void a_key_that_was_freed_before_its_run_had_ended_is_still_owned() {
    RunKeys keys = new RunKeys(null, "key", IdempotencyTtl.of(Duration.ofDays(1)), null);
    KeyReset reset = new KeyReset("task", "key", forged.now());
    forged.after(MINUTE).created("a", "free", keys).cancelled("a");
    forged.created("b", "free", keys).cancelled("b");

    assertThat(checker.withResets(List.of(reset)).violations(forged.state()))
        .extracting(Violation::rule)
        .containsExactly(Rule.IDEMPOTENCY);
  }

  @Test
  void what_is_claimed_or_reserved_of_a_queue_long_after_its_pause_is_found() {
    Instant paused =
        forged.created("a", "narrow", ONE).created("b", "narrow", ONE).now();
    forged.after(MINUTE).reserved("a", MINUTE).started("a", 1).succeeded("a", 1);
    forged.started("b", 1).succeeded("b", 1);
    Duration within = Duration.ofSeconds(2);

    assertThat(pausedFrom(paused, within)).hasSize(3).containsOnly(Rule.PAUSED);
    assertThat(pausedFrom(paused, MINUTE.multipliedBy(2))).isEmpty();
    assertThat(checker
            .withPauses(List.of(new Pause("free", paused, Instant.MAX)), within)
            .violations(forged.state()))
        .isEmpty();
  }

  private List<Rule> pausedFrom(Instant paused, Duration within) {
    return checker
        .withPauses(List.of(new Pause("narrow", paused, Instant.MAX)), within)
        .violations(forged.state())
        .stream()
        .map(Violation::rule)
        .toList();
  }

  @Test
  void a_partition_is_held_to_the_limit_of_each_instant() {
    forged.created("a", "narrow", ONE).created("b", "narrow", ONE).created("c", "narrow", ONE);
    Instant lowered = forged.started("a", 1).started("b", 1).now();
    forged.succeeded("a", 1).started("c", 1).succeeded("b", 1).succeeded("c", 1);
    HistoryChecker until =
        checker.withLimits((queue, at, configured) -> at.isAfter(lowered) ? 1 : 2);

    assertThat(until.violations(forged.state()))
        .singleElement()
        .extracting(Violation::found)
        .asString()
        .contains("slot 2 of 1 for c");
  }

  @Test
  void a_second_result_of_a_remote_step_is_found() {
    String step = StepIds.of("a", 0);
    forged
        .created("a", "free", RunKeys.NONE)
        .started("a", 1)
        .asked("a", step)
        .answered("a", step)
        .answered("a", step)
        .succeeded("a", 1);

    assertThat(broken()).containsExactly(Rule.STEP_RESULT_ONCE);
  }

  @Test
  void a_second_result_of_a_step_that_the_owner_does_is_found() {
    String step = StepIds.of("a", 0);
    forged
        .created("a", "free", RunKeys.NONE)
        .started("a", 1)
        .begun("a", step)
        .answered("a", step)
        .answered("a", step)
        .succeeded("a", 1);

    assertThat(broken()).containsExactly(Rule.STEP_RESULT_ONCE);
  }

  @Test
  void a_step_that_is_asked_for_again_before_it_has_a_result_is_found_and_one_after_it_is_not() {
    String step = StepIds.of("a", 0);
    forged
        .created("a", "free", RunKeys.NONE)
        .started("a", 1)
        .begun("a", step)
        .answered("a", step)
        .begun("a", step);

    assertThat(broken()).containsExactly(Rule.TERMINAL);

    forged.begun("a", step).succeeded("a", 1);

    assertThat(broken()).containsExactly(Rule.STEP_RESULT_ONCE);
  }

  @Test
  void a_lease_that_is_taken_over_while_it_lasts_is_found() {
    forged.created("a", "free", RunKeys.NONE).requested("a").started("a", 1);
    RunRecord stored = forged.projected("a");

    forged.storing(stored).started("a", 2).succeeded("a", 2);

    assertThat(broken()).contains(Rule.LIFECYCLE);
  }

  @Test
  void a_lease_that_another_worker_renews_is_found() {
    forged.created("a", "free", RunKeys.NONE).requested("a").started("a", 1);
    RunRecord stored = forged.projected("a");

    forged.storing(stored).renewedByAnother("a").succeeded("a", 1);

    assertThat(broken()).contains(Rule.LIFECYCLE);
  }

  @Test
  void an_attempt_that_begins_in_the_pause_before_it_is_found_and_one_after_it_is_not() {
    forged.created("a", "free", RunKeys.NONE).requested("a").started("a", 1);
    forged.released("a", 1, MINUTE).after(MINUTE.minusSeconds(1)).started("a", 2);
    forged.succeeded("a", 2);
    forged.created("b", "free", RunKeys.NONE).requested("b").started("b", 1);
    RunRecord stored = forged.released("b", 1, MINUTE).projected("b");

    forged.storing(stored).started("b", 2).succeeded("b", 2);

    assertThat(checker.violations(forged.state()))
        .filteredOn(violation -> violation.rule() == Rule.LIFECYCLE)
        .extracting(Violation::subject)
        .containsExactly("b");
  }

  @Test
  void a_field_that_is_not_what_the_events_say_is_found() {
    succeeds("a");

    forged.storing(forged.projected("a").toBuilder().startedAt(null).build());

    assertThat(broken()).containsExactlyInAnyOrder(Rule.REPLAY, Rule.FIELDS);
  }

  private Forgery succeeds(String runId) {
    return forged
        .created(runId, "free", RunKeys.NONE)
        .requested(runId)
        .started(runId, 1)
        .succeeded(runId, 1);
  }

  private List<Rule> lost() {
    return LostAttempts.in(forged.state().histories()).stream()
        .map(Violation::rule)
        .toList();
  }

  private Set<Rule> broken() {
    return checker.violations(forged.state()).stream()
        .map(Violation::rule)
        .collect(Collectors.toSet());
  }
}
