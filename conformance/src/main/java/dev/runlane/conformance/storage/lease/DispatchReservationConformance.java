package dev.runlane.conformance.storage.lease;

import static dev.runlane.conformance.given.TestRuns.cancellationRequested;
import static dev.runlane.conformance.given.TestRuns.cancelled;
import static dev.runlane.conformance.given.TestRuns.queued;
import static dev.runlane.conformance.given.TestRuns.released;
import static dev.runlane.conformance.given.TestRuns.reserved;
import static dev.runlane.conformance.given.TestRuns.retrying;
import static dev.runlane.conformance.given.TestRuns.running;
import static dev.runlane.conformance.kit.Given.NOON;
import static dev.runlane.conformance.kit.Given.bounded;
import static dev.runlane.conformance.kit.Given.minutes;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.conformance.given.Commands;
import dev.runlane.conformance.given.Events;
import dev.runlane.conformance.given.StoredState;
import dev.runlane.conformance.given.TestRun;
import dev.runlane.conformance.kit.Outcomes;
import dev.runlane.conformance.kit.Race;
import dev.runlane.conformance.kit.Rule;
import dev.runlane.conformance.storage.StorageConformance;
import dev.runlane.run.QueuePolicy;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunStatus;
import dev.runlane.storage.run.AppendedRun;
import dev.runlane.storage.run.ReserveRunDispatch;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Reserving is event, slot and outbox message in one, or nothing. */
@DisplayName("dispatch reservations")
public abstract class DispatchReservationConformance extends StorageConformance {
  private static final QueuePolicy ONE = bounded(1);

  @Test
  @Rule("S54")
  void a_reservation_stores_event_slot_and_outbox_message_together() {
    RunRecord run = given(queued("run_1").queue(ONE));
    ReserveRunDispatch command = Commands.reserve(run, ONE, minutes(1), NOON);

    AppendedRun reserved = Outcomes.done(storage.reserveRunDispatch(command)).orElseThrow();

    assertThat(reserved.run()).isEqualTo(command.projectedRun());
    assertThat(read("run_1")).isEqualTo(command.projectedRun());
    assertThat(reserved.run().hasLiveReservationAt(NOON)).isTrue();
    assertThat(history(run)).endsWith(reserved.events().get(0));
    assertThat(unsettledOutbox()).containsExactly("run_1");
  }

  @Test
  @Rule("S54")
  void waiting_runs_can_be_reserved_once_they_are_due() {
    for (TestRun waiting : List.of(
        retrying("run_1", minutes(10)).concurrencyKey("a"),
        released("run_2", minutes(10)).concurrencyKey("b"))) {
      RunRecord run = given(waiting.queue(ONE));

      Optional<AppendedRun> reserved = Outcomes.done(
          storage.reserveRunDispatch(Commands.reserve(run, ONE, minutes(11), minutes(10))));

      assertThat(reserved.map(each -> each.run().status())).contains(RunStatus.QUEUED);
    }
  }

  @Test
  @Rule({"S54", "m7"})
  void a_run_with_an_expired_lease_is_reserved_in_the_slot_it_holds() {
    RunRecord run = given(running("run_1", minutes(1)).queue(ONE));

    RunRecord reserved = Outcomes.done(
            storage.reserveRunDispatch(Commands.reserve(run, ONE, minutes(6), minutes(5))))
        .orElseThrow()
        .run();

    assertThat(read("run_1")).isEqualTo(reserved);
    assertThat(reserved.lease()).isNull();
    assertThat(tryClaim(given(queued("run_2").queue(ONE)), ONE, "tok_2", minutes(5)))
        .isEmpty();
    assertThat(tryClaim(reserved, ONE, "tok_3", minutes(5))).isPresent();
  }

  @Test
  @Rule("S54")
  void a_run_whose_reservation_has_expired_can_be_reserved_again() {
    RunRecord run = given(reserved("run_1", minutes(1)).queue(ONE));

    Optional<AppendedRun> again = Outcomes.done(
        storage.reserveRunDispatch(Commands.reserve(run, ONE, minutes(2), minutes(1))));

    assertThat(again).isPresent();
    assertThat(tryClaim(again.orElseThrow().run(), ONE, "tok_1", minutes(1))).isPresent();
  }

  @Test
  @Rule({"S54", "S55"})
  void a_run_whose_reservation_has_expired_needs_a_free_slot_to_be_reserved_again() {
    RunRecord lapsed = given(reserved("run_1", minutes(1)).queue(ONE));
    RunRecord other = given(queued("run_2").queue(ONE));
    assertThat(Outcomes.done(
            storage.reserveRunDispatch(Commands.reserve(other, ONE, minutes(9), minutes(1)))))
        .isPresent();

    assertRefused(Commands.reserve(lapsed, ONE, minutes(6), minutes(5)));

    assertThat(Outcomes.done(
            storage.reserveRunDispatch(Commands.reserve(lapsed, ONE, minutes(10), minutes(9)))))
        .isPresent();
  }

  @Test
  @Rule("S54")
  void a_stale_reservation_is_empty_and_changes_nothing() {
    RunRecord run = given(queued("run_1").queue(ONE));
    append(run, NOON, Events.cancelled(run, NOON));

    assertRefused(Commands.reserve(run, ONE, minutes(1), NOON));
  }

  @Test
  @Rule("S54")
  void a_reservation_of_a_run_that_does_not_exist_is_empty() {
    RunRecord missing = queued("run_1").queue(ONE).creation().projectedRun();
    RunRecord other = given(queued("run_2").queue(ONE));

    assertRefused(Commands.reserve(missing, ONE, minutes(1), NOON));

    assertThat(stored().runs()).containsExactly(other);
    assertThat(unsettledOutbox()).isEmpty();
  }

  @Test
  @Rule("S54")
  void a_second_reservation_while_the_first_is_live_is_empty() {
    RunRecord run = given(reserved("run_1", minutes(1)).queue(bounded(5)));

    assertRefused(Commands.reserve(run, bounded(5), minutes(2), NOON));
  }

  @Test
  @Rule("S54")
  void a_reservation_in_a_full_partition_is_empty_and_changes_nothing() {
    given(running("run_1", minutes(1)).queue(ONE));
    RunRecord waiting = given(queued("run_2").queue(ONE));

    assertRefused(Commands.reserve(waiting, ONE, minutes(1), NOON));
  }

  @Test
  @Rule("S52")
  void reservations_count_against_each_other() {
    given(reserved("run_1", minutes(1)).queue(ONE));
    RunRecord waiting = given(queued("run_2").queue(ONE));

    assertRefused(Commands.reserve(waiting, ONE, minutes(1), NOON));
  }

  @Test
  @Rule("S54")
  void a_run_that_is_not_due_cannot_be_reserved() {
    for (TestRun waiting : List.of(
        queued("run_1").runAt(minutes(10)).concurrencyKey("a"),
        retrying("run_2", minutes(10)).concurrencyKey("b"),
        released("run_3", minutes(10)).concurrencyKey("c"))) {
      RunRecord run = given(waiting.queue(ONE));

      assertRefused(Commands.reserveOccurring(run, ONE, minutes(11), minutes(9), minutes(10)));
    }
  }

  @Test
  @Rule("S54")
  void a_leased_run_cannot_be_reserved() {
    RunRecord run = given(running("run_1", minutes(1)).queue(bounded(5)));

    assertRefused(Commands.reserveOccurring(run, bounded(5), minutes(9), NOON, minutes(2)));
  }

  @Test
  @Rule("S54")
  void cancelling_and_terminal_runs_cannot_be_reserved() {
    RunRecord pretended = queued("run_0").queue(bounded(5)).creation().projectedRun();
    for (TestRun ineligible :
        List.of(cancellationRequested("run_1", minutes(1)), cancelled("run_2"))) {
      RunRecord run = given(ineligible.queue(bounded(5)));
      RunRecord lie = pretended.toBuilder().eventSequence(run.eventSequence()).build();

      assertRefused(Commands.reserve(lie, bounded(5), minutes(9), minutes(5)));
    }
  }

  @Test
  @Rule({"S54", "S55"})
  void of_competing_reservations_of_one_run_exactly_one_succeeds() {
    RunRecord run = given(queued("run_1").queue(bounded(5)));

    Race.Results<Optional<AppendedRun>> race = race(Race.times(
        12,
        i -> adapter ->
            adapter.reserveRunDispatch(Commands.reserve(run, bounded(5), minutes(1), NOON))));

    assertThat(race.failures()).isEmpty();
    assertThat(race.results().stream().filter(Optional::isPresent)).hasSize(1);
    assertThat(history(run)).hasSize(2);
    assertThat(unsettledOutbox()).containsExactly("run_1");
  }

  @Test
  @Rule("S55")
  void competing_reservations_of_many_runs_never_exceed_the_limit() {
    List<RunRecord> runs = givenAll(Race.times(16, i -> queued("run_" + i).queue(bounded(3))));

    Race.Results<Optional<AppendedRun>> race = race(Race.times(
        16,
        i -> adapter -> adapter.reserveRunDispatch(
            Commands.reserve(runs.get(i), bounded(3), minutes(1), NOON))));

    assertThat(race.failures()).isEmpty();
    long reserved = race.results().stream().filter(Optional::isPresent).count();
    assertThat(reserved).isBetween(1L, 3L);
    assertThat(stored().runs().stream().filter(run -> run.hasLiveReservationAt(NOON)))
        .hasSize((int) reserved);
    assertThat(unsettledOutbox()).hasSize((int) reserved);
  }

  private void assertRefused(ReserveRunDispatch command) {
    StoredState before = stored();
    assertThat(Outcomes.done(storage.reserveRunDispatch(command))).isEmpty();
    assertNothingStored(before);
  }
}
