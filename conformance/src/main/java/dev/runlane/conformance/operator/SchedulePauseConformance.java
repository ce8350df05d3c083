package dev.runlane.conformance.operator;

import static dev.runlane.conformance.kit.Given.ENVIRONMENT;
import static dev.runlane.conformance.kit.Given.HOUR;
import static dev.runlane.conformance.kit.Given.MINUTE;
import static dev.runlane.conformance.kit.Given.NEXT_YEAR;
import static dev.runlane.conformance.kit.Given.NOON;
import static dev.runlane.conformance.kit.Given.OTHER_ENVIRONMENT;
import static dev.runlane.conformance.kit.Given.OTHER_TASK;
import static dev.runlane.conformance.kit.Given.TASK;
import static dev.runlane.conformance.kit.Given.minutes;
import static dev.runlane.conformance.kit.Outcomes.assertFails;
import static dev.runlane.conformance.kit.Outcomes.done;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.conformance.kit.Race;
import dev.runlane.conformance.kit.Rule;
import dev.runlane.operator.schedule.FindSchedules;
import dev.runlane.operator.schedule.ListSchedules;
import dev.runlane.operator.schedule.PauseSchedule;
import dev.runlane.operator.schedule.ResumeSchedule;
import dev.runlane.operator.schedule.ScheduleName;
import dev.runlane.operator.schedule.SchedulePause;
import dev.runlane.operator.schedule.ScheduleState;
import dev.runlane.run.Actor;
import dev.runlane.run.Environment;
import dev.runlane.run.ErrorCode;
import dev.runlane.storage.schedule.ClaimScheduleOccurrence;
import dev.runlane.storage.schedule.CompleteScheduleOccurrence;
import dev.runlane.storage.schedule.KnownSchedule;
import dev.runlane.storage.schedule.PruneOccurrences;
import dev.runlane.storage.schedule.RegisterSchedules;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Which schedules there are, and which are paused. */
@DisplayName("schedules and their pauses")
public abstract class SchedulePauseConformance extends OperatorConformance {
  private static final ScheduleName NIGHTLY = new ScheduleName(TASK, "nightly");
  private static final ScheduleName HOURLY = new ScheduleName(TASK, "hourly");
  private static final ScheduleName OTHER = new ScheduleName(OTHER_TASK, "hourly");
  private static final ScheduleName UNKNOWN = new ScheduleName(TASK, "never");
  private static final String DEFINITION = "every PT1H";

  @Test
  @Rule("operator")
  void a_schedule_is_listed_with_its_last_definition_and_when_it_was_registered() {
    register(NOON, DEFINITION, NIGHTLY);
    register(minutes(1), "every PT2H", NIGHTLY);

    assertThat(all(ENVIRONMENT))
        .containsExactly(new ScheduleState(
            NIGHTLY, "every PT2H", NOON, minutes(1), minutes(1), null, null, null));
  }

  @Test
  @Rule("operator")
  void a_schedule_tells_its_latest_completed_fire() {
    register(NOON, DEFINITION, NIGHTLY);
    complete("second", NIGHTLY, minutes(60));
    complete("first", NIGHTLY, minutes(30));

    assertThat(find(NIGHTLY)).extracting(ScheduleState::lastFire).containsExactly(minutes(60));
  }

  @Test
  @Rule("operator")
  void schedules_are_listed_by_task_and_id_in_pages() {
    register(NOON, DEFINITION, OTHER, NIGHTLY, HOURLY);

    assertThat(
            pages(cursor -> operator.listSchedules(new ListSchedules(ENVIRONMENT, 2, cursor)))
                .stream()
                .map(page -> page.stream().map(ScheduleState::name).toList()))
        .containsExactly(List.of(HOURLY, NIGHTLY), List.of(OTHER));
  }

  @Test
  @Rule("operator")
  void schedules_are_found_by_name_and_unknown_ones_left_out() {
    register(NOON, DEFINITION, OTHER, NIGHTLY, HOURLY);

    assertThat(find(OTHER, UNKNOWN, HOURLY, OTHER))
        .extracting(ScheduleState::name)
        .containsExactly(HOURLY, OTHER);
    assertThat(find()).isEmpty();
  }

  @Test
  @Rule("operator")
  void a_paused_schedule_tells_who_paused_it_why_and_when() {
    register(NOON, DEFINITION, NIGHTLY, HOURLY);
    Actor system = new Actor(Actor.Type.SYSTEM, null);

    assertThat(pause(NIGHTLY)).isTrue();
    assertThat(done(operator.pauseSchedule(
            new PauseSchedule(ENVIRONMENT, HOURLY, system, null, minutes(2)))))
        .isTrue();

    assertThat(all(ENVIRONMENT))
        .extracting(ScheduleState::pause)
        .containsExactly(
            new SchedulePause(system, null, minutes(2)),
            new SchedulePause(ANNA, "the bank is away", minutes(1)));
  }

  @Test
  @Rule("operator")
  void a_schedule_that_is_paused_already_keeps_who_paused_it() {
    register(NOON, DEFINITION, NIGHTLY);
    pause(NIGHTLY);

    assertThat(done(operator.pauseSchedule(new PauseSchedule(
            ENVIRONMENT, NIGHTLY, Actor.operator("ben"), "another reason", minutes(2)))))
        .isFalse();
    assertThat(find(NIGHTLY))
        .extracting(ScheduleState::pause)
        .containsExactly(new SchedulePause(ANNA, "the bank is away", minutes(1)));
  }

  @Test
  @Rule("operator")
  void a_resumed_schedule_is_not_paused_and_tells_since_when() {
    register(NOON, DEFINITION, NIGHTLY, HOURLY);
    pause(NIGHTLY);
    pause(HOURLY);

    assertThat(resume(NIGHTLY, minutes(5))).isTrue();
    assertThat(resume(NIGHTLY, minutes(6))).isFalse();

    assertThat(find(NIGHTLY))
        .containsExactly(
            new ScheduleState(NIGHTLY, DEFINITION, NOON, NOON, minutes(5), null, minutes(5), null));
    assertThat(find(HOURLY)).extracting(ScheduleState::pause).doesNotContainNull();
    assertThat(pause(NIGHTLY)).isTrue();
  }

  @Test
  @Rule("operator")
  void every_definition_of_a_resumed_schedule_counts_from_the_resume() {
    register(NOON, DEFINITION, NIGHTLY, HOURLY);
    register(NOON, "every PT2H", NIGHTLY);
    register(minutes(7), "every PT3H", NIGHTLY); // by a clock that is ahead of who resumes
    pause(NIGHTLY);

    resume(NIGHTLY, minutes(5));

    assertThat(register(minutes(6), DEFINITION, NIGHTLY, HOURLY))
        .extracting(KnownSchedule::countsFrom)
        .containsExactly(minutes(5), NOON);
    assertThat(register(minutes(6), "every PT2H", NIGHTLY))
        .extracting(KnownSchedule::countsFrom)
        .containsExactly(minutes(5));
    assertThat(register(minutes(8), "every PT3H", NIGHTLY))
        .extracting(KnownSchedule::countsFrom)
        .containsExactly(minutes(7));
  }

  @Test
  @Rule("operator")
  void a_pause_outlives_registrations_and_edits() {
    register(NOON, DEFINITION, NIGHTLY);
    pause(NIGHTLY);

    register(minutes(2), DEFINITION, NIGHTLY);
    register(minutes(3), "every PT2H", NIGHTLY);

    assertThat(find(NIGHTLY)).extracting(ScheduleState::pause).doesNotContainNull();
  }

  @Test
  @Rule("operator")
  void a_schedule_that_was_never_registered_cannot_be_paused_or_resumed() {
    assertFails(
        operator.pauseSchedule(new PauseSchedule(ENVIRONMENT, UNKNOWN, ANNA, null, NOON)),
        ErrorCode.SCHEDULE_NOT_FOUND);
    assertFails(
        operator.resumeSchedule(new ResumeSchedule(ENVIRONMENT, UNKNOWN, NOON)),
        ErrorCode.SCHEDULE_NOT_FOUND);
  }

  @Test
  @Rule("operator")
  void of_many_that_pause_a_schedule_at_once_one_does() {
    register(NOON, DEFINITION, NIGHTLY);

    Race.Results<Boolean> race = race(Race.times(
        8,
        i -> adapter -> adapter
            .operator()
            .orElseThrow()
            .pauseSchedule(new PauseSchedule(ENVIRONMENT, NIGHTLY, ANNA, null, NOON))));

    assertThat(race.failures()).isEmpty();
    assertThat(race.results()).filteredOn(won -> won).hasSize(1);
  }

  @Test
  @Rule("operator")
  void environments_have_their_own_schedules() {
    register(NOON, DEFINITION, NIGHTLY);

    assertThat(all(OTHER_ENVIRONMENT)).isEmpty();
    assertThat(done(operator.findSchedules(new FindSchedules(OTHER_ENVIRONMENT, List.of(NIGHTLY)))))
        .isEmpty();
    assertFails(
        operator.pauseSchedule(new PauseSchedule(OTHER_ENVIRONMENT, NIGHTLY, ANNA, null, NOON)),
        ErrorCode.SCHEDULE_NOT_FOUND);
  }

  @Test
  @Rule({"operator", "S12"})
  void malformed_commands_are_refused() {
    assertFails(
        operator.pauseSchedule(
            new PauseSchedule(ENVIRONMENT, new ScheduleName("", "nightly"), ANNA, null, NOON)),
        ErrorCode.VALIDATION_FAILED);
    assertFails(
        operator.pauseSchedule(
            new PauseSchedule(ENVIRONMENT, NIGHTLY, ANNA, "x".repeat(2_001), NOON)),
        ErrorCode.VALIDATION_FAILED);
    assertFails(
        operator.resumeSchedule(
            new ResumeSchedule(ENVIRONMENT, new ScheduleName(TASK, "a:b"), NOON)),
        ErrorCode.VALIDATION_FAILED);
    assertFails(
        operator.listSchedules(new ListSchedules(ENVIRONMENT, 0, null)),
        ErrorCode.VALIDATION_FAILED);
    assertFails(
        operator.listSchedules(new ListSchedules(ENVIRONMENT, null, "no cursor")),
        ErrorCode.VALIDATION_FAILED);
    assertFails(
        operator.findSchedules(new FindSchedules(ENVIRONMENT, List.of(new ScheduleName(TASK, "")))),
        ErrorCode.VALIDATION_FAILED);
  }

  @Test
  @Rule({"operator", "occurrence"})
  void old_fires_are_removed_whatever_a_paused_schedule_of_the_same_id_has_fired() {
    register(NEXT_YEAR, DEFINITION, HOURLY, OTHER);
    complete("first", OTHER, minutes(1));
    complete("second", HOURLY, minutes(2));
    complete("third", HOURLY, minutes(3));
    PruneOccurrences old = new PruneOccurrences(ENVIRONMENT, NEXT_YEAR, 100);

    assertThat(done(storage.schedules().orElseThrow().pruneOccurrences(old))).isZero();
    assertThat(pause(OTHER)).isTrue();

    assertThat(done(storage.schedules().orElseThrow().pruneOccurrences(old))).isEqualTo(2);
    assertThat(resume(OTHER, minutes(5))).isTrue();
  }

  private List<KnownSchedule> register(Instant now, String definition, ScheduleName... names) {
    return done(storage
        .schedules()
        .orElseThrow()
        .registerSchedules(new RegisterSchedules(
            ENVIRONMENT,
            Stream.of(names)
                .map(name ->
                    new RegisterSchedules.Definition(name.taskId(), name.scheduleId(), definition))
                .toList(),
            now,
            HOUR)));
  }

  private void complete(String occurrenceId, ScheduleName name, Instant fireAt) {
    done(storage
        .claimScheduleOccurrence(new ClaimScheduleOccurrence(
            ENVIRONMENT, name.scheduleId(), occurrenceId, fireAt, fireAt, MINUTE))
        .compose(claim -> storage.completeScheduleOccurrence(new CompleteScheduleOccurrence(
            ENVIRONMENT,
            occurrenceId,
            claim.orElseThrow().claimToken(),
            List.of(),
            fireAt,
            name.taskId()))));
  }

  private boolean pause(ScheduleName name) {
    return done(operator.pauseSchedule(
        new PauseSchedule(ENVIRONMENT, name, ANNA, "the bank is away", minutes(1))));
  }

  private boolean resume(ScheduleName name, Instant now) {
    return done(operator.resumeSchedule(new ResumeSchedule(ENVIRONMENT, name, now)));
  }

  private List<ScheduleState> find(ScheduleName... names) {
    return done(operator.findSchedules(new FindSchedules(ENVIRONMENT, Arrays.asList(names))));
  }

  private List<ScheduleState> all(Environment environment) {
    return done(operator.listSchedules(new ListSchedules(environment, null, null)))
        .data();
  }
}
