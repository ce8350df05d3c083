package dev.runlane.conformance.steps;

import static dev.runlane.conformance.kit.Given.NOON;
import static dev.runlane.conformance.kit.Outcomes.assertFails;
import static dev.runlane.run.ErrorCode.VALIDATION_FAILED;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.conformance.kit.Outcomes;
import dev.runlane.conformance.kit.Race;
import dev.runlane.conformance.kit.Rule;
import dev.runlane.steps.task.ClaimStepTasks;
import dev.runlane.steps.task.ClaimedStepTask;
import dev.runlane.steps.task.StepTask;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A waiting task goes to one worker of exactly its group. */
@DisplayName("claiming tasks")
public abstract class StepClaimConformance extends StepTransportConformance {
  @Test
  @Rule("P10")
  void a_group_is_matched_exactly() {
    dispatch(
        NOON,
        step("run_1"),
        step("run_2").in("Echo"),
        step("run_3").in("echo@blue"),
        step("run_4").in("echo2"),
        step("run_5").in("ech\u00f6"),
        step("run_6").in("echo "));

    assertThat(ids(claimed(NOON, 10, GROUP))).containsExactly("run_1:0");
    assertThat(ids(claimed(NOON, 10, "ECHO"))).isEmpty();
    assertThat(ids(claimed(NOON, 10, "echo@blue"))).containsExactly("run_3:0");
    assertThat(ids(claimed(NOON, 10, "Echo"))).containsExactly("run_2:0");
  }

  @Test
  @Rule("P10")
  void several_groups_are_claimed_at_once_and_none_claims_nothing() {
    dispatch(NOON, step("run_1").in("a"));
    dispatch(after(1), step("run_2").in("b"));
    dispatch(after(2), step("run_3").in("c"));

    assertThat(claimed(after(3), 10)).isEmpty();
    assertThat(ids(claimed(after(3), 10, "a", "b"))).containsExactly("run_1:0", "run_2:0");
  }

  @Test
  @Rule("P10")
  void a_backlog_of_one_group_does_not_hide_another() {
    dispatch(NOON, steps(50));
    dispatch(after(1), step("run_x").in("other"));

    assertThat(ids(claimed(after(2), 5, "other"))).containsExactly("run_x:0");
    assertThat(claimed(after(2), 100, GROUP, "other")).hasSize(50);
  }

  @Test
  @Rule({"P10", "P11"})
  void of_forty_groups_the_oldest_tasks_come_first_whichever_group_they_are_of() {
    String[] groups = IntStream.range(0, 40).mapToObj(i -> "group_" + i).toArray(String[]::new);
    List<StepTask> steps = Race.times(groups.length, i -> step("run_" + i).in(groups[i]));
    dispatch(NOON, steps.subList(25, 40));
    dispatch(after(1), steps.subList(0, 25));

    assertThat(ids(claimed(after(2), 15, groups)))
        .containsExactlyInAnyOrderElementsOf(idsOf(steps.subList(25, 40)));
    assertThat(ids(claimed(after(2), 40, groups)))
        .containsExactlyInAnyOrderElementsOf(idsOf(steps.subList(0, 25)));
  }

  @Test
  @Rule("P11")
  void the_oldest_come_first_and_no_more_than_the_limit() {
    dispatch(after(3), step("run_3"));
    dispatch(after(1), step("run_1"));
    dispatch(after(2), step("run_2"));

    assertThat(ids(claimed(after(9), 2, GROUP))).containsExactly("run_1:0", "run_2:0");
    assertThat(ids(claimed(after(9), 2, GROUP))).containsExactly("run_3:0");
    assertThat(ids(claimed(after(9), 2, GROUP))).isEmpty();
  }

  @Test
  @Rule("P12")
  void a_fresh_lease_is_left_alone() {
    dispatch(NOON, step("run_1"));
    claimedOne(NOON);

    assertThat(Outcomes.done(other().claimStepTasks(claim(after(0), 10, GROUP))))
        .isEmpty();
    assertThat(Outcomes.done(other().claimStepTasks(claim(NOON.plus(LEASE), 10, GROUP))))
        .as("a lease of exactly its age")
        .isEmpty();
  }

  @Test
  @Rule("P13")
  void an_old_lease_is_taken_over_with_the_same_attempt() {
    StepTask step = step("run_1").next();
    dispatch(NOON, step);
    ClaimedStepTask first = claimedOne(NOON);

    List<ClaimedStepTask> second =
        Outcomes.done(other().claimStepTasks(claim(NOON.plus(LEASE).plusMillis(1), 10, GROUP)));

    assertThat(second).extracting(ClaimedStepTask::task).containsExactly(step);
    assertThat(second.get(0).claim().token()).isNotEqualTo(first.claim().token());
  }

  @Test
  @Rule("P13")
  void every_claim_has_a_token_of_its_own_although_the_worker_is_the_same() {
    dispatch(NOON, step("run_1"));
    ClaimedStepTask first = claimedOne(NOON);
    ClaimedStepTask again = claimedOne(NOON.plus(LEASE).plusMillis(1));

    assertThat(again.claim().token()).isNotEqualTo(first.claim().token());
  }

  @Test
  @Rule("P14")
  void an_owner_without_a_time_is_none() {
    dispatch(NOON, step("run_1"));
    Outcomes.done(fixture.ownWithoutTime("run_1:0"));

    assertThat(ids(claimed(NOON, 10, GROUP))).containsExactly("run_1:0");
  }

  @Test
  @Rule("P15")
  void competing_workers_never_lease_the_same_task() {
    dispatch(NOON, steps(40));

    Race.Results<List<ClaimedStepTask>> race =
        race(8, i -> () -> transportOf(i).claimStepTasks(claim(NOON, 5, GROUP)));

    assertThat(race.failures()).isEmpty();
    List<ClaimedStepTask> all =
        new ArrayList<>(race.results().stream().flatMap(List::stream).toList());
    assertThat(race.results()).allMatch(claimed -> claimed.size() <= 5);
    all.addAll(claimed(NOON, 100, GROUP));
    assertThat(ids(all)).hasSize(40).doesNotHaveDuplicates();
  }

  @Test
  @Rule("P15")
  void of_competing_takeovers_one_succeeds() {
    dispatch(NOON, step("run_1"));
    claimedOne(NOON);

    Race.Results<List<ClaimedStepTask>> race = race(
        8,
        i -> () -> transportOf(i).claimStepTasks(claim(NOON.plus(LEASE).plusMillis(1), 5, GROUP)));

    assertThat(race.failures()).isEmpty();
    assertThat(race.results().stream().flatMap(List::stream)).hasSize(1);
  }

  @Test
  @Rule("P16")
  void an_unreadable_input_is_told_with_its_task_and_disturbs_no_other() {
    dispatch(NOON, step("run_1"));
    dispatch(after(1), step("run_2"));
    dispatch(after(2), step("run_3"));
    Outcomes.done(fixture.breakInput("run_2:0"));

    List<ClaimedStepTask> claimed = claimed(after(3), 10, GROUP);

    assertThat(ids(claimed)).containsExactly("run_1:0", "run_2:0", "run_3:0");
    assertThat(claimed.get(0).inputFault()).isNull();
    assertThat(claimed.get(1).inputFault()).isNotBlank();
    assertThat(claimed.get(1).task().input()).isNull();
    assertThat(claimed.get(2).task()).isEqualTo(step("run_3"));
  }

  @Test
  @Rule("P17")
  void a_malformed_claim_fails() {
    List<String> group = List.of(GROUP);
    dispatch(NOON, step("run_1"));

    for (ClaimStepTasks malformed : List.of(
        new ClaimStepTasks(group, "worker", NOON, LEASE, 0),
        new ClaimStepTasks(group, "worker", NOON, Duration.ZERO, 1),
        new ClaimStepTasks(group, "", NOON, LEASE, 1),
        new ClaimStepTasks(group, "w".repeat(129), NOON, LEASE, 1),
        new ClaimStepTasks(List.of(GROUP, GROUP), "worker", NOON, LEASE, 1),
        new ClaimStepTasks(List.of(""), "worker", NOON, LEASE, 1))) {
      assertFails(transport.claimStepTasks(malformed), VALIDATION_FAILED);
    }
    assertThat(claimed(NOON, 1, GROUP)).hasSize(1);
  }

  static List<String> ids(List<ClaimedStepTask> claimed) {
    return claimed.stream().map(each -> each.task().stepId()).toList();
  }

  private static List<String> idsOf(List<StepTask> steps) {
    return steps.stream().map(StepTask::stepId).toList();
  }
}
