package dev.runlane.conformance.storage.step;

import static dev.runlane.conformance.kit.Given.ENVIRONMENT;
import static dev.runlane.conformance.kit.Given.MINUTE;
import static dev.runlane.conformance.kit.Given.NEXT_YEAR;
import static dev.runlane.conformance.kit.Given.NOON;
import static dev.runlane.conformance.kit.Given.minutes;
import static dev.runlane.conformance.kit.Outcomes.assertFails;
import static dev.runlane.run.ErrorCode.VALIDATION_FAILED;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.conformance.given.Commands;
import dev.runlane.conformance.given.Events;
import dev.runlane.conformance.kit.Outcomes;
import dev.runlane.conformance.kit.Race;
import dev.runlane.conformance.kit.Rule;
import dev.runlane.run.RunRecord;
import dev.runlane.storage.StorageAdapter;
import dev.runlane.storage.run.AppendedRun;
import dev.runlane.storage.step.ClaimDueSteps;
import dev.runlane.storage.step.ClaimedStep;
import dev.runlane.storage.step.ListPendingSteps;
import dev.runlane.storage.step.PendingStep;
import dev.runlane.storage.step.RemovePendingSteps;
import dev.runlane.storage.step.ReschedulePendingSteps;
import dev.runlane.storage.step.RetryStep;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** However many look after pending steps, each step is looked after by one at a time. */
@DisplayName("looking after pending steps")
public abstract class PendingStepClaimConformance extends PendingStepScene {
  @Test
  @Rule("pending")
  void a_claimed_step_is_nobody_elses_until_the_claim_is_over() {
    asking("run_1", 1);

    ClaimedStep claimed = claimOnly(NOON);

    assertThat(claimed.step().nextAt()).isEqualTo(minutes(1));
    assertThat(only("run_1").nextAt()).isEqualTo(minutes(1));
    assertThat(claimSteps(NOON.plusSeconds(59), 10)).isEmpty();
    ClaimedStep other = claimOnly(minutes(1));
    assertThat(other.token()).isNotEqualTo(claimed.token());
    assertThat(move(claimed, minutes(30), minutes(1))).isEmpty();
    assertThat(move(other, minutes(30), minutes(1))).containsExactly("run_1:0");
  }

  @Test
  @Rule("pending")
  void the_steps_due_longest_are_claimed_first_and_not_more_than_wanted() {
    RunRecord run = asking("run_1", 1);
    append(run, minutes(3), request(run, 1, minutes(3)), request(run, 2, minutes(2)));

    assertThat(idsOf(claimSteps(minutes(9), 2))).containsExactly("run_1:0", "run_1:2");
    assertThat(idsOf(claimSteps(minutes(9), 2))).containsExactly("run_1:1");
  }

  @Test
  @Rule("pending")
  void a_moved_step_is_due_when_it_was_said_and_shows_its_dispatch() {
    asking("run_1", 1);
    ClaimedStep claimed = claimOnly(NOON);

    assertThat(move(claimed, minutes(5), minutes(1))).containsExactly("run_1:0");

    PendingStep moved = only("run_1");
    assertThat(moved)
        .isEqualTo(
            new PendingStep(claimed.step().request(), 1, minutes(5), minutes(1), null, false));
    assertThat(claimSteps(minutes(4), 10)).isEmpty();
    ClaimedStep again = claimOnly(minutes(5));
    assertThat(again.step().dispatchedAt()).isEqualTo(minutes(1));
    assertThat(move(again, minutes(5), null)).containsExactly("run_1:0");
    assertThat(only("run_1").dispatchedAt()).isNull();
  }

  @Test
  @Rule("pending")
  void a_move_ends_the_claim() {
    asking("run_1", 1);
    ClaimedStep claimed = claimOnly(NOON);
    move(claimed, NOON, null);

    assertThat(move(claimed, minutes(30), null)).isEmpty();

    assertThat(idsOf(claimSteps(NOON, 10))).containsExactly("run_1:0");
  }

  @Test
  @Rule("pending")
  void each_move_of_a_command_succeeds_or_not_by_itself() {
    RunRecord run = asking("run_1", 3);
    List<ClaimedStep> claimed = claimSteps(NOON, 10);
    append(run, minutes(1), Events.stepCompleted(run, minutes(1), 1));

    Set<String> moved = Outcomes.done(steps.reschedulePendingSteps(new ReschedulePendingSteps(
        ENVIRONMENT,
        claimed.stream().map(each -> moved(each, minutes(7), minutes(1))).toList())));

    assertThat(moved).containsExactlyInAnyOrder("run_1:0", "run_1:2");
    assertThat(pending("run_1")).extracting(PendingStep::nextAt).containsOnly(minutes(7));
  }

  @Test
  @Rule("pending")
  void a_retry_makes_the_next_attempt_due_undispatched_and_unclaimed() {
    asking("run_1", 1);
    ClaimedStep claimed = claimOnly(NOON);
    move(claimed, minutes(50), minutes(1));
    PendingStep failing = only("run_1");

    assertThat(retry(failing, 1, minutes(2), minutes(3))).isTrue();

    assertThat(only("run_1"))
        .isEqualTo(new PendingStep(failing.request(), 2, minutes(3), null, minutes(2), false));
    assertThat(only("run_1").tries()).isEqualTo(2);
    assertThat(claimSteps(minutes(2), 10)).isEmpty();
    assertThat(claimOnly(minutes(3)).step().attempt()).isEqualTo(2);
  }

  @Test
  @Rule("pending")
  void a_retry_takes_the_step_from_whoever_has_claimed_it() {
    asking("run_1", 1);
    ClaimedStep claimed = claimOnly(NOON);

    assertThat(retry(claimed.step(), 1, minutes(2), minutes(3))).isTrue();

    assertThat(move(claimed, minutes(50), minutes(1))).isEmpty();
    assertThat(only("run_1").nextAt()).isEqualTo(minutes(3));
  }

  @Test
  @Rule("pending")
  void an_attempt_is_retried_once_and_only_while_the_step_is_pending() {
    RunRecord run = asking("run_1", 2);
    PendingStep first = pending("run_1").get(0);
    PendingStep second = pending("run_1").get(1);

    assertThat(retry(first, 2, minutes(1), minutes(2))).isFalse();
    assertThat(retry(first, 1, minutes(1), minutes(2))).isTrue();
    assertThat(retry(first, 1, minutes(1), minutes(2))).isFalse();
    RunRecord stepped =
        append(run, minutes(3), Events.stepCompleted(run, minutes(3), 0)).run();
    assertThat(retry(first, 2, minutes(3), minutes(4))).isFalse();
    append(stepped, minutes(4), Events.succeeded(stepped, minutes(4)));
    assertThat(retry(second, 1, minutes(3), minutes(4))).isFalse();

    assertThat(only("run_1").attempt()).isEqualTo(1);
    assertThat(only("run_1").runEnded()).isTrue();
  }

  @Test
  @Rule("pending")
  void competing_claims_never_get_the_same_step_and_get_all_of_them_in_the_end() {
    for (int run = 0; run < 5; run++) {
      asking("run_" + run, 8);
    }

    List<ClaimedStep> claimed = new ArrayList<>();
    Race.Results<List<ClaimedStep>> race = race(Race.times(
        8,
        contender -> adapter ->
            stepsOf(adapter).claimDueSteps(new ClaimDueSteps(ENVIRONMENT, NOON, MINUTE, 10))));
    race.results().forEach(claimed::addAll);
    claimed.addAll(claimSteps(NOON, 100));

    assertThat(race.failures()).isEmpty();
    assertThat(idsOf(claimed)).hasSize(40).doesNotHaveDuplicates();
  }

  @Test
  @Rule("pending")
  void of_competing_retries_of_one_attempt_one_wins() {
    asking("run_1", 1);
    PendingStep step = only("run_1");

    Race.Results<Boolean> race = race(Race.times(
        8,
        contender -> adapter -> stepsOf(adapter)
            .retryStep(new RetryStep(
                ENVIRONMENT, step.runId(), step.stepId(), 1, minutes(1), minutes(2)))));

    assertThat(race.failures()).isEmpty();
    assertThat(race.results()).filteredOn(won -> won).hasSize(1);
    assertThat(only("run_1").attempt()).isEqualTo(2);
  }

  @Test
  @Rule("pending")
  void a_result_and_a_move_that_race_never_leave_a_step_behind() {
    List<RunRecord> runs = new ArrayList<>();
    for (int run = 0; run < 8; run++) {
      runs.add(asking("run_" + run, 1));
    }
    List<ClaimedStep> claimed = claimSteps(NOON, 10);
    List<Function<StorageAdapter, Future<Object>>> contenders = new ArrayList<>();
    for (int index = 0; index < 8; index++) {
      RunRecord run = runs.get(index);
      ReschedulePendingSteps.NextCheck move = moved(claimed.get(index), minutes(5), minutes(1));
      contenders.add(adapter -> adapter
          .appendRunEvents(
              Commands.append(run, minutes(1), Events.stepCompleted(run, minutes(1), 0)))
          .map(AppendedRun::run));
      contenders.add(adapter -> stepsOf(adapter)
          .reschedulePendingSteps(new ReschedulePendingSteps(ENVIRONMENT, List.of(move)))
          .map(Object.class::cast));
    }

    Race.Results<Object> race = race(contenders);

    assertThat(race.failures()).isEmpty();
    assertThat(claimSteps(NEXT_YEAR, 100)).isEmpty();
    runs.forEach(run -> assertThat(history(run)).isNotEmpty());
  }

  @Test
  @Rule("pending")
  void what_is_kept_is_the_adapters_state_not_the_process() {
    asking("run_1", 1);
    ClaimedStep claimed = claimOnly(NOON);
    move(claimed, minutes(5), minutes(1));

    competitors()
        .forEach(adapter -> assertThat(pendingIn(adapter, "run_1")).containsExactly(only("run_1")));
  }

  @Test
  @Rule("pending")
  void malformed_commands_are_refused_and_change_nothing() {
    asking("run_1", 1);
    List<PendingStep> before = pending("run_1");
    ReschedulePendingSteps.NextCheck move =
        new ReschedulePendingSteps.NextCheck("run_1", "run_1:0", "tok", minutes(1), null);

    assertFails(
        steps.claimDueSteps(new ClaimDueSteps(ENVIRONMENT, NOON, MINUTE, 0)), VALIDATION_FAILED);
    assertFails(
        steps.claimDueSteps(new ClaimDueSteps(ENVIRONMENT, NOON, Duration.ZERO, 1)),
        VALIDATION_FAILED);
    assertFails(
        steps.reschedulePendingSteps(new ReschedulePendingSteps(ENVIRONMENT, List.of(move, move))),
        VALIDATION_FAILED);
    assertFails(
        steps.reschedulePendingSteps(new ReschedulePendingSteps(
            ENVIRONMENT,
            List.of(new ReschedulePendingSteps.NextCheck(
                "run_1", "run_2:0", "tok", minutes(1), null)))),
        VALIDATION_FAILED);
    assertFails(
        steps.removePendingSteps(new RemovePendingSteps(
            ENVIRONMENT, List.of(new RemovePendingSteps.Removal("run_1", "0", "tok")))),
        VALIDATION_FAILED);
    assertFails(
        steps.retryStep(new RetryStep(ENVIRONMENT, "run_1", "run_1:0", 0, NOON, NOON)),
        VALIDATION_FAILED);
    assertFails(
        steps.listPendingSteps(new ListPendingSteps(ENVIRONMENT, "", null)), VALIDATION_FAILED);

    assertThat(pending("run_1")).isEqualTo(before);
    assertThat(Outcomes.done(
            steps.reschedulePendingSteps(new ReschedulePendingSteps(ENVIRONMENT, List.of()))))
        .isEmpty();
  }
}
