package dev.runlane.conformance.steps;

import static dev.runlane.conformance.kit.Given.NOON;
import static dev.runlane.conformance.kit.Outcomes.assertFails;
import static dev.runlane.run.ErrorCode.VALIDATION_FAILED;
import static dev.runlane.steps.task.DispatchOutcome.ANSWERED;
import static dev.runlane.steps.task.DispatchOutcome.BLOCKED;
import static dev.runlane.steps.task.DispatchOutcome.DISPATCHED;
import static dev.runlane.steps.task.DispatchOutcome.PENDING;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.conformance.kit.JsonTexts;
import dev.runlane.conformance.kit.Outcomes;
import dev.runlane.conformance.kit.Race;
import dev.runlane.conformance.kit.Rule;
import dev.runlane.run.Json;
import dev.runlane.steps.result.ClaimedStepResult;
import dev.runlane.steps.result.SettleOutcome;
import dev.runlane.steps.task.ClaimedStepTask;
import dev.runlane.steps.task.DispatchOutcome;
import dev.runlane.steps.task.DispatchSteps;
import dev.runlane.steps.task.ListStepTasks;
import dev.runlane.steps.task.StepTask;
import dev.runlane.steps.task.StepTaskState;
import dev.runlane.steps.task.WithdrawSteps;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Steps reach workers as they were given, once, and later attempts are not swallowed unseen. */
@DisplayName("dispatching steps")
public abstract class StepDispatchConformance extends StepTransportConformance {
  @Test
  @Rule("P01")
  void a_dispatched_step_reaches_a_worker_as_it_was_given() {
    StepTask step = new StepTask(
        "run:1~.\u00e4\ud83d\ude80'\"\\:3",
        "run:1~.\u00e4\ud83d\ude80'\"\\",
        3,
        "payments:charge.card",
        "payments-charge.card@blue",
        Json.ofChecked("{\"text\":\"\u00e4\ud83d\ude80'\\\"\",\"none\":null,\"n\":1.00}"),
        4);

    assertThat(dispatch(NOON, step)).containsExactly(DISPATCHED);

    List<ClaimedStepTask> claimed = claimed(NOON, 10, "payments-charge.card@blue");
    assertThat(claimed).hasSize(1);
    assertThat(claimed.get(0).task()).isEqualTo(step);
    assertThat(claimed.get(0).inputFault()).isNull();
    assertThat(claimed.get(0).dispatchedAt()).isEqualTo(NOON);
  }

  @Test
  @Rule("P01")
  void a_step_without_input_has_none() {
    dispatch(NOON, step("run_1", null), step("run_2", Json.ofChecked("null")));

    assertThat(claimed(NOON, 10, GROUP))
        .hasSize(2)
        .allMatch(each -> each.task().input() == null && each.inputFault() == null);
  }

  @Test
  @Rule("P01")
  void any_json_is_kept_exactly() {
    List<Json> inputs = List.of(
        Json.ofChecked("0"),
        Json.ofChecked("\"\""),
        Json.ofChecked("false"),
        Json.ofChecked("[ 1.00 , 12345678901234567890 ]"),
        Json.ofChecked("\"\\u0000 \\ud800\""),
        Json.ofChecked("[".repeat(200) + "]".repeat(200)),
        Json.ofChecked("{\"a\":1,\"a\":2}"));
    List<StepTask> steps = IntStream.range(0, inputs.size())
        .mapToObj(i -> step("run_" + i, inputs.get(i)))
        .toList();

    dispatch(NOON, steps);

    assertThat(claimed(NOON, 10, GROUP))
        .extracting(ClaimedStepTask::task)
        .containsExactlyInAnyOrderElementsOf(steps);
  }

  @Test
  @Rule("P01")
  void every_text_that_json_allows_is_kept_nul_and_half_pairs_among_it() {
    List<Json> inputs = JsonTexts.all();
    List<StepTask> steps = IntStream.range(0, inputs.size())
        .mapToObj(i -> step("run_" + i, inputs.get(i)))
        .toList();

    dispatch(NOON, steps);

    List<StepTask> claimed =
        claimed(NOON, inputs.size(), GROUP).stream().map(ClaimedStepTask::task).toList();
    assertThat(Set.copyOf(claimed).equals(Set.copyOf(steps))).isTrue();
  }

  @Test
  @Rule("P01")
  void an_input_of_five_megabytes_arrives() {
    StepTask step = step("run_1", Json.ofChecked("\"" + "\u00e4".repeat(2_600_000) + "\""));

    dispatch(NOON, step);

    assertThat(claimedOne(NOON).task().equals(step)).isTrue();
  }

  @Test
  @Rule("P02")
  void a_second_dispatch_changes_nothing() {
    StepTask first = step("run_1");
    StepTask second =
        new StepTask(first.stepId(), "run_2", 9, "other", "other", Json.ofChecked("2"), 1);
    dispatch(NOON, first);

    assertThat(dispatch(after(5), second)).containsExactly(PENDING);

    assertThat(claimed(after(5), 10, "other")).isEmpty();
    ClaimedStepTask standing = claimedOne(after(5));
    assertThat(standing.task()).isEqualTo(first);
    assertThat(standing.dispatchedAt()).isEqualTo(NOON);
  }

  @Test
  @Rule("P02")
  void a_dispatch_of_an_earlier_attempt_changes_nothing() {
    StepTask second = step("run_1").next();
    dispatch(NOON, second);

    assertThat(dispatch(NOON, step("run_1"))).containsExactly(PENDING);

    assertThat(claimedOne(NOON).task().attempt()).isEqualTo(2);
  }

  @Test
  @Rule("P03")
  void a_later_attempt_is_blocked_while_an_earlier_one_stands() {
    StepTask first = step("run_1");
    dispatch(NOON, first);
    claimedOne(NOON);

    assertThat(dispatch(after(5), first.next())).containsExactly(BLOCKED);
    Outcomes.done(other().withdrawSteps(new WithdrawSteps(List.of(first.stepId()))));

    assertThat(dispatch(after(6), first.next())).containsExactly(DISPATCHED);
    assertThat(claimedOne(after(6)).task().attempt()).isEqualTo(2);
  }

  @Test
  @Rule("P04")
  void outcomes_stand_in_the_order_of_the_steps() {
    dispatch(NOON, step("run_1"), step("run_3"));

    List<DispatchOutcome> outcomes = dispatch(
        NOON, step("run_0"), step("run_1"), step("run_2"), step("run_3").next(), step("run_4"));

    assertThat(outcomes).containsExactly(DISPATCHED, PENDING, DISPATCHED, BLOCKED, DISPATCHED);
  }

  @Test
  @Rule("P04")
  void a_thousand_steps_are_dispatched_at_once() {
    assertThat(dispatch(NOON, steps(1_000))).hasSize(1_000).containsOnly(DISPATCHED);

    assertThat(claimed(NOON, 2_000, GROUP))
        .extracting(ClaimedStepTask::task)
        .containsExactlyInAnyOrderElementsOf(steps(1_000));
    assertThat(dispatch(NOON, List.of())).isEmpty();
  }

  @Test
  @Rule("P05")
  void competing_dispatches_of_the_same_steps_store_each_once() {
    List<StepTask> steps = steps(20);
    Race.Results<List<DispatchOutcome>> race = race(
        8, i -> () -> transportOf(i).dispatchSteps(new DispatchSteps(shuffled(steps, i), NOON)));

    assertThat(race.failures()).isEmpty();
    assertThat(race.results().stream().flatMap(List::stream).filter(DISPATCHED::equals))
        .hasSize(20);
    assertThat(claimed(NOON, 100, GROUP)).hasSize(20);
  }

  @Test
  @Rule("P06")
  void ids_names_and_groups_of_191_characters_are_kept_and_longer_ones_refused() {
    String longest = "\u00e4".repeat(190) + "\ud83d\ude80";
    StepTask fits = new StepTask(longest, longest, 0, longest, longest, VALUE, 1);
    String tooLong = longest + "x";

    assertThat(dispatch(NOON, fits)).containsExactly(DISPATCHED);
    for (StepTask refused : List.of(
        new StepTask(tooLong, "run_1", 0, GROUP, GROUP, VALUE, 1),
        new StepTask("run_1:0", tooLong, 0, GROUP, GROUP, VALUE, 1),
        new StepTask("run_1:0", "run_1", 0, tooLong, GROUP, VALUE, 1),
        new StepTask("run_1:0", "run_1", 0, GROUP, tooLong, VALUE, 1))) {
      assertFails(
          transport.dispatchSteps(new DispatchSteps(List.of(step("run_2"), refused), NOON)),
          VALIDATION_FAILED);
    }

    assertThat(claimed(NOON, 10, longest)).extracting(ClaimedStepTask::task).containsExactly(fits);
    assertThat(claimed(NOON, 10, GROUP)).isEmpty();
  }

  @Test
  @Rule("P06")
  void a_malformed_dispatch_fails_and_stores_nothing() {
    for (List<StepTask> malformed : List.of(
        List.of(new StepTask("", "run_1", 0, GROUP, GROUP, VALUE, 1)),
        List.of(new StepTask("run_1:0", "a\u0000b", 0, GROUP, GROUP, VALUE, 1)),
        List.of(new StepTask("run_1:0", "run_1", 0, GROUP, "\ud800", VALUE, 1)),
        List.of(new StepTask("run_1:0", "run_1", 0, GROUP, GROUP, VALUE, 0)),
        List.of(new StepTask("run_1:0", "run_1", -1, GROUP, GROUP, VALUE, 1)),
        List.of(step("run_1"), step("run_1")))) {
      assertFails(transport.dispatchSteps(new DispatchSteps(malformed, NOON)), VALIDATION_FAILED);
    }
    assertThat(claimed(NOON, 10, GROUP)).isEmpty();
  }

  @Test
  @Rule("P07")
  void step_ids_that_differ_by_case_or_accent_are_different_steps() {
    assertThat(dispatch(NOON, step("RUN_a"), step("run_a"), step("run_A"), step("run_\u00e4")))
        .containsOnly(DISPATCHED);

    assertThat(claimed(NOON, 10, GROUP)).hasSize(4);
  }

  @Test
  @Rule("P08")
  void a_task_shows_since_when_a_worker_has_it() {
    dispatch(NOON, step("run_1"), step("run_2"), step("run_3"));
    List<ClaimedStepTask> claimed = claimed(NOON.plusSeconds(5), 1, GROUP);
    String taken = claimed.get(0).task().stepId();
    Outcomes.done(transport.withdrawSteps(new WithdrawSteps(List.of("run_3:0"))));

    List<StepTaskState> shown = Outcomes.done(other()
        .listStepTasks(new ListStepTasks(List.of("run_3:0", "run_2:0", "run_9:0", "run_1:0"))));

    assertThat(shown).extracting(StepTaskState::stepId).containsExactly("run_2:0", "run_1:0");
    assertThat(shown).allMatch(each -> each.attempt() == 1);
    assertThat(shown).allSatisfy(each -> assertThat(each.leasedAt())
        .as(each.stepId())
        .isEqualTo(each.stepId().equals(taken) ? NOON.plusSeconds(5) : null));
    assertThat(Outcomes.done(other().listStepTasks(new ListStepTasks(List.of()))))
        .isEmpty();
    assertFails(transport.listStepTasks(new ListStepTasks(List.of(""))), VALIDATION_FAILED);
  }

  @Test
  @Rule("P09")
  void a_step_whose_result_stands_is_not_dispatched_again() {
    StepTask step = step("run_1");
    complete(step, NOON);

    assertThat(dispatchMissing(after(5), step, step("run_2")))
        .containsExactly(ANSWERED, DISPATCHED);
    assertThat(dispatchMissing(after(6), step.next())).containsExactly(ANSWERED);
    ClaimedStepResult result = claimedResult(after(7), step.stepId());
    assertThat(dispatchMissing(after(7), step)).as("claimed").containsExactly(ANSWERED);

    assertThat(claimed(after(8), 10, GROUP))
        .extracting(each -> each.task().runId())
        .containsExactly("run_2");
    assertThat(settle(result, null, after(9))).isEqualTo(SettleOutcome.SETTLED);
    assertThat(dispatchMissing(after(10), step.next())).containsExactly(DISPATCHED);
    assertThat(claimedOne(after(10)).task()).isEqualTo(step.next());
  }

  @Test
  @Rule("P09")
  void dispatching_what_is_missing_leaves_tasks_as_they_are() {
    dispatch(NOON, step("run_1"), step("run_2"), step("run_3").next());

    assertThat(dispatchMissing(
            after(5), step("run_4"), step("run_3"), step("run_2").next(), step("run_1")))
        .containsExactly(DISPATCHED, PENDING, BLOCKED, PENDING);

    assertThat(claimed(after(6), 10, GROUP))
        .extracting(ClaimedStepTask::task)
        .containsExactlyInAnyOrder(
            step("run_1"), step("run_2"), step("run_3").next(), step("run_4"));
    assertThat(dispatchMissing(after(7))).isEmpty();
    assertFails(
        transport.dispatchMissingSteps(
            new DispatchSteps(List.of(step("run_5"), step("run_5")), after(7))),
        VALIDATION_FAILED);
  }

  @Test
  @Rule("P09")
  void a_task_that_has_a_result_beside_it_counts_as_a_task() {
    StepTask step = step("run_1");
    complete(step, NOON);
    dispatch(after(1), step.next());

    assertThat(dispatchMissing(after(2), step.next())).containsExactly(PENDING);
    assertThat(dispatchMissing(after(2), step.next().next())).containsExactly(BLOCKED);
  }

  private List<DispatchOutcome> dispatchMissing(Instant now, StepTask... steps) {
    return Outcomes.done(
        other().dispatchMissingSteps(new DispatchSteps(Arrays.asList(steps), now)));
  }

  static StepTask step(String runId, @Nullable Json input) {
    return StepTask.first(runId, 0, GROUP, input);
  }

  private static List<StepTask> shuffled(List<StepTask> steps, int turn) {
    List<StepTask> rotated = new ArrayList<>(steps);
    Collections.rotate(rotated, turn * 3);
    return rotated;
  }
}
