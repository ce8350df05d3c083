package dev.runlane.conformance.steps;

import static dev.runlane.conformance.kit.Given.NOON;
import static dev.runlane.conformance.kit.Outcomes.assertFails;
import static dev.runlane.run.ErrorCode.VALIDATION_FAILED;
import static dev.runlane.steps.result.SettleOutcome.BLOCKED;
import static dev.runlane.steps.result.SettleOutcome.CLAIM_LOST;
import static dev.runlane.steps.result.SettleOutcome.SETTLED;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.conformance.kit.Outcomes;
import dev.runlane.conformance.kit.Race;
import dev.runlane.conformance.kit.Rule;
import dev.runlane.steps.result.ClaimedStepResult;
import dev.runlane.steps.result.DiscardStepResults;
import dev.runlane.steps.result.RecordOutcome;
import dev.runlane.steps.result.RecordStepResults;
import dev.runlane.steps.result.ReleaseStepResults;
import dev.runlane.steps.result.SettleOutcome;
import dev.runlane.steps.result.SettleStepResults;
import dev.runlane.steps.result.StepOutcome;
import dev.runlane.steps.result.StepResult;
import dev.runlane.steps.result.StepResultRef;
import dev.runlane.steps.task.ClaimedStepTask;
import dev.runlane.steps.task.ListMissingSteps;
import dev.runlane.steps.task.StepClaim;
import dev.runlane.steps.task.StepTask;
import dev.runlane.steps.task.WithdrawSteps;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A result waits until the engine of its run has taken it, and no retry is lost meanwhile. */
@DisplayName("claiming and settling results")
public abstract class StepSettleConformance extends StepTransportConformance {
  private static final int MANY = 600;
  private static final Instant LATER = NOON.plus(LEASE).plusMillis(1);

  @Test
  @Rule("P40")
  void results_are_listed_by_age_and_page_by_page_without_being_changed() {
    for (int i : new int[] {3, 1, 2}) {
      complete(step("run_" + i), after(i));
    }
    complete(step("run_2b"), after(2));

    List<StepResultRef> all = listed(after(9));
    List<StepResultRef> paged = new ArrayList<>(listed(after(9), null, 2));
    paged.addAll(listed(after(9), paged.get(1), 2));

    assertThat(all)
        .extracting(StepResultRef::runId)
        .containsExactly("run_1", "run_2", "run_2b", "run_3");
    assertThat(all.get(0)).isEqualTo(new StepResultRef("run_1:0", "run_1", after(1)));
    assertThat(paged).isEqualTo(all);
    assertThat(listed(after(9), all.get(3), 2)).isEmpty();
    assertThat(listed(after(9))).isEqualTo(all);
  }

  @Test
  @Rule({"P40", "P41", "P44"})
  void hundreds_of_results_of_one_instant_are_recorded_listed_claimed_and_settled() {
    dispatch(NOON, steps(MANY));
    List<ClaimedStepTask> tasks = claimed(NOON, MANY, GROUP);

    List<RecordOutcome> recorded = record(
        after(9),
        tasks.stream().map(task -> ended(task, DONE)).toArray(RecordStepResults.Ended[]::new));
    List<StepResultRef> listed = new ArrayList<>(listed(after(9), null, MANY / 2));
    listed.addAll(listed(after(9), listed.get(listed.size() - 1), MANY));
    List<ClaimedStepResult> results =
        claimedResults(after(9), idsOf(listed).toArray(String[]::new));
    List<SettleOutcome> settled = Outcomes.done(transport.settleStepResults(new SettleStepResults(
        results.stream()
            .map(result -> new SettleStepResults.Settlement(result.claim(), null))
            .toList(),
        after(9))));

    assertThat(recorded).hasSize(MANY).containsOnly(RecordOutcome.RECORDED);
    assertThat(idsOf(listed))
        .containsExactlyInAnyOrderElementsOf(
            steps(MANY).stream().map(StepTask::stepId).toList());
    assertThat(results).hasSize(MANY);
    assertThat(settled).hasSize(MANY).containsOnly(SETTLED);
    assertThat(listed(LATER.plusMillis(9))).isEmpty();
  }

  @Test
  @Rule("P41")
  void exactly_the_results_named_are_claimed() {
    complete(step("run_1"), NOON);
    complete(step("run_2"), NOON);
    complete(step("run_3"), NOON);

    List<ClaimedStepResult> claimed = claimedResults(NOON, "run_3:0", "run_1:0", "run_none:0");

    assertThat(claimed)
        .extracting(each -> each.result().runId())
        .containsExactlyInAnyOrder("run_1", "run_3");
    assertThat(listed(NOON)).extracting(StepResultRef::runId).containsExactly("run_2");
    assertThat(claimedResults(NOON)).isEmpty();
  }

  @Test
  @Rule("P42")
  void a_claimed_result_is_left_alone_until_the_claim_is_old() {
    complete(step("run_1"), NOON);
    ClaimedStepResult first = claimedResult(NOON, "run_1:0");

    assertThat(claimedResults(NOON.plus(LEASE), "run_1:0")).isEmpty();
    ClaimedStepResult second = claimedResult(LATER, "run_1:0");

    assertThat(second.result()).isEqualTo(first.result());
    assertThat(second.claim().token()).isNotEqualTo(first.claim().token());
    assertThat(settle(first, null, LATER)).isEqualTo(CLAIM_LOST);
    assertThat(settle(second, null, LATER)).isEqualTo(SETTLED);
  }

  @Test
  @Rule("P43")
  void competing_engines_never_claim_the_same_result() {
    List<StepTask> steps = steps(20);
    steps.forEach(step -> complete(step, NOON));
    String[] ids = steps.stream().map(StepTask::stepId).toArray(String[]::new);

    Race.Results<List<ClaimedStepResult>> race =
        race(8, i -> () -> transportOf(i).claimStepResults(claimOf(NOON, ids)));

    assertThat(race.failures()).isEmpty();
    List<ClaimedStepResult> all =
        new ArrayList<>(race.results().stream().flatMap(List::stream).toList());
    all.addAll(claimedResults(NOON, ids));
    assertThat(all).extracting(each -> each.claim().stepId()).hasSize(20).doesNotHaveDuplicates();
  }

  @Test
  @Rule("P44")
  void a_settled_result_is_gone() {
    complete(step("run_1"), NOON);
    ClaimedStepResult result = claimedResult(NOON, "run_1:0");

    assertThat(settle(result, null, NOON)).isEqualTo(SETTLED);

    assertThat(settle(result, null, NOON)).isEqualTo(CLAIM_LOST);
    assertThat(listed(LATER)).isEmpty();
    assertThat(missing("run_1:0")).containsExactly("run_1:0");
  }

  @Test
  @Rule("P45")
  void the_next_attempt_is_dispatched_with_the_settlement() {
    StepTask step = step("run_1");
    complete(step, NOON);
    ClaimedStepResult result = claimedResult(NOON, step.stepId());

    assertThat(settle(result, step.next(), after(5))).isEqualTo(SETTLED);

    assertThat(listed(LATER)).isEmpty();
    ClaimedStepTask next = claimedOne(after(5));
    assertThat(next.task()).isEqualTo(step.next());
    assertThat(next.dispatchedAt()).isEqualTo(after(5));
  }

  @Test
  @Rule("P45")
  void a_lost_claim_dispatches_nothing() {
    StepTask step = step("run_1");
    complete(step, NOON);
    ClaimedStepResult lost = claimedResult(NOON, step.stepId());
    claimedResult(LATER, step.stepId());

    assertThat(settle(lost, step.next(), LATER)).isEqualTo(CLAIM_LOST);

    assertThat(claimed(LATER, 10, GROUP)).isEmpty();
  }

  @Test
  @Rule("P46")
  void while_the_task_stands_a_retry_is_not_swallowed() {
    StepTask step = step("run_1");
    dispatch(NOON, step);
    claimedOne(NOON);
    Outcomes.done(fixture.putResult(resultOf(step, DONE, after(1))));
    ClaimedStepResult result = claimedResult(after(2), step.stepId());

    assertThat(settle(result, step.next(), after(3))).isEqualTo(BLOCKED);
    assertThat(settle(result, step.next(), after(4))).as("again").isEqualTo(BLOCKED);
    Outcomes.done(transport.withdrawSteps(new WithdrawSteps(List.of(step.stepId()))));

    assertThat(settle(result, step.next(), after(5))).isEqualTo(SETTLED);
    assertThat(claimedOne(after(5)).task()).isEqualTo(step.next());
  }

  @Test
  @Rule("P46")
  void without_a_next_attempt_a_standing_task_hinders_nothing() {
    StepTask step = step("run_1");
    dispatch(NOON, step);
    Outcomes.done(fixture.putResult(resultOf(step, DONE, after(1))));

    assertThat(settle(claimedResult(after(2), step.stepId()), null, after(3))).isEqualTo(SETTLED);
  }

  @Test
  @Rule("P44")
  void outcomes_stand_in_the_order_of_the_settlements() {
    complete(step("run_1"), NOON);
    complete(step("run_2"), NOON);
    ClaimedStepResult first = claimedResult(NOON, "run_1:0");
    ClaimedStepResult second = claimedResult(NOON, "run_2:0");
    settle(first, null, NOON);

    List<SettleOutcome> outcomes = Outcomes.done(transport.settleStepResults(new SettleStepResults(
        List.of(
            new SettleStepResults.Settlement(first.claim(), null),
            new SettleStepResults.Settlement(second.claim(), null)),
        NOON)));

    assertThat(outcomes).containsExactly(CLAIM_LOST, SETTLED);
  }

  @Test
  @Rule("P47")
  void a_released_result_comes_again_after_its_pause() {
    complete(step("run_1"), NOON);
    ClaimedStepResult result = claimedResult(NOON, "run_1:0");

    release(result, Duration.ofSeconds(5));

    assertThat(listed(after(5_000))).isEmpty();
    assertThat(listed(after(5_001))).hasSize(1);
    assertThat(settle(result, null, after(5_001))).isEqualTo(CLAIM_LOST);
  }

  @Test
  @Rule("P47")
  void releasing_a_lost_claim_changes_nothing() {
    complete(step("run_1"), NOON);
    ClaimedStepResult lost = claimedResult(NOON, "run_1:0");
    ClaimedStepResult owned = claimedResult(LATER, "run_1:0");

    release(lost, Duration.ZERO);

    assertThat(listed(LATER)).isEmpty();
    assertThat(settle(owned, null, LATER)).isEqualTo(SETTLED);
  }

  @Test
  @Rule("P48")
  void an_unreadable_result_fails_its_step_for_good_and_disturbs_no_other() {
    complete(step("run_1"), NOON);
    Outcomes.done(fixture.putUnreadableResult(resultOf(step("run_2"), DONE, NOON)));
    complete(step("run_3"), NOON);

    List<ClaimedStepResult> claimed = claimedResults(NOON, "run_1:0", "run_2:0", "run_3:0");

    assertThat(claimed).hasSize(3);
    for (ClaimedStepResult each : claimed) {
      if (each.result().runId().equals("run_2")) {
        assertThat(each.result().outcome())
            .isInstanceOfSatisfying(StepOutcome.Failed.class, failed -> {
              assertThat(failed.error().code()).isEqualTo(StepResult.UNREADABLE);
              assertThat(failed.error().mayBeRetried()).isFalse();
            });
      } else {
        assertThat(each.result().outcome()).isEqualTo(DONE);
      }
    }
  }

  @Test
  @Rule("P49")
  void only_old_results_that_nobody_holds_are_discarded() {
    complete(step("run_1"), NOON);
    complete(step("run_2"), NOON);
    complete(step("run_3"), after(10));
    complete(step("run_4"), NOON);
    ClaimedStepResult held = claimedResult(after(10), "run_2:0");

    int discarded = Outcomes.done(transport.discardStepResults(new DiscardStepResults(
        List.of("run_1:0", "run_2:0", "run_3:0", "run_none:0"), after(10), after(11), LEASE)));

    assertThat(discarded).isEqualTo(1);
    assertThat(listed(after(11)))
        .extracting(StepResultRef::runId)
        .containsExactly("run_4", "run_3");
    assertThat(settle(held, null, after(11))).isEqualTo(SETTLED);
  }

  @Test
  @Rule("P49")
  void a_result_is_held_until_its_claim_is_older_than_the_lease_and_not_discarded_before() {
    complete(step("run_1"), NOON);
    claimedResult(NOON, "run_1:0");

    assertThat(discardedAt(NOON.plus(LEASE))).isZero();
    assertThat(discardedAt(NOON.plus(LEASE).plusMillis(1))).isEqualTo(1);
  }

  private int discardedAt(Instant now) {
    return Outcomes.done(
        transport.discardStepResults(new DiscardStepResults(List.of("run_1:0"), now, now, LEASE)));
  }

  @Test
  @Rule("P50")
  void a_step_is_missing_when_it_has_neither_task_nor_result() {
    dispatch(NOON, step("run_1").in("other"));
    complete(step("run_2"), NOON);

    assertThat(missing("run_3:0", "run_1:0", "run_0:0", "run_2:0"))
        .containsExactly("run_3:0", "run_0:0");
    assertThat(missing()).isEmpty();
  }

  @Test
  @Rule("P51")
  void malformed_commands_fail() {
    ClaimedStepResult none = new ClaimedStepResult(
        new StepClaim("run_1:0", "token"), resultOf(step("run_1"), DONE, NOON));

    assertFails(
        transport.settleStepResults(new SettleStepResults(
            List.of(new SettleStepResults.Settlement(none.claim(), step("run_2"))), NOON)),
        VALIDATION_FAILED);
    assertFails(transport.claimStepResults(claimOf(NOON, "a", "a")), VALIDATION_FAILED);
    assertFails(
        transport.releaseStepResults(
            new ReleaseStepResults(List.of(none.claim()), NOON, LEASE, LEASE.plusMillis(1))),
        VALIDATION_FAILED);
    assertFails(transport.withdrawSteps(new WithdrawSteps(List.of(""))), VALIDATION_FAILED);
    assertFails(transport.listMissingSteps(new ListMissingSteps(List.of(""))), VALIDATION_FAILED);
  }

  @Test
  @Rule("P52")
  void closing_twice_is_harmless() {
    Outcomes.done(other().close());
    Outcomes.done(other().close());
  }

  private void release(ClaimedStepResult result, Duration retryIn) {
    Outcomes.done(transport.releaseStepResults(
        new ReleaseStepResults(List.of(result.claim()), NOON, LEASE, retryIn)));
  }

  private List<String> missing(String... stepIds) {
    return Outcomes.done(transport.listMissingSteps(new ListMissingSteps(List.of(stepIds))));
  }

  private static List<String> idsOf(List<StepResultRef> results) {
    return results.stream().map(StepResultRef::stepId).toList();
  }
}
