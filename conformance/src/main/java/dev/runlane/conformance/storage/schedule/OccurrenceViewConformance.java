package dev.runlane.conformance.storage.schedule;

import static dev.runlane.conformance.kit.Given.ENVIRONMENT;
import static dev.runlane.conformance.kit.Given.MINUTE;
import static dev.runlane.conformance.kit.Given.NOON;
import static dev.runlane.conformance.kit.Given.OTHER_ENVIRONMENT;
import static dev.runlane.conformance.kit.Given.minutes;
import static dev.runlane.conformance.kit.Outcomes.assertFails;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.conformance.kit.Given;
import dev.runlane.conformance.kit.Outcomes;
import dev.runlane.conformance.kit.Rule;
import dev.runlane.run.Environment;
import dev.runlane.run.ErrorCode;
import dev.runlane.storage.schedule.ClaimScheduleOccurrence;
import dev.runlane.storage.schedule.CompleteScheduleOccurrence;
import dev.runlane.storage.schedule.GetScheduleOccurrence;
import dev.runlane.storage.schedule.ScheduleOccurrence;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Whoever was refused a fire can see whose it is. */
@DisplayName("showing occurrences of schedules")
public abstract class OccurrenceViewConformance extends RememberedScheduleConformance {
  @Test
  @Rule("occurrence")
  void an_occurrence_that_nobody_claimed_is_not_there() {
    claim("occ_1");

    assertThat(shown(ENVIRONMENT, "occ_2")).isEmpty();
    assertThat(shown(OTHER_ENVIRONMENT, "occ_1")).isEmpty();
  }

  @Test
  @Rule("occurrence")
  void a_claimed_occurrence_shows_when_the_claim_ends() {
    claim("occ_1");

    assertThat(shown(ENVIRONMENT, "occ_1"))
        .contains(
            new ScheduleOccurrence("occ_1", "nightly", NOON, minutes(1), false, null, List.of()));
  }

  @Test
  @Rule("occurrence")
  void a_completed_occurrence_shows_for_which_task_and_what_was_made_of_it() {
    complete("occ_1", Given.TASK);

    assertThat(shown(ENVIRONMENT, "occ_1"))
        .contains(new ScheduleOccurrence(
            "occ_1", "nightly", NOON, minutes(1), true, Given.TASK, List.of("run_1", "run_2")));
  }

  @Test
  @Rule("occurrence")
  void a_completion_that_named_no_task_shows_none() {
    complete("occ_1", null);

    ScheduleOccurrence found = shown(ENVIRONMENT, "occ_1").orElseThrow();
    assertThat(found.completed()).isTrue();
    assertThat(found.taskId()).isNull();
  }

  @Test
  @Rule({"occurrence", "S12"})
  void a_malformed_query_is_refused() {
    assertFails(
        schedules.getScheduleOccurrence(new GetScheduleOccurrence(ENVIRONMENT, "a:b")),
        ErrorCode.VALIDATION_FAILED);
  }

  private Optional<ScheduleOccurrence> shown(Environment environment, String occurrenceId) {
    return Outcomes.done(
        schedules.getScheduleOccurrence(new GetScheduleOccurrence(environment, occurrenceId)));
  }

  private String claim(String occurrenceId) {
    return Outcomes.done(storage.claimScheduleOccurrence(
            new ClaimScheduleOccurrence(ENVIRONMENT, "nightly", occurrenceId, NOON, NOON, MINUTE)))
        .orElseThrow()
        .claimToken();
  }

  private void complete(String occurrenceId, @Nullable String taskId) {
    Outcomes.done(storage.completeScheduleOccurrence(new CompleteScheduleOccurrence(
        ENVIRONMENT, occurrenceId, claim(occurrenceId), List.of("run_1", "run_2"), NOON, taskId)));
  }
}
