package dev.runlane.conformance.storage.run;

import static dev.runlane.conformance.given.TestRuns.queued;
import static dev.runlane.conformance.given.TestRuns.running;
import static dev.runlane.conformance.given.TestRuns.scheduled;
import static dev.runlane.conformance.kit.Given.ENVIRONMENT;
import static dev.runlane.conformance.kit.Given.NOON;
import static dev.runlane.conformance.kit.Given.OTHER_ENVIRONMENT;
import static dev.runlane.conformance.kit.Given.UNBOUNDED;
import static dev.runlane.conformance.kit.Given.minutes;
import static dev.runlane.conformance.kit.Outcomes.assertConflict;
import static dev.runlane.run.StorageConflictKind.EVENT_SEQUENCE;
import static dev.runlane.run.StorageConflictKind.LEASE_OWNERSHIP;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.conformance.given.Commands;
import dev.runlane.conformance.given.Events;
import dev.runlane.conformance.given.StoredState;
import dev.runlane.conformance.kit.Given;
import dev.runlane.conformance.kit.Outcomes;
import dev.runlane.conformance.kit.Rule;
import dev.runlane.conformance.storage.StorageConformance;
import dev.runlane.run.Json;
import dev.runlane.run.Lease;
import dev.runlane.run.RunEventType;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunStatus;
import dev.runlane.storage.read.RunEventRecord;
import dev.runlane.storage.run.AppendRunEvents;
import dev.runlane.storage.run.AppendedRun;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Events, projection and outbox messages are stored together and returned as they are stored. */
@DisplayName("appending events")
public abstract class AppendConformance extends StorageConformance {
  @Test
  @Rule("S01")
  void a_created_run_is_stored_from_sequence_one_as_the_reducer_projected_it() {
    AppendRunEvents creation = queued("run_1").creation();

    AppendedRun created = appended(creation);

    assertThat(created.run()).isEqualTo(creation.projectedRun());
    assertThat(read("run_1")).isEqualTo(creation.projectedRun());
    assertThat(created.events()).extracting(RunEventRecord::sequence).containsExactly(1L, 2L);
    assertThat(created.events())
        .extracting(RunEventRecord::event)
        .containsExactlyElementsOf(creation.events());
  }

  @Test
  @Rule("S02")
  void the_events_of_one_command_get_consecutive_sequences() {
    RunRecord run = given(running("run_1", minutes(1)));

    AppendedRun appended = append(
        run,
        NOON,
        Events.heartbeat(run, NOON, Given.lease("tok_run_1", minutes(2))),
        Events.cancellationRequested(run, NOON),
        Events.succeeded(run, NOON));

    long before = run.eventSequence();
    assertThat(appended.events())
        .extracting(RunEventRecord::sequence)
        .containsExactly(before + 1, before + 2, before + 3);
    assertThat(appended.run().eventSequence()).isEqualTo(before + 3);
    assertThat(read("run_1")).isEqualTo(appended.run());
  }

  @Test
  @Rule("S08")
  void returned_events_are_the_very_rows_of_the_history() {
    List<RunEventRecord> returned = new ArrayList<>();
    AppendedRun created = appended(queued("run_1").creation());
    returned.addAll(created.events());
    AppendedRun claimed = Outcomes.done(storage.claimRunLease(
            Commands.claim(created.run(), Given.UNBOUNDED, Given.lease("tok_1", minutes(1)), NOON)))
        .orElseThrow();
    returned.addAll(claimed.events());
    AppendedRun extended = Outcomes.done(
        storage.heartbeatRunLease(Commands.heartbeat(claimed.run(), minutes(2), NOON)));
    returned.addAll(extended.events());
    AppendedRun ended = append(extended.run(), NOON, Events.succeeded(extended.run(), NOON));
    returned.addAll(ended.events());

    List<RunEventRecord> history = history(ended.run());

    assertThat(history).containsExactlyElementsOf(returned);
    assertThat(history)
        .extracting(event -> event.event().type())
        .containsExactly(
            RunEventType.CREATED,
            RunEventType.DELIVERY_REQUESTED,
            RunEventType.LEASE_CLAIMED,
            RunEventType.STARTED,
            RunEventType.LEASE_HEARTBEAT,
            RunEventType.SUCCEEDED);
  }

  @Test
  @Rule("S08")
  void a_reservation_returns_the_very_row_of_the_history() {
    RunRecord run = given(queued("run_1").queue(Given.bounded(1)));

    AppendedRun reserved = Outcomes.done(
            storage.reserveRunDispatch(Commands.reserve(run, Given.bounded(1), minutes(1), NOON)))
        .orElseThrow();

    assertThat(reserved.events()).hasSize(1);
    assertThat(history(run)).endsWith(reserved.events().get(0));
  }

  @Test
  @Rule("S10")
  void each_delivery_request_makes_one_outbox_message_and_nothing_else_does() {
    RunRecord queued = given(queued("run_1"));
    append(queued, NOON, Events.delivery(queued, NOON, NOON));
    given(running("run_2", minutes(1)));
    given(queued("run_3").queue(Given.bounded(1)));

    assertThat(unsettledOutbox()).containsExactlyInAnyOrder("run_1", "run_1", "run_2");
  }

  @Test
  @Rule("S10")
  void an_outbox_message_is_due_when_its_delivery_request_says() {
    given(scheduled("run_1", minutes(10)));

    assertThat(claimOutbox(minutes(10).minusNanos(1_000), 10)).isEmpty();
    assertThat(claimOutbox(minutes(10), 10))
        .extracting(message -> message.availableAt())
        .containsExactly(minutes(10));
  }

  @Test
  @Rule("S11")
  void the_same_run_id_in_two_environments_is_two_runs() {
    RunRecord here = given(running("run_1", minutes(1)));
    RunRecord there = given(
        queued("run_1").environment(OTHER_ENVIRONMENT).payload(Json.ofChecked("{\"order\":8}")));

    RunRecord ended = append(here, NOON, Events.succeeded(here, NOON)).run();

    assertThat(find(ENVIRONMENT, "run_1")).contains(ended);
    assertThat(find(OTHER_ENVIRONMENT, "run_1")).contains(there);
    assertThat(StoredState.of(storage, OTHER_ENVIRONMENT).events()).hasSize(2);
    assertThat(StoredState.of(storage, OTHER_ENVIRONMENT).runs()).containsExactly(there);
  }

  @Test
  @Rule("m16")
  void an_outcome_after_the_end_of_its_lease_is_stored_if_nobody_took_the_run_over() {
    RunRecord run = given(running("run_1", minutes(1)));

    AppendedRun ended = append(run, minutes(5), Events.succeeded(run, minutes(5)));

    assertThat(read("run_1")).isEqualTo(ended.run());
    assertThat(ended.run().status()).isEqualTo(RunStatus.SUCCEEDED);
    assertThat(ended.run().lease()).isNull();
  }

  @Test
  @Rule("m16")
  void an_outcome_after_a_takeover_is_a_conflict_and_stores_nothing() {
    RunRecord run = given(running("run_1", minutes(1)));
    claim(run, UNBOUNDED, "tok_2", minutes(1));
    StoredState before = stored();

    assertConflict(
        storage.appendRunEvents(
            Commands.append(run, minutes(5), Events.succeeded(run, minutes(5)))),
        EVENT_SEQUENCE);

    assertNothingStored(before);
  }

  @Test
  @Rule("S45")
  void an_append_that_names_its_lease_is_stored_while_that_is_in_force() {
    RunRecord run = given(running("run_1", minutes(1)));
    RunRecord other = given(running("run_2", minutes(1)));

    AppendedRun ended = appended(Commands.append(run, minutes(5), Events.succeeded(run, minutes(5)))
        .whileHeld(lease(run).until(NOON)));
    AppendedRun waiting =
        appended(Commands.append(other, minutes(5), Events.released(other, minutes(5), minutes(9)))
            .whileHeld(lease(other)));

    assertThat(read("run_1")).isEqualTo(ended.run());
    assertThat(read("run_2")).isEqualTo(waiting.run());
  }

  @Test
  @Rule("S45")
  void an_append_that_names_another_lease_is_a_conflict_also_at_the_same_sequence() {
    RunRecord run = given(running("run_1", minutes(1)));
    Lease own = lease(run);
    StoredState before = stored();

    for (Lease other : List.of(
        new Lease("tok_other", own.workerId(), own.expiresAt()),
        new Lease(own.token(), "wrk_other", own.expiresAt()))) {
      assertConflict(
          storage.appendRunEvents(
              Commands.append(run, NOON, Events.succeeded(run, NOON)).whileHeld(other)),
          LEASE_OWNERSHIP);
      assertConflict(
          storage.appendRunEvents(
              Commands.append(run, NOON, Events.released(run, NOON, minutes(9))).whileHeld(other)),
          LEASE_OWNERSHIP);
    }

    assertNothingStored(before);
  }

  @Test
  @Rule("S45")
  void an_append_of_who_was_overtaken_is_a_conflict_over_the_lease() {
    RunRecord run = given(running("run_1", minutes(1)));
    claim(run, UNBOUNDED, "tok_2", minutes(1));
    RunRecord unknown = run.toBuilder().id("run_unknown").build();
    StoredState before = stored();

    for (RunRecord each : List.of(run, unknown)) {
      assertConflict(
          storage.appendRunEvents(
              Commands.append(each, minutes(5), Events.succeeded(each, minutes(5)))
                  .whileHeld(lease(run))),
          LEASE_OWNERSHIP);
      assertConflict(
          storage.appendRunEvents(AppendRunEvents.of(each, List.of(), minutes(5)) // says nothing
              .whileHeld(lease(run))),
          LEASE_OWNERSHIP);
    }

    assertNothingStored(before);
  }

  private static Lease lease(RunRecord run) {
    return Objects.requireNonNull(run.lease());
  }
}
