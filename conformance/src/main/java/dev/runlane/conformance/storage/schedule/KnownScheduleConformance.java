package dev.runlane.conformance.storage.schedule;

import static dev.runlane.conformance.given.TestRuns.queued;
import static dev.runlane.conformance.kit.Given.ENVIRONMENT;
import static dev.runlane.conformance.kit.Given.MINUTE;
import static dev.runlane.conformance.kit.Given.NOON;
import static dev.runlane.conformance.kit.Given.OTHER_ENVIRONMENT;
import static dev.runlane.conformance.kit.Given.minutes;
import static dev.runlane.conformance.kit.Outcomes.assertFails;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.conformance.kit.Given;
import dev.runlane.conformance.kit.Outcomes;
import dev.runlane.conformance.kit.Race;
import dev.runlane.conformance.kit.Rule;
import dev.runlane.run.Environment;
import dev.runlane.run.ErrorCode;
import dev.runlane.storage.schedule.ClaimScheduleOccurrence;
import dev.runlane.storage.schedule.ClaimedOccurrence;
import dev.runlane.storage.schedule.CompleteScheduleOccurrence;
import dev.runlane.storage.schedule.KnownSchedule;
import dev.runlane.storage.schedule.RegisterSchedules;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A schedule counts from when it was first told of, and each of its definitions from its own. */
@DisplayName("remembering schedules")
public abstract class KnownScheduleConformance extends RememberedScheduleConformance {
  private static final Duration KEPT = Duration.ofMinutes(10);
  private static final String HOURLY = "every PT1H";
  private static final String DAILY = "every PT24H";

  @Test
  @Rule("schedules")
  void a_new_schedule_counts_from_now() {
    assertThat(see(HOURLY, minutes(3)))
        .isEqualTo(new KnownSchedule(Given.TASK, "nightly", HOURLY, minutes(3), minutes(3), null));
  }

  @Test
  @Rule("schedules")
  void a_known_schedule_goes_on_counting_from_when_it_did() {
    see(HOURLY, NOON);

    KnownSchedule later = see(HOURLY, Given.NEXT_YEAR);

    assertThat(later.firstSeen()).isEqualTo(NOON);
    assertThat(later.countsFrom()).isEqualTo(NOON);
  }

  @Test
  @Rule("schedules")
  void an_edited_schedule_counts_from_its_edit_and_is_still_the_same_schedule() {
    see(HOURLY, NOON);

    KnownSchedule edited = see(DAILY, minutes(5));

    assertThat(edited.firstSeen()).isEqualTo(NOON);
    assertThat(edited.countsFrom()).isEqualTo(minutes(5));
  }

  @Test
  @Rule("schedules")
  void definitions_told_in_turn_do_not_reset_one_another() {
    see(HOURLY, NOON);
    see(DAILY, minutes(1));
    for (int minute = 2; minute < 30; minute++) {
      see(minute % 2 == 0 ? HOURLY : DAILY, minutes(minute));
    }

    assertThat(see(HOURLY, minutes(30)).countsFrom()).isEqualTo(NOON);
    assertThat(see(DAILY, minutes(31)).countsFrom()).isEqualTo(minutes(1));
    see(HOURLY, minutes(20)); // by a clock that is behind
    assertThat(see(HOURLY, minutes(35)).countsFrom()).isEqualTo(NOON);
  }

  @Test
  @Rule("schedules")
  void an_edit_back_counts_from_then_once_the_definition_was_away_for_long_enough() {
    see(HOURLY, NOON);
    see(DAILY, minutes(1));

    assertThat(see(HOURLY, minutes(10).minusNanos(1_000)).countsFrom()).isEqualTo(NOON);
    see(DAILY, minutes(15));
    assertThat(see(HOURLY, minutes(20)).countsFrom()).isEqualTo(minutes(20));
  }

  @Test
  @Rule("schedules")
  void a_definition_that_was_away_while_no_other_was_told_is_no_edit() {
    see(DAILY, NOON);
    see(HOURLY, minutes(1));

    assertThat(see(HOURLY, Given.NEXT_YEAR).countsFrom()).isEqualTo(minutes(1));
  }

  @Test
  @Rule("schedules")
  void schedules_tasks_and_environments_are_independent() {
    see(HOURLY, NOON);

    List<KnownSchedule> others = Outcomes.done(schedules.registerSchedules(new RegisterSchedules(
        ENVIRONMENT,
        List.of(
            new RegisterSchedules.Definition("other.task", "nightly", HOURLY),
            new RegisterSchedules.Definition(Given.TASK, "nightly", HOURLY),
            new RegisterSchedules.Definition(Given.TASK, "other", HOURLY)),
        minutes(1),
        KEPT)));

    assertThat(others)
        .extracting(KnownSchedule::countsFrom)
        .containsExactly(minutes(1), NOON, minutes(1));
    assertThat(see(OTHER_ENVIRONMENT, HOURLY, minutes(2)).countsFrom()).isEqualTo(minutes(2));
  }

  @Test
  @Rule("schedules")
  void the_latest_completed_fire_of_the_task_is_remembered() {
    see(HOURLY, NOON);

    complete("occ_2", minutes(2), Given.TASK, List.of());
    complete("occ_1", minutes(1), Given.TASK, List.of());
    complete("occ_3", minutes(3), "other.task", List.of());
    complete("occ_4", minutes(4), null, List.of());

    assertThat(see(HOURLY, minutes(5)).lastFire()).isEqualTo(minutes(2));
  }

  @Test
  @Rule("schedules")
  void a_schedule_that_fired_before_anybody_told_of_it_counts_from_its_earliest_fire() {
    given(queued("run_1"));
    complete("occ_2", minutes(2), null, List.of("run_1"));
    complete("occ_1", minutes(1), null, List.of("run_1"));

    Instant countsFrom = see(HOURLY, minutes(9)).countsFrom();

    assertThat(countsFrom).isBefore(minutes(1)).isAfterOrEqualTo(NOON);
    assertThat(see("edited", minutes(10)).countsFrom()).isEqualTo(minutes(10));
  }

  @Test
  @Rule("schedules")
  void a_fire_that_was_claimed_and_never_made_counts_too() {
    Outcomes.done(claim("occ_1", minutes(1)));

    assertThat(see(HOURLY, minutes(9)).countsFrom()).isBefore(minutes(1)).isAfterOrEqualTo(NOON);
  }

  @Test
  @Rule("schedules")
  void fires_of_another_task_do_not_count() {
    given(queued("run_1"));
    complete("occ_1", minutes(1), null, List.of("run_1"));
    complete("occ_2", minutes(2), "some.task", List.of());

    List<KnownSchedule> other = Outcomes.done(schedules.registerSchedules(new RegisterSchedules(
        ENVIRONMENT,
        List.of(new RegisterSchedules.Definition("other.task", "nightly", HOURLY)),
        minutes(9),
        KEPT)));

    assertThat(other.get(0).countsFrom()).isEqualTo(minutes(9));
  }

  @Test
  @Rule("schedules")
  void fires_of_nobody_knows_which_task_count_for_the_first_schedule_that_is_told_of() {
    complete("occ_1", minutes(1), null, List.of("run_pruned"));

    assertThat(see(HOURLY, minutes(9)).countsFrom()).isBefore(minutes(1));
    List<KnownSchedule> second = Outcomes.done(schedules.registerSchedules(new RegisterSchedules(
        ENVIRONMENT,
        List.of(new RegisterSchedules.Definition("other.task", "nightly", HOURLY)),
        minutes(9),
        KEPT)));
    assertThat(second.get(0).countsFrom()).isEqualTo(minutes(9));
  }

  @Test
  @Rule("schedules")
  void of_two_schedules_told_in_one_call_only_the_first_counts_fires_of_nobody_knows_which_task() {
    complete("occ_1", minutes(1), null, List.of("run_pruned"));

    List<KnownSchedule> both = Outcomes.done(schedules.registerSchedules(new RegisterSchedules(
        ENVIRONMENT,
        List.of(
            new RegisterSchedules.Definition("some.task", "nightly", HOURLY),
            new RegisterSchedules.Definition("other.task", "nightly", HOURLY)),
        minutes(9),
        KEPT)));

    assertThat(both.get(0).countsFrom()).isBefore(minutes(1));
    assertThat(both.get(1).countsFrom()).isEqualTo(minutes(9));
  }

  @Test
  @Rule("schedules")
  void processes_that_tell_at_once_are_told_the_same() {
    Race.Results<List<KnownSchedule>> race = race(Race.times(
        16,
        i -> adapter ->
            adapter.schedules().orElseThrow().registerSchedules(told(ENVIRONMENT, HOURLY, NOON))));

    assertThat(race.failures()).isEmpty();
    assertThat(race.results())
        .hasSize(16)
        .allMatch(see -> see.get(0).countsFrom().equals(NOON));
  }

  @Test
  @Rule({"schedules", "S12"})
  void malformed_commands_are_refused() {
    assertFails(
        schedules.registerSchedules(told(ENVIRONMENT, "", NOON)), ErrorCode.VALIDATION_FAILED);
    assertFails(
        schedules.registerSchedules(told(new Environment("a:b"), HOURLY, NOON)),
        ErrorCode.VALIDATION_FAILED);
    RegisterSchedules.Definition twice =
        new RegisterSchedules.Definition(Given.TASK, "nightly", HOURLY);
    assertFails(
        schedules.registerSchedules(
            new RegisterSchedules(ENVIRONMENT, List.of(twice, twice), NOON, KEPT)),
        ErrorCode.VALIDATION_FAILED);
  }

  private KnownSchedule see(String definition, Instant now) {
    return see(ENVIRONMENT, definition, now);
  }

  private KnownSchedule see(Environment environment, String definition, Instant now) {
    return Outcomes.done(schedules.registerSchedules(told(environment, definition, now)))
        .get(0);
  }

  private static RegisterSchedules told(Environment environment, String definition, Instant now) {
    return new RegisterSchedules(
        environment,
        List.of(new RegisterSchedules.Definition(Given.TASK, "nightly", definition)),
        now,
        KEPT);
  }

  private void complete(
      String occurrenceId, Instant fireAt, @Nullable String taskId, List<String> runIds) {
    Future<Void> completed = claim(occurrenceId, fireAt)
        .compose(claim -> storage.completeScheduleOccurrence(new CompleteScheduleOccurrence(
            ENVIRONMENT, occurrenceId, claim.orElseThrow().claimToken(), runIds, fireAt, taskId)));
    Outcomes.done(completed);
  }

  private Future<Optional<ClaimedOccurrence>> claim(String occurrenceId, Instant fireAt) {
    return storage.claimScheduleOccurrence(
        new ClaimScheduleOccurrence(ENVIRONMENT, "nightly", occurrenceId, fireAt, fireAt, MINUTE));
  }
}
