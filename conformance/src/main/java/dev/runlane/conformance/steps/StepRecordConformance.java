package dev.runlane.conformance.steps;

import static dev.runlane.conformance.kit.Given.NOON;
import static dev.runlane.steps.result.RecordOutcome.BLOCKED;
import static dev.runlane.steps.result.RecordOutcome.LEASE_LOST;
import static dev.runlane.steps.result.RecordOutcome.RECORDED;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.conformance.kit.JsonTexts;
import dev.runlane.conformance.kit.Outcomes;
import dev.runlane.conformance.kit.Race;
import dev.runlane.conformance.kit.Rule;
import dev.runlane.run.Json;
import dev.runlane.steps.result.ClaimedStepResult;
import dev.runlane.steps.result.RecordOutcome;
import dev.runlane.steps.result.RecordStepResults;
import dev.runlane.steps.result.SettleOutcome;
import dev.runlane.steps.result.StepError;
import dev.runlane.steps.result.StepOutcome;
import dev.runlane.steps.result.StepResult;
import dev.runlane.steps.task.ClaimedStepTask;
import dev.runlane.steps.task.ListMissingSteps;
import dev.runlane.steps.task.StepTask;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A result is stored with the end of its task, under the lease of whoever ran it, or not at all. */
@DisplayName("recording results")
public abstract class StepRecordConformance extends StepTransportConformance {
  private static final Instant LATER = NOON.plus(LEASE).plusMillis(1);

  @Test
  @Rule("P30")
  void a_recorded_result_takes_the_place_of_the_task() {
    StepTask step = step("run:1", 3);
    dispatch(NOON, step);
    ClaimedStepTask task = claimedOne(NOON);

    assertThat(record(after(9), ended(task, DONE))).containsExactly(RECORDED);

    assertThat(claimed(LATER, 10, GROUP)).isEmpty();
    assertThat(claimedResult(after(9), "run:1:3").result())
        .isEqualTo(new StepResult("run:1:3", "run:1", 3, DONE, after(7), after(9)));
  }

  @Test
  @Rule("P30")
  void an_absent_output_stays_absent_and_any_json_is_kept_exactly() {
    for (StepOutcome outcome : List.of(
        new StepOutcome.Completed(null),
        completed("null"),
        completed("0"),
        completed("\"\\u0000\\ud800 \u00e4\ud83d\ude80\""),
        completed("{ \"n\" : 1.00 }"))) {
      assertThat(recordedAs(outcome)).isEqualTo(outcome);
    }
  }

  @Test
  @Rule("P30")
  void every_text_that_json_allows_arrives_nul_and_half_pairs_among_it() {
    for (Json json : JsonTexts.all()) {
      StepOutcome outcome = new StepOutcome.Completed(json);

      assertThat(recordedAs(outcome).equals(outcome)).isTrue();
    }
  }

  @Test
  @Rule("P30")
  void an_output_of_five_megabytes_arrives() {
    StepOutcome large = completed("\"" + "\u00e4".repeat(2_600_000) + "\"");

    assertThat(recordedAs(large).equals(large)).isTrue();
  }

  @Test
  @Rule("P31")
  void a_failure_arrives_with_all_that_it_says() {
    for (StepError error : List.of(
        new StepError("it failed: \u00e4\ud83d\ude80 \"'\\", null, null, null),
        new StepError("", "card_declined", false, "at line 1\nat line 2"),
        new StepError("nul \u0000 and half \ud800", null, true, null))) {
      assertThat(recordedAs(new StepOutcome.Failed(error)))
          .isEqualTo(new StepOutcome.Failed(error));
    }
  }

  @Test
  @Rule("P32")
  void without_the_lease_nothing_is_recorded() {
    dispatch(NOON, step("run_1"));
    ClaimedStepTask first = claimedOne(NOON);
    ClaimedStepTask second = claimedOne(LATER);

    assertThat(record(LATER, ended(first, DONE))).containsExactly(LEASE_LOST);
    assertThat(listed(LATER)).isEmpty();

    assertThat(record(LATER, ended(second, DONE))).containsExactly(RECORDED);
    assertThat(listed(LATER)).hasSize(1);
  }

  @Test
  @Rule("P32")
  void a_result_is_recorded_once_although_the_engine_has_taken_it() {
    StepTask step = step("run_1");
    dispatch(NOON, step);
    ClaimedStepTask task = claimedOne(NOON);
    record(NOON, ended(task, DONE));
    settle(claimedResult(NOON, step.stepId()), null, NOON);

    assertThat(record(NOON, ended(task, DONE))).containsExactly(LEASE_LOST);

    assertThat(listed(NOON)).isEmpty();
  }

  @Test
  @Rule("P32")
  void a_late_result_of_an_earlier_attempt_does_not_touch_the_next() {
    StepTask step = step("run_1");
    dispatch(NOON, step);
    ClaimedStepTask late = claimedOne(NOON);
    ClaimedStepTask second = claimedOne(LATER);
    record(LATER, ended(second, DONE));
    settle(claimedResult(LATER, step.stepId()), step.next(), LATER);

    assertThat(record(LATER, ended(late, DONE))).containsExactly(LEASE_LOST);

    assertThat(claimedOne(LATER).task()).isEqualTo(step.next());
  }

  @Test
  @Rule("P33")
  void a_result_that_is_there_for_the_same_task_stays_and_the_task_goes() {
    StepTask step = step("run_1");
    dispatch(NOON, step);
    ClaimedStepTask task = claimedOne(NOON);
    StepResult standing = resultOf(step, completed("\"first\""), after(3));
    Outcomes.done(fixture.putResult(standing));

    assertThat(record(after(9), ended(task, DONE))).containsExactly(RECORDED);

    assertThat(claimed(LATER, 10, GROUP)).isEmpty();
    assertThat(claimedResult(after(9), step.stepId()).result()).isEqualTo(standing);
  }

  @Test
  @Rule("P34")
  void a_result_of_an_earlier_attempt_is_waited_for() {
    StepTask step = step("run_1");
    Outcomes.done(fixture.putResult(resultOf(step, completed("\"old\""), after(-5))));
    dispatch(NOON, step.next());
    ClaimedStepTask task = claimedOne(NOON);

    assertThat(record(NOON, ended(task, DONE))).containsExactly(BLOCKED);
    assertThat(claimed(NOON, 10, GROUP)).as("the lease stays").isEmpty();
    assertThat(settle(claimedResult(NOON, step.stepId()), null, NOON))
        .isEqualTo(SettleOutcome.SETTLED);

    assertThat(record(after(9), ended(task, DONE))).containsExactly(RECORDED);
    assertThat(claimedResult(after(9), step.stepId()).result().outcome()).isEqualTo(DONE);
  }

  @Test
  @Rule("P35")
  void outcomes_stand_in_the_order_of_the_results_and_none_hinders_another() {
    dispatch(NOON, steps(4));
    List<ClaimedStepTask> tasks = claimed(NOON, 4, GROUP);
    record(NOON, ended(tasks.get(1), DONE));

    List<RecordOutcome> outcomes = record(
        NOON,
        ended(tasks.get(0), DONE),
        ended(tasks.get(1), DONE),
        ended(tasks.get(2), new StepOutcome.Failed(StepError.of(null, "no"))),
        ended(tasks.get(3), new StepOutcome.Completed(null)));

    assertThat(outcomes).containsExactly(RECORDED, LEASE_LOST, RECORDED, RECORDED);
    assertThat(listed(NOON)).hasSize(4);
    assertThat(record(NOON)).isEmpty();
  }

  @Test
  @Rule("P36")
  void competing_owners_record_one_result() {
    dispatch(NOON, step("run_1"));
    ClaimedStepTask first = claimedOne(NOON);
    ClaimedStepTask second = claimedOne(LATER);

    Race.Results<List<RecordOutcome>> race = race(
        8,
        i -> () -> transportOf(i)
            .recordStepResults(
                new RecordStepResults(List.of(ended(i % 4 < 2 ? first : second, DONE)), LATER)));

    assertThat(race.failures()).isEmpty();
    assertThat(race.results().stream().flatMap(List::stream).filter(RECORDED::equals))
        .hasSize(1);
    assertThat(listed(LATER)).hasSize(1);
  }

  @Test
  @Rule("P36")
  void a_step_is_never_seen_without_task_and_result_while_it_is_recorded() {
    List<StepTask> steps = steps(30);
    List<String> ids = steps.stream().map(StepTask::stepId).toList();
    dispatch(NOON, steps);
    List<ClaimedStepTask> tasks = claimed(NOON, 30, GROUP);

    Race.Results<Object> race = race(
        60,
        i -> () -> i % 2 == 0
            ? transport
                .recordStepResults(
                    new RecordStepResults(List.of(ended(tasks.get(i / 2), DONE)), NOON))
                .map(Object.class::cast)
            : other().listMissingSteps(new ListMissingSteps(ids)).map(Object.class::cast));

    assertThat(race.failures()).isEmpty();
    assertThat(race.results())
        .filteredOn(each ->
            each instanceof List<?> list && list.stream().anyMatch(String.class::isInstance))
        .as("steps that seemed to be missing")
        .isEmpty();
    assertThat(listed(NOON)).hasSize(30);
  }

  private StepOutcome recordedAs(StepOutcome outcome) {
    StepTask step = step("run_1");
    dispatch(NOON, step);
    record(NOON, ended(claimedOne(NOON), outcome));
    ClaimedStepResult result = claimedResult(NOON, step.stepId());
    settle(result, null, NOON);
    return result.result().outcome();
  }

  private static StepOutcome completed(String json) {
    return new StepOutcome.Completed(Json.ofChecked(json));
  }
}
