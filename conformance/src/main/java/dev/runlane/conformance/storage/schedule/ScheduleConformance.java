package dev.runlane.conformance.storage.schedule;

import static dev.runlane.conformance.kit.Given.ENVIRONMENT;
import static dev.runlane.conformance.kit.Given.MINUTE;
import static dev.runlane.conformance.kit.Given.NOON;
import static dev.runlane.conformance.kit.Given.OTHER_ENVIRONMENT;
import static dev.runlane.conformance.kit.Given.minutes;
import static dev.runlane.conformance.kit.Outcomes.assertConflict;
import static dev.runlane.conformance.kit.Outcomes.assertFails;
import static dev.runlane.run.StorageConflictKind.SCHEDULE_OCCURRENCE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.conformance.kit.Given;
import dev.runlane.conformance.kit.Outcomes;
import dev.runlane.conformance.kit.Race;
import dev.runlane.conformance.kit.Rule;
import dev.runlane.conformance.storage.StorageConformance;
import dev.runlane.run.Environment;
import dev.runlane.run.ErrorCode;
import dev.runlane.storage.schedule.ClaimScheduleOccurrence;
import dev.runlane.storage.schedule.ClaimedOccurrence;
import dev.runlane.storage.schedule.CompleteScheduleOccurrence;
import io.vertx.core.Future;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** One fire of a schedule is dealt with once, by whoever holds its claim. */
@DisplayName("schedule occurrences")
public abstract class ScheduleConformance extends StorageConformance {
  @Test
  @Rule("S70")
  void a_claim_answers_the_occurrence_and_a_token_of_the_storage() {
    ClaimedOccurrence claimed = claim("occ_1", NOON).orElseThrow();

    assertThat(claimed.scheduleId()).isEqualTo("nightly");
    assertThat(claimed.occurrenceId()).isEqualTo("occ_1");
    assertThat(claimed.fireAt()).isEqualTo(NOON);
    assertThat(claimed.claimExpiresAt()).isEqualTo(minutes(1));
    assertThat(claimed.claimToken()).isNotEmpty();
  }

  @Test
  @Rule("S70")
  void a_claimed_occurrence_is_not_claimed_again_before_the_claim_expires() {
    ClaimedOccurrence first = claim("occ_1", NOON).orElseThrow();

    assertThat(claim("occ_1", minutes(1).minusNanos(1_000))).isEmpty();
    ClaimedOccurrence second = claim("occ_1", minutes(1)).orElseThrow();

    assertThat(second.claimToken()).isNotEqualTo(first.claimToken());
    assertThat(second.claimExpiresAt()).isEqualTo(minutes(2));
  }

  @Test
  @Rule("S70")
  void a_completed_occurrence_is_never_claimed_again() {
    ClaimedOccurrence claimed = claim("occ_1", NOON).orElseThrow();

    Outcomes.done(complete("occ_1", claimed.claimToken()));

    assertThat(claim("occ_1", NOON)).isEmpty();
    assertThat(claim("occ_1", Given.NEXT_YEAR)).isEmpty();
  }

  @Test
  @Rule("S70")
  void occurrences_and_environments_are_independent() {
    ClaimedOccurrence here = claim("occ_1", NOON).orElseThrow();

    assertThat(claim("occ_2", NOON)).isPresent();
    assertThat(Outcomes.done(claim(OTHER_ENVIRONMENT, "occ_1", NOON))).isPresent();
    Outcomes.done(complete("occ_1", here.claimToken()));
  }

  @Test
  @Rule("S71")
  void completing_with_another_token_is_a_conflict_and_completes_nothing() {
    claim("occ_1", NOON);

    assertConflict(complete("occ_1", "tok_other"), SCHEDULE_OCCURRENCE);

    assertThat(claim("occ_1", minutes(1))).isPresent();
  }

  @Test
  @Rule("S71")
  void a_token_is_worth_nothing_once_somebody_else_has_claimed() {
    ClaimedOccurrence first = claim("occ_1", NOON).orElseThrow();
    ClaimedOccurrence second = claim("occ_1", minutes(1)).orElseThrow();

    assertConflict(complete("occ_1", first.claimToken()), SCHEDULE_OCCURRENCE);

    Outcomes.done(complete("occ_1", second.claimToken()));
  }

  @Test
  @Rule("S71")
  void completing_an_occurrence_that_nobody_claimed_finds_none() {
    claim("occ_1", NOON);

    assertFails(complete("occ_2", "tok_any"), ErrorCode.SCHEDULE_NOT_FOUND);
  }

  @Test
  @Rule("S72")
  void of_competing_claimers_exactly_one_wins() {
    Race.Results<Optional<ClaimedOccurrence>> race = race(Race.times(
        16, i -> adapter -> adapter.claimScheduleOccurrence(command(ENVIRONMENT, "occ_1", NOON))));

    assertThat(race.failures()).isEmpty();
    List<ClaimedOccurrence> winners =
        race.results().stream().flatMap(Optional::stream).toList();
    assertThat(winners).hasSize(1);
    Outcomes.done(complete("occ_1", winners.get(0).claimToken()));
  }

  @Test
  @Rule("S72")
  void of_competing_claimers_of_an_expired_claim_exactly_one_wins() {
    claim("occ_1", NOON);

    Race.Results<Optional<ClaimedOccurrence>> race = race(Race.times(
        16,
        i ->
            adapter -> adapter.claimScheduleOccurrence(command(ENVIRONMENT, "occ_1", minutes(1)))));

    assertThat(race.failures()).isEmpty();
    assertThat(race.results().stream().filter(Optional::isPresent)).hasSize(1);
  }

  private Optional<ClaimedOccurrence> claim(String occurrenceId, Instant now) {
    return Outcomes.done(claim(ENVIRONMENT, occurrenceId, now));
  }

  private Future<Optional<ClaimedOccurrence>> claim(
      Environment environment, String occurrenceId, Instant now) {
    return storage.claimScheduleOccurrence(command(environment, occurrenceId, now));
  }

  private static ClaimScheduleOccurrence command(
      Environment environment, String occurrenceId, Instant now) {
    return new ClaimScheduleOccurrence(environment, "nightly", occurrenceId, NOON, now, MINUTE);
  }

  private Future<Void> complete(String occurrenceId, String token) {
    return storage.completeScheduleOccurrence(
        new CompleteScheduleOccurrence(ENVIRONMENT, occurrenceId, token, List.of("run_1"), NOON));
  }
}
