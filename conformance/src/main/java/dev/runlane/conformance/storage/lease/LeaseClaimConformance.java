package dev.runlane.conformance.storage.lease;

import static dev.runlane.conformance.given.TestRuns.awaitingSteps;
import static dev.runlane.conformance.given.TestRuns.queued;
import static dev.runlane.conformance.given.TestRuns.released;
import static dev.runlane.conformance.given.TestRuns.reserved;
import static dev.runlane.conformance.given.TestRuns.retrying;
import static dev.runlane.conformance.given.TestRuns.running;
import static dev.runlane.conformance.given.TestRuns.scheduled;
import static dev.runlane.conformance.kit.Given.NOON;
import static dev.runlane.conformance.kit.Given.UNBOUNDED;
import static dev.runlane.conformance.kit.Given.lease;
import static dev.runlane.conformance.kit.Given.minutes;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.conformance.given.Commands;
import dev.runlane.conformance.given.Events;
import dev.runlane.conformance.given.StoredState;
import dev.runlane.conformance.given.TestRun;
import dev.runlane.conformance.kit.Given;
import dev.runlane.conformance.kit.Outcomes;
import dev.runlane.conformance.kit.Race;
import dev.runlane.conformance.kit.Rule;
import dev.runlane.conformance.storage.StorageConformance;
import dev.runlane.run.Lease;
import dev.runlane.run.QueuePolicy;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunStatus;
import dev.runlane.storage.read.ListRunnableRuns;
import dev.runlane.storage.read.RunnableRunRef;
import dev.runlane.storage.run.AppendedRun;
import dev.runlane.storage.run.ClaimRunLease;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** At most one worker owns a run; whoever is too late gets an empty answer, not a failure. */
@DisplayName("claiming leases")
public abstract class LeaseClaimConformance extends StorageConformance {
  @Test
  @Rule("S40")
  void a_claimed_run_is_running_with_the_lease_it_was_claimed_with() {
    RunRecord run = given(queued("run_1"));
    ClaimRunLease command = Commands.claim(run, UNBOUNDED, lease("tok_1", minutes(1)), NOON);

    AppendedRun claimed = Outcomes.done(storage.claimRunLease(command)).orElseThrow();

    assertThat(claimed.run()).isEqualTo(command.projectedRun());
    assertThat(read("run_1")).isEqualTo(command.projectedRun());
    assertThat(claimed.run().status()).isEqualTo(RunStatus.RUNNING);
    assertThat(claimed.run().lease()).isEqualTo(lease("tok_1", minutes(1)));
    assertThat(claimed.claimedOutbox()).isEmpty();
    assertThat(history(run)).endsWith(claimed.events().get(0), claimed.events().get(1));
  }

  @Test
  @Rule({"S40", "commands"})
  void a_claim_may_leave_the_start_of_the_attempt_for_later() {
    RunRecord run = given(queued("run_1"));
    List<RunEvent> events = List.of(Events.leaseClaimed(run, NOON, lease("tok_1", minutes(1))));
    ClaimRunLease command = new ClaimRunLease(
        run.environment(),
        run.id(),
        run.eventSequence(),
        events,
        Commands.project(run, events),
        UNBOUNDED,
        NOON);

    AppendedRun claimed = Outcomes.done(storage.claimRunLease(command)).orElseThrow();
    RunRecord started =
        append(claimed.run(), NOON, Events.started(claimed.run(), NOON)).run();

    assertThat(read("run_1")).isEqualTo(started);
    assertThat(started.counters().attempts()).isEqualTo(1);
    assertThat(started.lease()).isEqualTo(lease("tok_1", minutes(1)));
  }

  @Test
  @Rule("S40")
  void a_claim_clears_the_dispatch_reservation() {
    QueuePolicy queue = Given.bounded(1);
    RunRecord run = given(reserved("run_1", minutes(1)).queue(queue));

    RunRecord claimed = claim(run, queue, "tok_1", NOON);

    assertThat(run.reservation()).isNotNull();
    assertThat(claimed.reservation()).isNull();
    assertThat(read("run_1").reservation()).isNull();
  }

  @Test
  @Rule("S40")
  void due_scheduled_retrying_and_released_runs_can_be_claimed() {
    for (TestRun waiting : List.of(
        scheduled("run_1", minutes(10)),
        retrying("run_2", minutes(10)),
        released("run_3", minutes(10)))) {
      RunRecord run = given(waiting.at(NOON));

      assertThat(claim(run, UNBOUNDED, "tok_next", minutes(10)).status())
          .isEqualTo(RunStatus.RUNNING);
    }
  }

  @Test
  @Rule("S41")
  void a_stale_claim_is_empty_and_changes_nothing() {
    RunRecord read = given(queued("run_1"));
    append(read, NOON, Events.delivery(read, NOON, NOON));
    StoredState before = stored();

    Optional<AppendedRun> claimed = tryClaim(read, UNBOUNDED, "tok_1", NOON);

    assertThat(claimed).isEmpty();
    assertNothingStored(before);
  }

  @Test
  @Rule("S41")
  void a_claim_of_a_run_that_does_not_exist_is_empty() {
    RunRecord missing = queued("run_1").creation().projectedRun();
    RunRecord other = given(queued("run_2"));

    assertThat(tryClaim(missing, UNBOUNDED, "tok_1", NOON)).isEmpty();
    assertThat(find("run_1")).isEmpty();
    assertThat(stored().runs()).containsExactly(other);
  }

  @Test
  @Rule("S42")
  void of_many_workers_racing_for_one_run_exactly_one_owns_it() {
    RunRecord run = given(queued("run_1"));

    Race.Results<Optional<AppendedRun>> race = race(Race.times(
        16,
        i -> adapter -> adapter.claimRunLease(
            Commands.claim(run, UNBOUNDED, lease("tok_" + i, minutes(1)), NOON))));

    assertThat(race.failures()).isEmpty();
    List<AppendedRun> winners =
        race.results().stream().flatMap(Optional::stream).toList();
    assertThat(winners).hasSize(1);
    assertThat(read("run_1")).isEqualTo(winners.get(0).run());
    assertThat(history(run)).hasSize((int) run.eventSequence() + 2);
  }

  @Test
  @Rule("S43")
  void a_leased_run_cannot_be_claimed_until_its_lease_has_expired() {
    RunRecord run = given(running("run_1", minutes(1)));
    StoredState before = stored();
    Instant tooEarly = minutes(1).minusNanos(1_000);

    assertThat(claimAt(tooEarly, minutes(1), run, UNBOUNDED)).isEmpty();

    assertNothingStored(before);
    RunRecord taken = claim(run, UNBOUNDED, "tok_2", minutes(1));
    assertThat(taken.lease()).isEqualTo(lease("tok_2", minutes(2)));
    assertThat(taken.counters().attempts()).isEqualTo(2);
    assertThat(read("run_1")).isEqualTo(taken);
  }

  @Test
  @Rule("S43")
  void a_run_cannot_be_claimed_before_it_is_due() {
    for (TestRun waiting : List.of(
        queued("run_0").runAt(minutes(10)).queue(Given.bounded(1)),
        scheduled("run_1", minutes(10)),
        retrying("run_2", minutes(10)),
        released("run_3", minutes(10)))) {
      RunRecord run = given(waiting);
      QueuePolicy queue = run.queue().equals("bounded") ? Given.bounded(1) : UNBOUNDED;
      StoredState before = stored();
      Instant tooEarly = minutes(10).minusNanos(1_000);

      assertThat(claimAt(tooEarly, minutes(10), run, queue)).as(run.id()).isEmpty();

      assertNothingStored(before);
    }
  }

  @Test
  @Rule("S43")
  void a_run_that_was_asked_to_cancel_is_never_claimed() {
    RunRecord run = given(running("run_1", minutes(1)));
    RunRecord cancelling =
        append(run, NOON, Events.cancellationRequested(run, NOON)).run();
    StoredState before = stored();
    RunRecord pretended =
        run.toBuilder().eventSequence(cancelling.eventSequence()).build();

    assertThat(tryClaim(pretended, UNBOUNDED, "tok_2", minutes(5))).isEmpty();

    assertNothingStored(before);
  }

  @Test
  @Rule("S44")
  void a_claim_is_empty_once_the_dispatch_reservation_has_expired() {
    QueuePolicy queue = Given.bounded(5);
    RunRecord run = given(reserved("run_1", minutes(1)).queue(queue));
    StoredState before = stored();

    assertThat(tryClaim(run, queue, "tok_1", minutes(1))).isEmpty();

    assertNothingStored(before);
  }

  @Test
  @Rule("S44")
  void without_a_limit_an_expired_dispatch_reservation_holds_nobody_up() {
    QueuePolicy queue = Given.bounded(5);
    QueuePolicy unlimited = QueuePolicy.unbounded(queue.queue());
    RunRecord run = given(reserved("run_1", minutes(1)).queue(queue));

    assertThat(listRunnable(unlimited, minutes(1))).containsExactly("run_1");
    assertThat(tryClaim(run, unlimited, "tok_1", minutes(1))).isPresent();
  }

  @Test
  @Rule("S44")
  void without_a_limit_nothing_that_is_appended_under_a_reservation_makes_it_hold_anybody_up() {
    QueuePolicy queue = Given.bounded(5);
    QueuePolicy unlimited = QueuePolicy.unbounded(queue.queue());
    RunRecord due = given(awaitingSteps("run_1", NOON).queue(queue));
    RunRecord reserved = Outcomes.done(
            storage.reserveRunDispatch(Commands.reserve(due, queue, minutes(1), NOON)))
        .orElseThrow()
        .run();
    assertThat(listRunnable(unlimited, NOON))
        .containsExactly("run_1"); // says that the limit is gone

    RunRecord run =
        append(reserved, NOON, Events.stepCompleted(reserved, NOON, 0)).run();

    assertThat(listRunnable(unlimited, NOON)).containsExactly("run_1");
    assertThat(listRunnable(unlimited, minutes(1))).containsExactly("run_1");
    assertThat(tryClaim(run, unlimited, "tok_1", minutes(1))).isPresent();
  }

  private List<String> listRunnable(QueuePolicy queue, Instant now) {
    return Outcomes.done(storage.listRunnableRuns(
            new ListRunnableRuns(Given.ENVIRONMENT, List.of(queue), Given.TASKS, now, 10)))
        .stream()
        .map(RunnableRunRef::runId)
        .toList();
  }

  private Optional<AppendedRun> claimAt(
      Instant now, Instant occurredAt, RunRecord run, QueuePolicy queue) {
    Lease lease = lease("tok_early", minutes(30));
    return Outcomes.done(
        storage.claimRunLease(Commands.claimOccurring(run, queue, lease, now, occurredAt)));
  }
}
