package dev.runlane.conformance.storage.lease;

import static dev.runlane.conformance.given.TestRuns.queued;
import static dev.runlane.conformance.given.TestRuns.reserved;
import static dev.runlane.conformance.given.TestRuns.running;
import static dev.runlane.conformance.kit.Given.NOON;
import static dev.runlane.conformance.kit.Given.TTL_HOUR;
import static dev.runlane.conformance.kit.Given.UNBOUNDED;
import static dev.runlane.conformance.kit.Given.bounded;
import static dev.runlane.conformance.kit.Given.lease;
import static dev.runlane.conformance.kit.Given.minutes;
import static dev.runlane.conformance.kit.Outcomes.assertConflict;
import static dev.runlane.run.StorageConflictKind.QUEUE_CAPACITY;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.conformance.given.Commands;
import dev.runlane.conformance.given.Events;
import dev.runlane.conformance.given.StoredState;
import dev.runlane.conformance.given.TestRun;
import dev.runlane.conformance.kit.Race;
import dev.runlane.conformance.kit.Rule;
import dev.runlane.conformance.storage.StorageConformance;
import dev.runlane.run.QueuePolicy;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunStatus;
import dev.runlane.storage.StorageAdapter;
import dev.runlane.storage.run.AppendRunEvents;
import dev.runlane.storage.run.AppendedRun;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A run may be created with its first lease, if its queue has room for it. */
@DisplayName("creating runs with their first lease")
public abstract class FirstLeaseConformance extends StorageConformance {
  private static final QueuePolicy ONE = bounded(1);

  @Test
  @Rule("commands")
  void a_run_created_with_a_lease_is_running_and_has_no_outbox_message() {
    AppendRunEvents creation =
        queued("run_1").queue(UNBOUNDED).creationWithLease(lease("tok_1", minutes(1)));

    AppendedRun created = appended(creation);

    assertThat(created.run()).isEqualTo(creation.projectedRun());
    assertThat(read("run_1")).isEqualTo(creation.projectedRun());
    assertThat(created.run().status()).isEqualTo(RunStatus.RUNNING);
    assertThat(history(created.run()))
        .containsExactlyElementsOf(created.events())
        .hasSize(3);
    assertThat(unsettledOutbox()).isEmpty();
  }

  @Test
  @Rule("commands")
  void a_run_is_created_with_its_lease_though_the_callers_time_is_before_its_events() {
    AppendRunEvents creation =
        queued("run_1").queue(ONE).creationWithLease(lease("tok_1", minutes(1)));

    AppendedRun created = appended(new AppendRunEvents(
        creation.environment(),
        creation.runId(),
        creation.expectedSequence(),
        creation.events(),
        creation.projectedRun(),
        creation.queuePolicy(),
        creation.now().minusSeconds(1),
        creation.claimOutboxFor()));

    assertThat(created.run()).isEqualTo(creation.projectedRun());
    assertThat(read("run_1")).isEqualTo(creation.projectedRun());
  }

  @Test
  @Rule("m15")
  void a_run_created_with_a_lease_takes_a_slot() {
    appended(queued("run_1").queue(ONE).creationWithLease(lease("tok_1", minutes(1))));
    RunRecord waiting = given(queued("run_2").queue(ONE));

    assertThat(tryClaim(waiting, ONE, "tok_2", NOON)).isEmpty();
  }

  @Test
  @Rule("m15")
  void creation_with_a_lease_in_a_full_partition_is_a_capacity_conflict_and_stores_nothing() {
    given(running("run_1", minutes(1)).queue(ONE));
    StoredState before = stored();
    TestRun refused =
        queued("run_2").queue(ONE).idempotencyKey("key", TTL_HOUR).singletonKey("one");

    assertConflict(
        storage.appendRunEvents(refused.creationWithLease(lease("tok_2", minutes(1)))),
        QUEUE_CAPACITY);

    assertNothingStored(before);
    assertThat(owner("key", NOON)).isEmpty();
    given(queued("run_3").idempotencyKey("key", TTL_HOUR).singletonKey("one"));
  }

  @Test
  @Rule("m15")
  void reservations_leave_no_room_for_a_first_lease() {
    given(reserved("run_1", minutes(1)).queue(ONE));

    assertConflict(
        storage.appendRunEvents(
            queued("run_2").queue(ONE).creationWithLease(lease("tok_2", minutes(1)))),
        QUEUE_CAPACITY);
  }

  @Test
  @Rule("m15")
  void a_partition_with_free_slots_is_not_full_while_others_end_its_runs() {
    QueuePolicy roomy = bounded(24);
    List<RunRecord> ending = new ArrayList<>();
    for (int i = 0; i < 12; i++) {
      ending.add(given(running("run_end_" + i, minutes(1)).queue(roomy)));
    }
    List<Function<StorageAdapter, Future<AppendedRun>>> contenders = new ArrayList<>();
    for (int i = 0; i < ending.size(); i++) {
      RunRecord run = ending.get(i);
      TestRun fresh = queued("run_new_" + i).queue(roomy);
      contenders.add(adapter ->
          adapter.appendRunEvents(Commands.append(run, NOON, Events.succeeded(run, NOON))));
      contenders.add(adapter -> adapter.appendRunEvents(
          fresh.creationWithLease(lease("tok_" + fresh.creation().runId(), minutes(1)))));
    }

    Race.Results<AppendedRun> race = race(contenders);

    assertThat(race.failures()).isEmpty();
  }

  @Test
  @Rule("m15")
  void a_full_partition_does_not_keep_runs_from_being_created_without_a_lease() {
    given(running("run_1", minutes(1)).queue(ONE));

    given(queued("run_2").queue(ONE));

    assertThat(read("run_2").status()).isEqualTo(RunStatus.QUEUED);
  }

  @Test
  @Rule({"m15", "S50"})
  void competing_creations_with_a_lease_never_exceed_the_limit() {
    Race.Results<AppendedRun> race = race(Race.times(
        12,
        i -> adapter -> adapter.appendRunEvents(queued("run_" + i)
            .queue(bounded(3))
            .creationWithLease(lease("tok_" + i, minutes(1))))));

    assertThat(race.results()).hasSizeBetween(1, 3);
    assertAllConflict(race.failures(), QUEUE_CAPACITY);
    assertThat(stored().runs()).hasSameSizeAs(race.results());
  }
}
