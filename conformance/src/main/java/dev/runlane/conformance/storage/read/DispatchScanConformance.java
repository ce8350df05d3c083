package dev.runlane.conformance.storage.read;

import static dev.runlane.conformance.given.TestRuns.cancellationRequested;
import static dev.runlane.conformance.given.TestRuns.cancelled;
import static dev.runlane.conformance.given.TestRuns.queued;
import static dev.runlane.conformance.given.TestRuns.released;
import static dev.runlane.conformance.given.TestRuns.reserved;
import static dev.runlane.conformance.given.TestRuns.retrying;
import static dev.runlane.conformance.given.TestRuns.running;
import static dev.runlane.conformance.kit.Given.ENVIRONMENT;
import static dev.runlane.conformance.kit.Given.NOON;
import static dev.runlane.conformance.kit.Given.OTHER_ENVIRONMENT;
import static dev.runlane.conformance.kit.Given.bounded;
import static dev.runlane.conformance.kit.Given.minutes;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.conformance.given.Commands;
import dev.runlane.conformance.kit.Outcomes;
import dev.runlane.conformance.kit.Rule;
import dev.runlane.conformance.storage.StorageConformance;
import dev.runlane.run.QueuePolicy;
import dev.runlane.storage.read.ListRunsNeedingDispatch;
import dev.runlane.storage.read.RunnableRunRef;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Maintenance is shown the runs of bounded queues that it can reserve a slot for. */
@DisplayName("scanning for runs that need dispatch")
public abstract class DispatchScanConformance extends StorageConformance {
  private static final QueuePolicy MANY = bounded(100);
  private static final QueuePolicy ONE = bounded(1);

  @Test
  @Rule({"S35", "m7"})
  void due_runs_and_expired_leases_are_shown_by_the_instant_they_are_due() {
    given(running("run_4", minutes(3)).queue(MANY));
    given(released("run_3", minutes(2)).queue(MANY));
    given(retrying("run_2", minutes(1)).queue(MANY));
    given(queued("run_1").queue(MANY));

    assertThat(runIds(scan(MANY, minutes(3), 10)))
        .containsExactly("run_1", "run_2", "run_3", "run_4");
    assertThat(runIds(scan(MANY, minutes(3), 2))).containsExactly("run_1", "run_2");
  }

  @Test
  @Rule("S35")
  void a_queue_that_is_named_twice_counts_once_as_it_is_named_first() {
    given(queued("run_1").queue(ONE));
    given(queued("run_2").queue(ONE));

    assertThat(Outcomes.done(storage.listRunsNeedingDispatch(
            new ListRunsNeedingDispatch(ENVIRONMENT, List.of(ONE, MANY), NOON, 10))))
        .extracting(RunnableRunRef::runId)
        .containsExactly("run_1");
  }

  @Test
  @Rule("S35")
  void runs_that_are_not_due_leased_cancelling_or_terminal_are_not_shown() {
    given(queued("run_1").runAt(minutes(9)).queue(MANY));
    given(retrying("run_2", minutes(9)).queue(MANY));
    given(running("run_3", minutes(9)).queue(MANY));
    given(cancellationRequested("run_4", minutes(1)).queue(MANY));
    given(cancelled("run_5").queue(MANY));

    assertThat(scan(MANY, minutes(5), 10)).isEmpty();
  }

  @Test
  @Rule("S35")
  void a_live_reservation_hides_a_run_and_an_expired_one_does_not() {
    given(reserved("run_1", minutes(1)).queue(ONE));

    assertThat(scan(ONE, minutes(1).minusNanos(1_000), 10)).isEmpty();
    assertThat(runIds(scan(ONE, minutes(1), 10))).containsExactly("run_1");
  }

  @Test
  @Rule("S35")
  void a_run_whose_reservation_has_expired_is_due_from_then_on() {
    given(reserved("run_1", minutes(2)).queue(MANY));
    given(queued("run_2").queue(MANY).at(minutes(1)));
    given(retrying("run_3", minutes(3)).queue(MANY));

    List<RunnableRunRef> found = scan(MANY, minutes(3), 10);

    assertThat(runIds(found)).containsExactly("run_2", "run_1", "run_3");
    assertThat(found)
        .extracting(RunnableRunRef::availableAt)
        .containsExactly(minutes(1), minutes(2), minutes(3));
    assertThat(runIds(scan(MANY, minutes(3), 1))).containsExactly("run_2");
  }

  @Test
  @Rule("S35")
  void a_full_partition_does_not_starve_another_within_a_small_limit() {
    given(running("run_0", minutes(60)).queue(ONE).concurrencyKey("full"));
    for (int i = 1; i <= 10; i++) {
      given(queued("run_full_" + i).queue(ONE).concurrencyKey("full"));
    }
    given(queued("run_free").queue(ONE).concurrencyKey("free").at(minutes(1)));

    assertThat(runIds(scan(ONE, minutes(1), 1))).containsExactly("run_free");
  }

  @Test
  @Rule({"S35", "m7"})
  void a_run_with_an_expired_lease_is_shown_in_the_slot_it_holds() {
    given(running("run_1", minutes(1)).queue(ONE));
    given(queued("run_2").queue(ONE));

    assertThat(runIds(scan(ONE, minutes(2), 10))).containsExactly("run_1");
  }

  @Test
  @Rule("S35")
  void what_is_shown_can_be_reserved() {
    given(running("run_1", minutes(60)).queue(ONE).concurrencyKey("full"));
    given(queued("run_2").queue(ONE).concurrencyKey("full"));
    given(queued("run_3").queue(ONE).concurrencyKey("free"));

    for (RunnableRunRef found : scan(ONE, NOON, 10)) {
      assertThat(Outcomes.done(storage.reserveRunDispatch(
              Commands.reserve(read(found.runId()), ONE, minutes(1), NOON))))
          .isPresent();
    }

    assertThat(unsettledOutbox()).containsExactly("run_3");
  }

  @Test
  @Rule("S35")
  void only_the_named_queues_and_environment_are_shown() {
    QueuePolicy other = QueuePolicy.bounded("other", 1);
    given(queued("run_1").queue(ONE));
    given(queued("run_2").queue(other));
    given(queued("run_3").queue(ONE).environment(OTHER_ENVIRONMENT));
    given(queued("run_4"));

    assertThat(runIds(scan(ONE, NOON, 10))).containsExactly("run_1");
    assertThat(runIds(scan(other, NOON, 10))).containsExactly("run_2");
    assertThat(Outcomes.done(storage.listRunsNeedingDispatch(
            new ListRunsNeedingDispatch(ENVIRONMENT, List.of(), NOON, 10))))
        .isEmpty();
  }

  private List<RunnableRunRef> scan(QueuePolicy queue, Instant now, int limit) {
    return Outcomes.done(storage.listRunsNeedingDispatch(
        new ListRunsNeedingDispatch(ENVIRONMENT, List.of(queue), now, limit)));
  }

  private static List<String> runIds(List<RunnableRunRef> found) {
    return found.stream().map(RunnableRunRef::runId).toList();
  }
}
