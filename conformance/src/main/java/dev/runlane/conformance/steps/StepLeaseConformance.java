package dev.runlane.conformance.steps;

import static dev.runlane.conformance.kit.Given.NOON;
import static dev.runlane.conformance.kit.Outcomes.assertFails;
import static dev.runlane.run.ErrorCode.VALIDATION_FAILED;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.conformance.kit.Outcomes;
import dev.runlane.conformance.kit.Rule;
import dev.runlane.steps.result.RecordOutcome;
import dev.runlane.steps.task.ClaimedStepTask;
import dev.runlane.steps.task.ReleaseStepTasks;
import dev.runlane.steps.task.RenewStepTasks;
import dev.runlane.steps.task.StepClaim;
import dev.runlane.steps.task.WithdrawSteps;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A lease is its owner's for as long as it is renewed, and nobody else changes it. */
@DisplayName("leases of tasks")
public abstract class StepLeaseConformance extends StepTransportConformance {
  private static final Instant LATER = NOON.plus(LEASE).plusMillis(1);

  @Test
  @Rule("P20")
  void a_renewed_lease_is_not_taken_over() {
    dispatch(NOON, step("run_1"));
    ClaimedStepTask task = claimedOne(NOON);

    assertThat(renewed(after(10_000), task)).containsExactly("run_1:0");

    assertThat(claimed(LATER, 10, GROUP)).isEmpty();
    assertThat(claimed(LATER.plusSeconds(10), 10, GROUP)).hasSize(1);
  }

  @Test
  @Rule("P20")
  void a_lease_that_has_passed_is_renewed_if_nobody_took_it() {
    dispatch(NOON, step("run_1"));
    ClaimedStepTask task = claimedOne(NOON);

    assertThat(renewed(LATER, task)).containsExactly("run_1:0");

    assertThat(claimed(LATER, 10, GROUP)).isEmpty();
  }

  @Test
  @Rule("P21")
  void renewing_tells_what_is_still_held() {
    dispatch(NOON, steps(5));
    List<ClaimedStepTask> tasks = claimed(NOON, 5, GROUP);
    ClaimedStepTask kept = tasks.get(0);
    ClaimedStepTask recorded = tasks.get(1);
    ClaimedStepTask released = tasks.get(2);
    ClaimedStepTask withdrawn = tasks.get(3);
    ClaimedStepTask renewedLong = tasks.get(4);
    record(NOON, ended(recorded, DONE));
    release(released);
    Outcomes.done(
        transport.withdrawSteps(new WithdrawSteps(List.of(withdrawn.task().stepId()))));

    Set<String> held = renewed(after(1), kept, recorded, released, withdrawn, renewedLong);

    assertThat(held)
        .containsExactlyInAnyOrder(kept.task().stepId(), renewedLong.task().stepId());
  }

  @Test
  @Rule("P21")
  void a_lease_that_was_taken_over_is_not_renewed() {
    dispatch(NOON, step("run_1"));
    ClaimedStepTask first = claimedOne(NOON);
    ClaimedStepTask second = claimedOne(LATER);

    assertThat(renewed(LATER.plusSeconds(20), first)).isEmpty();

    assertThat(claimed(LATER.plus(LEASE).plusMillis(1), 10, GROUP))
        .as("the second lease was not renewed by the first owner")
        .hasSize(1);
    assertThat(second.task()).isEqualTo(first.task());
  }

  @Test
  @Rule("P22")
  void a_released_task_can_be_claimed_at_once() {
    dispatch(NOON, step("run_1").next());
    release(claimedOne(NOON));

    assertThat(claimedOne(NOON).task().attempt()).isEqualTo(2);
  }

  @Test
  @Rule("P23")
  void releasing_a_lost_lease_changes_nothing() {
    dispatch(NOON, step("run_1"));
    ClaimedStepTask first = claimedOne(NOON);
    ClaimedStepTask second = claimedOne(LATER);

    release(first);

    assertThat(claimed(LATER, 10, GROUP)).isEmpty();
    assertThat(record(LATER, ended(second, DONE))).containsExactly(RecordOutcome.RECORDED);
  }

  @Test
  @Rule("P24")
  void a_withdrawn_step_has_neither_task_nor_lease() {
    dispatch(NOON, step("run_1"), step("run_2"), step("run_3"));
    ClaimedStepTask task = claimedOne(NOON);

    int withdrawn = Outcomes.done(
        transport.withdrawSteps(new WithdrawSteps(List.of(task.task().stepId(), "run_none:0"))));

    assertThat(withdrawn).isEqualTo(1);
    assertThat(record(NOON, ended(task, DONE))).containsExactly(RecordOutcome.LEASE_LOST);
    assertThat(listed(NOON)).isEmpty();
    assertThat(claimed(NOON, 10, GROUP)).hasSize(2);
  }

  @Test
  @Rule("P25")
  void malformed_claims_fail() {
    StepClaim claim = new StepClaim("run_1:0", "token");

    for (List<StepClaim> malformed : List.of(
        List.of(new StepClaim("", "token")),
        List.of(new StepClaim("run_1:0", "")),
        List.of(claim, claim))) {
      assertFails(transport.renewStepTasks(new RenewStepTasks(malformed, NOON)), VALIDATION_FAILED);
      assertFails(transport.releaseStepTasks(new ReleaseStepTasks(malformed)), VALIDATION_FAILED);
    }
    assertThat(renewed(NOON)).isEmpty();
  }

  private Set<String> renewed(Instant now, ClaimedStepTask... tasks) {
    return Outcomes.done(transport.renewStepTasks(
        new RenewStepTasks(List.of(tasks).stream().map(ClaimedStepTask::claim).toList(), now)));
  }

  private void release(ClaimedStepTask task) {
    Outcomes.done(transport.releaseStepTasks(new ReleaseStepTasks(List.of(task.claim()))));
  }
}
