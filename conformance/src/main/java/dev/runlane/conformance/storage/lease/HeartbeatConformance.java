package dev.runlane.conformance.storage.lease;

import static dev.runlane.conformance.given.TestRuns.cancellationRequested;
import static dev.runlane.conformance.given.TestRuns.queued;
import static dev.runlane.conformance.given.TestRuns.running;
import static dev.runlane.conformance.kit.Given.NOON;
import static dev.runlane.conformance.kit.Given.UNBOUNDED;
import static dev.runlane.conformance.kit.Given.lease;
import static dev.runlane.conformance.kit.Given.minutes;
import static dev.runlane.conformance.kit.Outcomes.assertConflict;
import static dev.runlane.run.StorageConflictKind.EVENT_SEQUENCE;
import static dev.runlane.run.StorageConflictKind.LEASE_OWNERSHIP;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.conformance.given.Commands;
import dev.runlane.conformance.given.Events;
import dev.runlane.conformance.given.StoredState;
import dev.runlane.conformance.kit.Outcomes;
import dev.runlane.conformance.kit.Race;
import dev.runlane.conformance.kit.Rule;
import dev.runlane.conformance.storage.StorageConformance;
import dev.runlane.run.Lease;
import dev.runlane.run.RunEventType;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunStatus;
import dev.runlane.storage.run.AppendedRun;
import dev.runlane.storage.run.HeartbeatRunLease;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Only the owner extends a lease, and whoever lost it is told so. */
@DisplayName("heartbeats")
public abstract class HeartbeatConformance extends StorageConformance {
  @Test
  @Rule("S45")
  void a_heartbeat_extends_the_lease_and_changes_nothing_else_of_the_run() {
    RunRecord run = given(running("run_1", minutes(1)));
    HeartbeatRunLease command = Commands.heartbeat(run, minutes(2), NOON);

    AppendedRun extended = Outcomes.done(storage.heartbeatRunLease(command));

    assertThat(extended.run()).isEqualTo(command.projectedRun());
    assertThat(read("run_1")).isEqualTo(command.projectedRun());
    assertThat(extended.run().lease()).isEqualTo(lease("tok_run_1", minutes(2)));
    assertThat(extended.run().counters()).isEqualTo(run.counters());
    assertThat(tryClaimAt(minutes(1), extended.run())).isEmpty();
  }

  @Test
  @Rule({"S45", "S26"})
  void a_heartbeat_is_an_event_of_the_history() {
    RunRecord run = given(running("run_1", minutes(1)));

    AppendedRun extended =
        Outcomes.done(storage.heartbeatRunLease(Commands.heartbeat(run, minutes(2), NOON)));

    assertThat(extended.events())
        .extracting(event -> event.event().type())
        .containsExactly(RunEventType.LEASE_HEARTBEAT);
    assertThat(history(run)).endsWith(extended.events().get(0));
  }

  @Test
  @Rule("S45")
  void a_stale_heartbeat_of_the_owner_is_a_sequence_conflict() {
    RunRecord run = given(running("run_1", minutes(1)));
    append(run, NOON, Events.cancellationRequested(run, NOON));
    StoredState before = stored();

    assertConflict(
        storage.heartbeatRunLease(Commands.heartbeat(run, minutes(2), NOON)), EVENT_SEQUENCE);

    assertNothingStored(before);
  }

  @Test
  @Rule("S45")
  void a_heartbeat_with_another_token_has_lost_the_lease() {
    RunRecord run = given(running("run_1", minutes(1)));

    assertLost(Commands.heartbeat(run, lease("tok_other", minutes(2)), NOON));
  }

  @Test
  @Rule("S45")
  void a_heartbeat_of_another_worker_has_lost_the_lease() {
    RunRecord run = given(running("run_1", minutes(1)));
    Lease stolen = new Lease("tok_run_1", "worker_2", minutes(2));

    assertLost(Commands.heartbeat(run, stolen, NOON));
  }

  @Test
  @Rule("S45")
  void a_heartbeat_of_another_worker_has_lost_the_lease_whatever_else_is_wrong_with_it() {
    RunRecord run = given(running("run_1", minutes(1)));
    HeartbeatRunLease stolen =
        Commands.heartbeat(run, new Lease("tok_run_1", "worker_2", minutes(2)), NOON);

    assertLost(new HeartbeatRunLease(
        stolen.environment(),
        stolen.runId(),
        stolen.expectedSequence(),
        stolen.event(),
        stolen.projectedRun().toBuilder().eventSequence(9).build(),
        stolen.now()));
  }

  @Test
  @Rule("S45")
  void a_heartbeat_after_a_takeover_has_lost_the_lease() {
    RunRecord run = given(running("run_1", minutes(1)));
    claim(run, UNBOUNDED, "tok_2", minutes(1));

    assertLost(Commands.heartbeat(run, minutes(3), minutes(1)));
  }

  @Test
  @Rule("S45")
  void a_heartbeat_after_the_end_of_the_attempt_has_lost_the_lease() {
    RunRecord run = given(running("run_1", minutes(1)));
    append(run, NOON, Events.succeeded(run, NOON));

    assertLost(Commands.heartbeat(run, minutes(2), NOON));
  }

  @Test
  @Rule("S45")
  void a_heartbeat_of_a_run_that_does_not_exist_has_lost_the_lease() {
    RunRecord missing =
        queued("run_1").creationWithLease(lease("tok_1", minutes(1))).projectedRun().toBuilder()
            .lease(lease("tok_1", minutes(1)))
            .build();

    assertLost(Commands.heartbeat(missing, minutes(2), NOON));
  }

  @Test
  @Rule("S46")
  void a_run_that_was_asked_to_cancel_still_gets_heartbeats() {
    RunRecord run = given(cancellationRequested("run_1", minutes(1)));

    RunRecord extended = Outcomes.done(
            storage.heartbeatRunLease(Commands.heartbeat(run, minutes(2), NOON)))
        .run();

    assertThat(extended.status()).isEqualTo(RunStatus.CANCELLATION_REQUESTED);
    assertThat(read("run_1")).isEqualTo(extended);
    assertThat(extended.lease()).isEqualTo(lease("tok_run_1", minutes(2)));
  }

  @Test
  @Rule("m16")
  void a_heartbeat_on_an_expired_lease_that_nobody_took_is_accepted() {
    RunRecord run = given(running("run_1", minutes(1)));

    RunRecord extended = Outcomes.done(
            storage.heartbeatRunLease(Commands.heartbeat(run, minutes(6), minutes(5))))
        .run();

    assertThat(read("run_1")).isEqualTo(extended);
    assertThat(tryClaimAt(minutes(5), extended)).isEmpty();
  }

  @Test
  @Rule({"S45", "S42"})
  void a_heartbeat_and_a_takeover_of_the_same_lease_never_both_succeed() {
    for (int round = 0; round < 10; round++) {
      RunRecord run = given(running("run_" + round, minutes(1)));

      Race.Results<Boolean> race = race(List.of(
          adapter -> adapter
              .heartbeatRunLease(Commands.heartbeat(run, minutes(3), minutes(2)))
              .map(true),
          adapter -> adapter
              .claimRunLease(Commands.claim(run, UNBOUNDED, lease("tok_2", minutes(3)), minutes(2)))
              .map(Optional::isPresent)));

      assertThat(race.all().stream().filter(each -> Boolean.TRUE.equals(each.result())))
          .hasSize(1);
    }
  }

  private void assertLost(HeartbeatRunLease command) {
    StoredState before = stored();
    assertConflict(storage.heartbeatRunLease(command), LEASE_OWNERSHIP);
    assertNothingStored(before);
  }

  private Optional<AppendedRun> tryClaimAt(Instant now, RunRecord run) {
    return Outcomes.done(storage.claimRunLease(
        Commands.claimOccurring(run, UNBOUNDED, lease("tok_2", minutes(30)), now, minutes(29))));
  }
}
