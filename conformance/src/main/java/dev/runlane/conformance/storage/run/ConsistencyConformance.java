package dev.runlane.conformance.storage.run;

import static dev.runlane.conformance.given.TestRuns.queued;
import static dev.runlane.conformance.given.TestRuns.running;
import static dev.runlane.conformance.kit.Given.ENVIRONMENT;
import static dev.runlane.conformance.kit.Given.NOON;
import static dev.runlane.conformance.kit.Given.OTHER_ENVIRONMENT;
import static dev.runlane.conformance.kit.Given.UNBOUNDED;
import static dev.runlane.conformance.kit.Given.minutes;
import static dev.runlane.conformance.kit.Outcomes.assertFails;
import static dev.runlane.run.ErrorCode.ADAPTER_CONTRACT_VIOLATION;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.conformance.given.Commands;
import dev.runlane.conformance.given.Events;
import dev.runlane.conformance.given.StoredState;
import dev.runlane.conformance.kit.Given;
import dev.runlane.conformance.kit.Outcomes;
import dev.runlane.conformance.kit.Rule;
import dev.runlane.conformance.storage.StorageConformance;
import dev.runlane.run.DeliveryIntent;
import dev.runlane.run.QueuePolicy;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunRecord;
import dev.runlane.storage.outbox.ClaimedOutboxMessage;
import dev.runlane.storage.run.AppendRunEvents;
import dev.runlane.storage.run.ClaimRunLease;
import dev.runlane.storage.run.HeartbeatRunLease;
import dev.runlane.storage.run.ReserveRunDispatch;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A current command whose parts do not fit together is refused whole. */
@DisplayName("checking that commands are consistent")
public abstract class ConsistencyConformance extends StorageConformance {
  @Test
  @Rule("S06")
  void an_event_of_another_run_is_a_contract_violation() {
    RunRecord run = given(queued("run_1"));
    RunRecord other = run.toBuilder().environment(ENVIRONMENT).id("run_2").build();
    RunRecord projected = Commands.project(run, List.of(Events.cancelled(run, NOON)));

    assertRefused(append(run, List.of(Events.cancelled(other, NOON)), projected));
  }

  @Test
  @Rule({"S06", "S10"})
  void a_delivery_of_another_run_environment_or_queue_is_a_contract_violation() {
    RunRecord run = given(queued("run_1"));
    given(queued("run_2"));
    List<ClaimedOutboxMessage> before = claimOutbox(NOON, 10);

    for (DeliveryIntent other : deliveriesOfOthers(run, null)) {
      RunEvent.DeliveryRequested event =
          new RunEvent.DeliveryRequested(Events.header(run, NOON), other);
      assertRefused(append(
          run,
          List.of(event),
          run.toBuilder().eventSequence(run.eventSequence() + 1).build()));
    }

    assertThat(claimOutbox(Given.NEXT_YEAR, 10)).hasSameSizeAs(before).hasSize(2);
  }

  @Test
  @Rule({"S06", "S54"})
  void a_reservation_that_delivers_another_run_environment_or_queue_is_a_contract_violation() {
    RunRecord run = given(queued("run_1").queue(Given.bounded(1)));
    ReserveRunDispatch reservation = Commands.reserve(run, Given.bounded(1), minutes(1), NOON);
    StoredState before = stored();

    for (DeliveryIntent other : deliveriesOfOthers(run, minutes(1))) {
      assertFails(
          storage.reserveRunDispatch(new ReserveRunDispatch(
              ENVIRONMENT,
              "run_1",
              run.eventSequence(),
              new RunEvent.DeliveryRequested(Events.header(run, NOON), other),
              reservation.projectedRun(),
              Given.bounded(1),
              NOON)),
          ADAPTER_CONTRACT_VIOLATION);
    }

    assertNothingStored(before);
    assertThat(unsettledOutbox()).isEmpty();
    assertThat(Outcomes.done(storage.reserveRunDispatch(reservation))).isPresent();
  }

  @Test
  @Rule("S06")
  void an_event_of_another_environment_is_a_contract_violation() {
    RunRecord run = given(queued("run_1"));
    RunRecord other = run.toBuilder().environment(OTHER_ENVIRONMENT).id("run_1").build();
    RunRecord projected = Commands.project(run, List.of(Events.cancelled(run, NOON)));

    assertRefused(append(run, List.of(Events.cancelled(other, NOON)), projected));
  }

  @Test
  @Rule("S06")
  void a_projection_of_another_run_or_environment_is_a_contract_violation() {
    RunRecord run = given(queued("run_1"));
    List<RunEvent> events = List.of(Events.cancelled(run, NOON));
    RunRecord projected = Commands.project(run, events);

    assertRefused(append(
        run, events, projected.toBuilder().environment(ENVIRONMENT).id("run_2").build()));
    assertRefused(append(
        run,
        events,
        projected.toBuilder().environment(OTHER_ENVIRONMENT).id("run_1").build()));
  }

  @Test
  @Rule("S07")
  void a_projection_whose_sequence_does_not_fit_the_events_is_a_contract_violation() {
    RunRecord run = given(queued("run_1"));
    List<RunEvent> events = List.of(Events.cancelled(run, NOON));
    RunRecord projected = Commands.project(run, events);

    assertRefused(append(run, events, projected.toBuilder().eventSequence(9).build()));
    assertRefused(append(
        run, events, projected.toBuilder().eventSequence(run.eventSequence()).build()));
  }

  @Test
  @Rule("S07")
  void an_append_without_events_is_a_contract_violation() {
    RunRecord run = given(queued("run_1"));

    assertRefused(append(run, List.of(), run));
  }

  @Test
  @Rule({"S07", "commands"})
  void an_append_may_take_a_lease_only_while_it_creates_the_run() {
    RunRecord run = given(queued("run_1"));
    RunEvent lease = Events.leaseClaimed(run, NOON, Given.lease("tok_1", minutes(1)));

    assertRefused(Commands.append(run, NOON, lease).in(UNBOUNDED));
  }

  @Test
  @Rule({"S07", "commands"})
  void a_creation_that_takes_a_lease_must_carry_the_policy_of_its_queue() {
    AppendRunEvents creation = queued("run_1").creationWithLease(Given.lease("tok", minutes(1)));

    assertRefused(new AppendRunEvents(
        creation.environment(),
        creation.runId(),
        0,
        creation.events(),
        creation.projectedRun(),
        null,
        NOON,
        null));
    assertRefused(creation.in(QueuePolicy.unbounded("emails")));
  }

  @Test
  @Rule({"S06", "S40"})
  void a_claim_whose_projection_does_not_carry_its_lease_is_a_contract_violation() {
    RunRecord run = given(queued("run_1"));
    ClaimRunLease claim = Commands.claim(run, UNBOUNDED, Given.lease("tok_1", minutes(1)), NOON);
    RunRecord other =
        claim.projectedRun().toBuilder().lease(Given.lease("tok_2", minutes(1))).build();
    StoredState before = stored();

    assertFails(
        storage.claimRunLease(new ClaimRunLease(
            ENVIRONMENT,
            "run_1",
            claim.expectedSequence(),
            claim.events(),
            other,
            UNBOUNDED,
            NOON)),
        ADAPTER_CONTRACT_VIOLATION);

    assertNothingStored(before);
  }

  @Test
  @Rule({"S06", "S40"})
  void a_claim_must_carry_a_lease_and_at_most_a_start() {
    RunRecord run = given(queued("run_1"));
    List<RunEvent> events = List.of(Events.cancelled(run, NOON));
    StoredState before = stored();

    assertFails(
        storage.claimRunLease(new ClaimRunLease(
            ENVIRONMENT,
            "run_1",
            run.eventSequence(),
            events,
            Commands.project(run, events),
            UNBOUNDED,
            NOON)),
        ADAPTER_CONTRACT_VIOLATION);

    assertNothingStored(before);
  }

  @Test
  @Rule({"S07", "S45"})
  void a_heartbeat_whose_projection_is_at_another_sequence_is_a_contract_violation() {
    RunRecord run = given(running("run_1", minutes(1)));
    HeartbeatRunLease heartbeat = Commands.heartbeat(run, minutes(2), NOON);
    StoredState before = stored();

    assertFails(
        storage.heartbeatRunLease(new HeartbeatRunLease(
            ENVIRONMENT,
            "run_1",
            heartbeat.expectedSequence(),
            heartbeat.event(),
            heartbeat.projectedRun().toBuilder().eventSequence(9).build(),
            NOON)),
        ADAPTER_CONTRACT_VIOLATION);

    assertNothingStored(before);
  }

  @Test
  @Rule({"S06", "S54"})
  void a_reservation_without_an_end_is_a_contract_violation() {
    RunRecord run = given(queued("run_1").queue(Given.bounded(1)));
    RunEvent.DeliveryRequested unbounded = Events.delivery(run, NOON, NOON);
    StoredState before = stored();

    assertFails(
        storage.reserveRunDispatch(new ReserveRunDispatch(
            ENVIRONMENT,
            "run_1",
            run.eventSequence(),
            unbounded,
            Commands.project(run, List.of(unbounded)),
            Given.bounded(1),
            NOON)),
        ADAPTER_CONTRACT_VIOLATION);

    assertNothingStored(before);
    assertThat(unsettledOutbox()).isEmpty();
  }

  private static List<DeliveryIntent> deliveriesOfOthers(
      RunRecord run, @Nullable Instant expiresAt) {
    String queue = run.queue();
    return List.of(
        new DeliveryIntent(ENVIRONMENT, "run_2", queue, NOON, NOON, expiresAt, null),
        new DeliveryIntent(OTHER_ENVIRONMENT, run.id(), queue, NOON, NOON, expiresAt, null),
        new DeliveryIntent(ENVIRONMENT, run.id(), "other", NOON, NOON, expiresAt, null));
  }

  private AppendRunEvents append(
      RunRecord run, List<? extends RunEvent> events, RunRecord projected) {
    return new AppendRunEvents(
        run.environment(),
        run.id(),
        run.eventSequence(),
        List.copyOf(events),
        projected,
        null,
        NOON,
        null);
  }

  private void assertRefused(AppendRunEvents command) {
    StoredState before = stored();
    assertFails(storage.appendRunEvents(command), ADAPTER_CONTRACT_VIOLATION);
    assertNothingStored(before);
  }
}
