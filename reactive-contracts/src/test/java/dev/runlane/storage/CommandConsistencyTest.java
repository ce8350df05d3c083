package dev.runlane.storage;

import static dev.runlane.samples.SampleCommands.BOUNDED;
import static dev.runlane.samples.SampleCommands.UNBOUNDED;
import static dev.runlane.samples.SampleCommands.append;
import static dev.runlane.samples.SampleCommands.at;
import static dev.runlane.samples.SampleCommands.claim;
import static dev.runlane.samples.SampleCommands.claimed;
import static dev.runlane.samples.SampleCommands.creation;
import static dev.runlane.samples.SampleCommands.heartbeat;
import static dev.runlane.samples.SampleCommands.lease;
import static dev.runlane.samples.SampleCommands.leased;
import static dev.runlane.samples.SampleCommands.reserve;
import static dev.runlane.samples.SampleCommands.unreserved;
import static dev.runlane.samples.Samples.LEASE;
import static dev.runlane.samples.Samples.NOON;
import static dev.runlane.samples.Samples.PRODUCTION;
import static dev.runlane.samples.Samples.QUEUE;
import static dev.runlane.samples.Samples.RUN;
import static dev.runlane.samples.Samples.header;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.run.DeliveryIntent;
import dev.runlane.run.Environment;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.EventHeader;
import dev.runlane.run.QueuePolicy;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunlaneException;
import dev.runlane.samples.Samples;
import dev.runlane.storage.run.AppendRunEvents;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** Which commands contradict themselves; only the code is asserted. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class CommandConsistencyTest {
  private static final Environment STAGING = new Environment("staging");
  private static final RunEvent STARTED = new RunEvent.Started(header(), 1);
  private static final QueuePolicy OTHER = QueuePolicy.unbounded("other");

  @Test
  void consistent_commands_are_accepted() {
    consistent(CommandConsistency.violation(creation(Samples.created())));
    consistent(CommandConsistency.violation(creation(Samples.created()).in(UNBOUNDED)));
    consistent(CommandConsistency.violation(firstLease().in(BOUNDED)));
    consistent(CommandConsistency.violation(append(STARTED, Samples.requested())));
    consistent(CommandConsistency.violation(claim(claimed(LEASE))));
    consistent(CommandConsistency.violation(claim(claimed(LEASE), STARTED)));
    consistent(CommandConsistency.violation(heartbeat(LEASE)));
    consistent(CommandConsistency.violation(reserve(BOUNDED)));
  }

  @Test
  void a_command_carries_events() {
    broken(CommandConsistency.violation(append()));
    broken(CommandConsistency.violation(claim()));
  }

  @Test
  void the_projection_is_of_the_commands_run() {
    broken(CommandConsistency.violation(new AppendRunEvents(
        PRODUCTION, "run_2", 4, List.of(STARTED), at(Samples.running(), 5), null, NOON, null)));
    broken(CommandConsistency.violation(new AppendRunEvents(
        STAGING, RUN, 4, List.of(STARTED), at(Samples.running(), 5), null, NOON, null)));
  }

  @Test
  void every_event_is_of_the_commands_run() {
    broken(CommandConsistency.violation(
        append(STARTED, new RunEvent.Started(EventHeader.bySystem(PRODUCTION, "run_2", NOON), 1))));
    broken(CommandConsistency.violation(
        append(STARTED, new RunEvent.Started(EventHeader.bySystem(STAGING, RUN, NOON), 1))));
  }

  @Test
  void a_delivery_wakes_the_commands_run_in_its_queue() {
    broken(CommandConsistency.violation(append(requested(PRODUCTION, "run_2", QUEUE))));
    broken(CommandConsistency.violation(append(requested(STAGING, RUN, QUEUE))));
    broken(CommandConsistency.violation(append(requested(PRODUCTION, RUN, "other"))));
    broken(CommandConsistency.violation(
        reserve(requested(PRODUCTION, "run_2", QUEUE), at(Samples.reservedRun(), 5), BOUNDED)));
  }

  @Test
  void the_projection_is_at_the_sequence_of_the_last_event() {
    broken(CommandConsistency.violation(append(4, at(Samples.running(), 4), STARTED)));
    broken(CommandConsistency.violation(append(4, at(Samples.running(), 6), STARTED)));
    broken(
        CommandConsistency.violation(claim(at(Samples.running(), 6), UNBOUNDED, claimed(LEASE))));
    broken(CommandConsistency.violation(heartbeat(LEASE, at(Samples.running(), 4))));
    broken(CommandConsistency.violation(
        reserve(Samples.reserved(), at(Samples.reservedRun(), 7), BOUNDED)));
  }

  @Test
  void a_run_is_created_by_its_first_event_and_by_no_other() {
    broken(CommandConsistency.violation(append(0, at(Samples.queued(), 1), STARTED)));
    broken(CommandConsistency.violation(append(Samples.created())));
    broken(CommandConsistency.violation(
        append(0, at(Samples.queued(), 2), Samples.created(), Samples.created())));
  }

  @Test
  void an_append_takes_a_lease_only_with_the_creation_and_its_queues_policy() {
    broken(CommandConsistency.violation(firstLease()));
    broken(CommandConsistency.violation(append(claimed(LEASE)).in(UNBOUNDED)));
    broken(CommandConsistency.violation(
        append(0, at(Samples.running(), 3), Samples.created(), Samples.requested(), claimed(LEASE))
            .in(UNBOUNDED)));
  }

  @Test
  void the_policy_is_that_of_the_runs_queue() {
    broken(CommandConsistency.violation(creation(Samples.created()).in(OTHER)));
    broken(CommandConsistency.violation(claim(at(Samples.running(), 5), OTHER, claimed(LEASE))));
    broken(CommandConsistency.violation(reserve(QueuePolicy.bounded("other", 1))));
  }

  @Test
  void a_claim_carries_a_lease_and_at_most_a_start() {
    broken(CommandConsistency.violation(claim(STARTED)));
    broken(CommandConsistency.violation(claim(STARTED, claimed(LEASE))));
    broken(CommandConsistency.violation(claim(claimed(LEASE), claimed(LEASE))));
    broken(CommandConsistency.violation(claim(claimed(LEASE), STARTED, STARTED)));
  }

  @Test
  void the_projection_carries_the_lease_of_its_event() {
    broken(CommandConsistency.violation(claim(claimed(lease("tok_2", "worker_1")))));
    broken(CommandConsistency.violation(claim(claimed(LEASE.until(NOON)), STARTED)));
    broken(CommandConsistency.violation(heartbeat(lease("tok_1", "worker_2"))));
    broken(CommandConsistency.violation(heartbeat(LEASE, leased(at(Samples.running(), 5), null))));
  }

  @Test
  void a_reservation_has_an_end_in_event_and_projection() {
    broken(CommandConsistency.violation(
        reserve(Samples.requested(), at(Samples.reservedRun(), 5), BOUNDED)));
    broken(CommandConsistency.violation(
        reserve(Samples.reserved(), unreserved(at(Samples.reservedRun(), 5)), BOUNDED)));
  }

  private static AppendRunEvents firstLease() {
    return append(0, at(Samples.running(), 2), Samples.created(), claimed(LEASE));
  }

  private static RunEvent.DeliveryRequested requested(
      Environment environment, String runId, String queue) {
    return new RunEvent.DeliveryRequested(
        header(),
        new DeliveryIntent(environment, runId, queue, NOON, NOON, NOON.plusSeconds(60), null));
  }

  private static void consistent(Optional<RunlaneException> violation) {
    assertThat(violation).isEmpty();
  }

  private static void broken(Optional<RunlaneException> violation) {
    assertThat(violation.orElseThrow().code()).isEqualTo(ErrorCode.ADAPTER_CONTRACT_VIOLATION);
  }
}
