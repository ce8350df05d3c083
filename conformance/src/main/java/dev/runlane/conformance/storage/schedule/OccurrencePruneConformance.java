package dev.runlane.conformance.storage.schedule;

import static dev.runlane.conformance.kit.Given.ENVIRONMENT;
import static dev.runlane.conformance.kit.Given.MINUTE;
import static dev.runlane.conformance.kit.Given.NEXT_YEAR;
import static dev.runlane.conformance.kit.Given.NOON;
import static dev.runlane.conformance.kit.Given.OTHER_ENVIRONMENT;
import static dev.runlane.conformance.kit.Given.OTHER_TASK;
import static dev.runlane.conformance.kit.Given.TASK;
import static dev.runlane.conformance.kit.Given.minutes;
import static dev.runlane.conformance.kit.Outcomes.assertFails;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.conformance.kit.Outcomes;
import dev.runlane.conformance.kit.Race;
import dev.runlane.conformance.kit.Rule;
import dev.runlane.run.Environment;
import dev.runlane.run.ErrorCode;
import dev.runlane.storage.schedule.ClaimScheduleOccurrence;
import dev.runlane.storage.schedule.ClaimedOccurrence;
import dev.runlane.storage.schedule.CompleteScheduleOccurrence;
import dev.runlane.storage.schedule.GetScheduleOccurrence;
import dev.runlane.storage.schedule.PruneOccurrences;
import dev.runlane.storage.schedule.RegisterSchedules;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Occurrences that nobody needs any more are removed, and no fire is made twice for that. */
@DisplayName("pruning occurrences of schedules")
public abstract class OccurrencePruneConformance extends RememberedScheduleConformance {
  private static final int MANY = 100;

  @Test
  @Rule("occurrence")
  void old_occurrences_before_the_latest_fire_are_removed_and_the_latest_stays() {
    see(TASK, NEXT_YEAR);
    completeEach(TASK, 1, 2, 3);

    assertThat(prune(NEXT_YEAR, MANY)).isEqualTo(2);

    assertThat(there(1, 2, 3)).containsExactly(3);
    assertThat(prune(NEXT_YEAR, MANY)).isZero();
  }

  @Test
  @Rule({"occurrence", "S70"})
  void a_removed_occurrence_is_never_claimed_again() {
    see(TASK, NEXT_YEAR);
    completeEach(TASK, 1, 2, 3);
    prune(NEXT_YEAR, MANY);

    assertThat(claim(ENVIRONMENT, 1, NEXT_YEAR)).isEmpty();
    assertThat(claim(ENVIRONMENT, 2, NEXT_YEAR)).isEmpty();
    assertThat(claim(ENVIRONMENT, 3, NEXT_YEAR)).isEmpty();
    assertThat(there(1, 2, 3)).containsExactly(3);
  }

  @Test
  @Rule("occurrence")
  void later_fires_other_schedules_and_other_environments_can_be_claimed_as_before() {
    see(TASK, NEXT_YEAR);
    completeEach(TASK, 1, 2, 4);
    prune(NEXT_YEAR, MANY);

    assertThat(claim(ENVIRONMENT, 3, NEXT_YEAR)).isPresent();
    assertThat(claim(OTHER_ENVIRONMENT, 1, NEXT_YEAR)).isPresent();
    assertThat(Outcomes.done(storage.claimScheduleOccurrence(new ClaimScheduleOccurrence(
            ENVIRONMENT, "other", "occ_other", minutes(1), NEXT_YEAR, MINUTE))))
        .isPresent();
  }

  @Test
  @Rule("occurrence")
  void what_was_completed_lately_stays_however_old_its_fire() {
    see(TASK, NEXT_YEAR);
    completeAt(1, TASK, minutes(30));
    completeAt(2, TASK, minutes(31));
    completeAt(3, TASK, minutes(3));

    assertThat(prune(minutes(31), MANY)).isEqualTo(1);

    assertThat(there(1, 2, 3)).containsExactly(2, 3);
  }

  @Test
  @Rule("occurrence")
  void a_fire_that_was_completed_before_its_time_stays_until_that_is_over() {
    see(TASK, NEXT_YEAR);
    completeAt(1, TASK, NOON);
    completeAt(2, TASK, NOON);
    completeAt(3, TASK, NOON);

    assertThat(prune(minutes(2), MANY)).isEqualTo(1);
    assertThat(there(1, 2, 3)).containsExactly(2, 3);
    assertThat(prune(minutes(2).plusNanos(1_000), MANY)).isEqualTo(1);

    assertThat(there(1, 2, 3)).containsExactly(3);
  }

  @Test
  @Rule("occurrence")
  void what_is_claimed_stays_and_is_claimed_again_when_the_claim_has_ended() {
    see(TASK, NEXT_YEAR);
    assertThat(claim(ENVIRONMENT, 1, minutes(1))).isPresent();
    completeEach(TASK, 2, 3);

    assertThat(prune(NEXT_YEAR, MANY)).isEqualTo(1);

    assertThat(there(1, 2, 3)).containsExactly(1, 3);
    assertThat(claim(ENVIRONMENT, 1, NEXT_YEAR)).isPresent();
  }

  @Test
  @Rule("occurrence")
  void the_latest_fire_of_each_task_with_a_schedule_of_the_id_stays() {
    see(TASK, NEXT_YEAR);
    see(OTHER_TASK, NEXT_YEAR);
    completeEach(TASK, 1, 3, 4, 5);
    completeEach(OTHER_TASK, 2);

    assertThat(prune(NEXT_YEAR, MANY)).isEqualTo(1);

    assertThat(there(1, 2, 3, 4, 5)).containsExactly(2, 3, 4, 5);
  }

  @Test
  @Rule("occurrence")
  void a_schedule_that_never_fired_needs_what_came_after_it_was_told_of() {
    see(TASK, NOON);
    completeEach(TASK, 1, 2, 3);
    see(OTHER_TASK, minutes(2));
    see(TASK, NEXT_YEAR);
    see(OTHER_TASK, NEXT_YEAR);

    assertThat(prune(NEXT_YEAR, MANY)).isEqualTo(1);

    assertThat(there(1, 2, 3)).containsExactly(2, 3);
  }

  @Test
  @Rule("occurrence")
  void a_schedule_that_nobody_told_of_since_holds_nothing_back() {
    see(TASK, NEXT_YEAR);
    see(OTHER_TASK, NOON);
    completeEach(OTHER_TASK, 1);
    completeEach(TASK, 2, 3);

    assertThat(prune(minutes(60), MANY)).isEqualTo(2);

    assertThat(there(1, 2, 3)).containsExactly(3);
  }

  @Test
  @Rule("occurrence")
  void a_schedule_that_is_disabled_holds_nothing_back_while_another_one_of_its_id_goes_on() {
    see(TASK, NEXT_YEAR);
    see(OTHER_TASK, RegisterSchedules.Definition.DISABLED, NOON);
    completeEach(TASK, 1, 2, 3);
    see(OTHER_TASK, RegisterSchedules.Definition.DISABLED, NEXT_YEAR);

    assertThat(prune(NEXT_YEAR, MANY)).isEqualTo(2);

    assertThat(there(1, 2, 3)).containsExactly(3);
  }

  @Test
  @Rule("occurrence")
  void a_schedule_that_one_process_disables_and_another_one_does_not_holds_its_fires_back() {
    see(TASK, NEXT_YEAR);
    see(OTHER_TASK, NOON);
    completeEach(TASK, 1, 2, 3);
    see(OTHER_TASK, NEXT_YEAR);
    see(OTHER_TASK, RegisterSchedules.Definition.DISABLED, NEXT_YEAR);

    assertThat(prune(NEXT_YEAR, MANY)).isZero();
  }

  @Test
  @Rule("occurrence")
  void occurrences_of_a_schedule_that_nobody_ever_told_of_stay() {
    completeEach(null, 1, 2, 3);

    assertThat(prune(NEXT_YEAR, MANY)).isZero();

    assertThat(there(1, 2, 3)).containsExactly(1, 2, 3);
  }

  @Test
  @Rule("occurrence")
  void each_call_removes_at_most_the_limit_the_earliest_fires_first() {
    see(TASK, NEXT_YEAR);
    completeEach(TASK, 3, 1, 5, 2, 4);

    assertThat(prune(NEXT_YEAR, 3)).isEqualTo(3);
    assertThat(there(1, 2, 3, 4, 5)).containsExactly(4, 5);
    assertThat(prune(NEXT_YEAR, 3)).isEqualTo(1);

    assertThat(there(1, 2, 3, 4, 5)).containsExactly(5);
  }

  @Test
  @Rule({"occurrence", "S70"})
  void whoever_prunes_and_claims_at_once_no_completed_fire_is_given_again() {
    see(TASK, NEXT_YEAR);
    completeEach(TASK, IntStream.rangeClosed(1, 12).toArray());

    Race.Results<Integer> race = race(Race.times(
        24,
        i -> adapter -> i % 2 == 0
            ? adapter
                .schedules()
                .orElseThrow()
                .pruneOccurrences(new PruneOccurrences(ENVIRONMENT, NEXT_YEAR, 3))
            : adapter
                .claimScheduleOccurrence(claiming(ENVIRONMENT, 1 + i / 2, NEXT_YEAR))
                .map(claimed -> claimed.isPresent() ? 1_000 : 0)));

    assertThat(race.failures()).isEmpty();
    assertThat(race.results()).allMatch(removed -> removed <= 3);
    while (prune(NEXT_YEAR, 3) > 0) {
      assertThat(there(12)).containsExactly(12);
    }
    assertThat(there(IntStream.rangeClosed(1, 12).toArray())).containsExactly(12);
  }

  @Test
  @Rule({"occurrence", "S12"})
  void malformed_commands_are_refused() {
    assertFails(pruning(ENVIRONMENT, NEXT_YEAR, 0), ErrorCode.VALIDATION_FAILED);
    assertFails(pruning(ENVIRONMENT, Instant.MAX, 1), ErrorCode.VALIDATION_FAILED);
    assertFails(pruning(new Environment("a:b"), NEXT_YEAR, 1), ErrorCode.VALIDATION_FAILED);
  }

  private int prune(Instant olderThan, int limit) {
    return Outcomes.done(pruning(ENVIRONMENT, olderThan, limit));
  }

  private Future<Integer> pruning(Environment environment, Instant olderThan, int limit) {
    return schedules.pruneOccurrences(new PruneOccurrences(environment, olderThan, limit));
  }

  private void see(String taskId, Instant now) {
    see(taskId, "every PT1M", now);
  }

  private void see(String taskId, String definition, Instant now) {
    Outcomes.done(schedules.registerSchedules(new RegisterSchedules(
        ENVIRONMENT,
        List.of(new RegisterSchedules.Definition(taskId, "nightly", definition)),
        now,
        Duration.ofMinutes(10))));
  }

  /** The fires of these minutes, completed when they were due. */
  private void completeEach(@Nullable String taskId, int... minutes) {
    for (int minute : minutes) {
      completeAt(minute, taskId, minutes(minute));
    }
  }

  private void completeAt(int minute, @Nullable String taskId, Instant now) {
    String token = claim(ENVIRONMENT, minute, now).orElseThrow().claimToken();
    Outcomes.done(storage.completeScheduleOccurrence(new CompleteScheduleOccurrence(
        ENVIRONMENT, "occ_" + minute, token, List.of(), now, taskId)));
  }

  private Optional<ClaimedOccurrence> claim(Environment environment, int minute, Instant now) {
    return Outcomes.done(storage.claimScheduleOccurrence(claiming(environment, minute, now)));
  }

  private static ClaimScheduleOccurrence claiming(
      Environment environment, int minute, Instant now) {
    return new ClaimScheduleOccurrence(
        environment, "nightly", "occ_" + minute, minutes(minute), now, MINUTE);
  }

  /** Which of the fires of these minutes have an occurrence. */
  private List<Integer> there(int... minutes) {
    return IntStream.of(minutes)
        .filter(minute -> Outcomes.done(schedules.getScheduleOccurrence(
                new GetScheduleOccurrence(ENVIRONMENT, "occ_" + minute)))
            .isPresent())
        .boxed()
        .toList();
  }
}
