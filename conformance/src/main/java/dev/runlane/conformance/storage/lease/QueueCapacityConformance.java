package dev.runlane.conformance.storage.lease;

import static dev.runlane.conformance.given.TestRuns.cancellationRequested;
import static dev.runlane.conformance.given.TestRuns.queued;
import static dev.runlane.conformance.given.TestRuns.reserved;
import static dev.runlane.conformance.given.TestRuns.running;
import static dev.runlane.conformance.kit.Given.ENVIRONMENT;
import static dev.runlane.conformance.kit.Given.NOON;
import static dev.runlane.conformance.kit.Given.OTHER_ENVIRONMENT;
import static dev.runlane.conformance.kit.Given.bounded;
import static dev.runlane.conformance.kit.Given.lease;
import static dev.runlane.conformance.kit.Given.minutes;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.conformance.given.Commands;
import dev.runlane.conformance.given.Events;
import dev.runlane.conformance.given.PartitionHistory;
import dev.runlane.conformance.given.QueueDrain;
import dev.runlane.conformance.given.StoredState;
import dev.runlane.conformance.kit.Given;
import dev.runlane.conformance.kit.Outcomes;
import dev.runlane.conformance.kit.Race;
import dev.runlane.conformance.kit.Rule;
import dev.runlane.conformance.storage.StorageConformance;
import dev.runlane.run.QueuePolicy;
import dev.runlane.run.RunDueTimes;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunRecord;
import dev.runlane.storage.StorageAdapter;
import dev.runlane.storage.read.ListRunnableRuns;
import dev.runlane.storage.read.RunnableRunRef;
import dev.runlane.storage.run.AppendedRun;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A partition of a bounded queue never holds more runs than its limit. */
@DisplayName("queue capacity")
public abstract class QueueCapacityConformance extends StorageConformance {
  private static final QueuePolicy ONE = bounded(1);

  @Test
  @Rule("S50")
  void a_claim_in_a_full_partition_is_empty_and_changes_nothing() {
    given(running("run_1", minutes(1)).queue(ONE));
    RunRecord waiting = given(queued("run_2").queue(ONE));
    StoredState before = stored();

    assertThat(tryClaim(waiting, ONE, "tok_2", NOON)).isEmpty();

    assertNothingStored(before);
  }

  @Test
  @Rule("S50")
  void a_limit_greater_than_one_is_used_to_its_end_and_no_further() {
    QueuePolicy three = bounded(3);
    List<RunRecord> runs = givenAll(Race.times(5, i -> queued("run_" + i).queue(three)));

    List<Boolean> claimed =
        runs.stream().map(run -> tryClaim(run, three, "tok", NOON).isPresent()).toList();

    assertThat(claimed).containsExactly(true, true, true, false, false);
  }

  @Test
  @Rule("S51")
  void each_concurrency_key_has_its_own_capacity() {
    given(running("run_1", minutes(1)).queue(ONE).concurrencyKey("a"));
    RunRecord same = given(queued("run_2").queue(ONE).concurrencyKey("a"));
    RunRecord other = given(queued("run_3").queue(ONE).concurrencyKey("b"));
    RunRecord without = given(queued("run_4").queue(ONE));

    assertThat(tryClaim(same, ONE, "tok_2", NOON)).isEmpty();
    assertThat(tryClaim(other, ONE, "tok_3", NOON)).isPresent();
    assertThat(tryClaim(without, ONE, "tok_4", NOON)).isPresent();
  }

  @Test
  @Rule({"S50", "commands"})
  void a_run_that_is_created_without_naming_its_queues_policy_counts_and_is_found_at_once() {
    StorageAdapter another = competitors().get(competitors().size() - 1);
    given(running("run_1", minutes(1)).queue(bounded(2)));

    RunRecord unnamed = Outcomes.done(
            another.appendRunEvents(queued("run_2").queue(bounded(2)).creation()))
        .run();

    assertThat(Outcomes.done(storage.listRunnableRuns(
            new ListRunnableRuns(Given.ENVIRONMENT, List.of(bounded(2)), Given.TASKS, NOON, 10))))
        .extracting(RunnableRunRef::runId)
        .containsExactly("run_2");
    assertThat(tryClaim(unnamed, bounded(1), "tok_2", NOON)).isEmpty();
    assertThat(tryClaim(unnamed, bounded(2), "tok_3", NOON)).isPresent();
  }

  @Test
  @Rule("S51")
  void runs_without_a_concurrency_key_share_one_partition() {
    given(running("run_1", minutes(1)).queue(ONE));
    RunRecord waiting = given(queued("run_2").queue(ONE));

    assertThat(tryClaim(waiting, ONE, "tok_2", NOON)).isEmpty();
  }

  @Test
  @Rule("S51")
  void queues_and_environments_do_not_share_capacity() {
    given(running("run_1", minutes(1)).queue(ONE));
    QueuePolicy otherQueue = QueuePolicy.bounded("other", 1);
    RunRecord elsewhere = given(queued("run_2").queue(ONE).environment(OTHER_ENVIRONMENT));
    RunRecord other = given(queued("run_3").queue(otherQueue));

    assertThat(tryClaim(elsewhere, ONE, "tok_2", NOON)).isPresent();
    assertThat(tryClaim(other, otherQueue, "tok_3", NOON)).isPresent();
  }

  @Test
  @Rule("S52")
  void a_live_reservation_takes_a_slot_and_an_expired_one_does_not() {
    given(reserved("run_1", minutes(1)).queue(ONE));
    RunRecord waiting = given(queued("run_2").queue(ONE));

    assertThat(tryClaim(waiting, ONE, "tok_2", minutes(1).minusNanos(1_000))).isEmpty();
    assertThat(tryClaim(waiting, ONE, "tok_2", minutes(1))).isPresent();
  }

  @Test
  @Rule({"S53", "m7"})
  void a_reserved_run_needs_no_second_slot_to_be_claimed() {
    RunRecord run = given(reserved("run_1", minutes(1)).queue(ONE));

    assertThat(tryClaim(run, ONE, "tok_1", NOON)).isPresent();
    assertThat(tryClaim(given(queued("run_2").queue(ONE)), ONE, "tok_2", NOON)).isEmpty();
  }

  @Test
  @Rule("m7")
  void a_run_with_an_expired_lease_keeps_its_slot_until_it_is_taken_over() {
    RunRecord lost = given(running("run_1", minutes(1)).queue(ONE));
    RunRecord waiting = given(queued("run_2").queue(ONE));

    assertThat(tryClaim(waiting, ONE, "tok_2", minutes(5))).isEmpty();
    assertThat(tryClaim(lost, ONE, "tok_3", minutes(5))).isPresent();
    assertThat(tryClaim(waiting, ONE, "tok_2", minutes(5))).isEmpty();
  }

  @Test
  @Rule("m7")
  void a_run_that_was_asked_to_cancel_keeps_its_slot_even_past_its_lease() {
    given(cancellationRequested("run_1", minutes(1)).queue(ONE));
    RunRecord waiting = given(queued("run_2").queue(ONE));

    assertThat(tryClaim(waiting, ONE, "tok_2", minutes(5))).isEmpty();
  }

  @Test
  @Rule("S56")
  void every_end_of_an_attempt_frees_its_slot() {
    List<Function<RunRecord, RunEvent>> ends = List.of(
        run -> Events.succeeded(run, NOON),
        run -> Events.failed(run, NOON),
        run -> Events.retryScheduled(run, NOON, minutes(60)),
        run -> Events.released(run, NOON, minutes(60)));
    for (int i = 0; i < ends.size(); i++) {
      String partition = "partition_" + i;
      RunRecord run = given(running("run_a" + i, minutes(1)).queue(ONE).concurrencyKey(partition));
      RunRecord next = given(queued("run_b" + i).queue(ONE).concurrencyKey(partition));

      append(run, NOON, ends.get(i).apply(run));

      assertThat(tryClaim(next, ONE, "tok_b", NOON)).as(partition).isPresent();
    }
  }

  @Test
  @Rule("S56")
  void a_cancellation_frees_the_slot_of_a_cancelling_and_of_a_reserved_run() {
    RunRecord cancelling =
        given(cancellationRequested("run_1", minutes(1)).queue(ONE).concurrencyKey("a"));
    RunRecord reserved = given(reserved("run_2", minutes(1)).queue(ONE).concurrencyKey("b"));

    append(cancelling, NOON, Events.cancelled(cancelling, NOON));
    append(reserved, NOON, Events.cancelled(reserved, NOON));

    RunRecord nextA = given(queued("run_3").queue(ONE).concurrencyKey("a"));
    RunRecord nextB = given(queued("run_4").queue(ONE).concurrencyKey("b"));
    assertThat(tryClaim(nextA, ONE, "tok_3", NOON)).isPresent();
    assertThat(tryClaim(nextB, ONE, "tok_4", NOON)).isPresent();
  }

  @Test
  @Rule("S56")
  void the_end_of_a_run_that_holds_no_slot_frees_none() {
    given(running("run_1", minutes(1)).queue(ONE));
    RunRecord waiting = given(queued("run_2").queue(ONE));
    RunRecord next = given(queued("run_3").queue(ONE));

    append(waiting, NOON, Events.cancelled(waiting, NOON));

    assertThat(tryClaim(next, ONE, "tok_3", NOON)).isEmpty();
  }

  @Test
  @Rule("S50")
  void competing_claims_of_many_runs_never_exceed_the_limit() {
    QueuePolicy three = bounded(3);
    List<RunRecord> runs = givenAll(Race.times(16, i -> queued("run_" + i).queue(three)));

    Race.Results<Optional<AppendedRun>> race = race(Race.times(
        32,
        i -> adapter -> adapter.claimRunLease(Commands.claim(
            runs.get(i % runs.size()), three, lease("tok_" + i, minutes(1)), NOON))));

    assertThat(race.failures()).isEmpty();
    assertThat(occupiedSlots(NOON)).isLessThanOrEqualTo(3);
    claimWhatIsLeft(three);
    assertThat(occupiedSlots(NOON)).isEqualTo(3);
    assertThat(mostEverOccupied()).isEqualTo(3);
  }

  @Test
  @Rule("S55")
  void competing_claims_and_reservations_together_never_exceed_the_limit() {
    QueuePolicy three = bounded(3);
    List<RunRecord> runs = givenAll(Race.times(16, i -> queued("run_" + i).queue(three)));

    Race.Results<Optional<AppendedRun>> race = race(Race.times(32, i -> {
      RunRecord run = runs.get(i / 2);
      return adapter -> i % 2 == 0
          ? adapter.claimRunLease(Commands.claim(run, three, lease("tok_" + i, minutes(1)), NOON))
          : adapter.reserveRunDispatch(Commands.reserve(run, three, minutes(1), NOON));
    }));

    assertThat(race.failures()).isEmpty();
    assertThat(occupiedSlots(NOON)).isLessThanOrEqualTo(3);
    claimWhatIsLeft(three);
    assertThat(occupiedSlots(NOON)).isEqualTo(3);
    assertThat(mostEverOccupied()).isEqualTo(3);
  }

  @Test
  @Rule({"S50", "S56"})
  void slots_that_are_freed_and_taken_in_turn_never_exceed_the_limit() {
    QueuePolicy two = bounded(2);
    List<String> ids = givenAll(Race.times(24, i -> queued("run_" + i).queue(two))).stream()
        .map(RunRecord::id)
        .toList();

    Race.Results<Integer> race =
        race(Race.times(6, i -> adapter -> new QueueDrain(adapter, two, ids, i).run()));

    assertThat(race.failures()).isEmpty();
    assertThat(race.results().stream().mapToInt(Integer::intValue).sum()).isEqualTo(24);
    assertThat(stored().runs())
        .allSatisfy(run -> assertThat(run.status().isTerminal()).isTrue());
    assertThat(mostEverOccupied()).isBetween(1L, 2L);
  }

  /** A claim may lose to a competitor that then loses too; alone, nothing is in its way. */
  private void claimWhatIsLeft(QueuePolicy queue) {
    for (RunRecord run : stored().runs()) {
      if (RunDueTimes.isRunnableAt(run, NOON)) {
        tryClaim(run, queue, "tok_last", NOON);
      }
    }
  }

  private long occupiedSlots(Instant now) {
    return stored().runs().stream().filter(run -> run.occupiesSlotAt(now)).count();
  }

  private long mostEverOccupied() {
    return PartitionHistory.mostOccupied(StoredState.events(storage, ENVIRONMENT));
  }
}
