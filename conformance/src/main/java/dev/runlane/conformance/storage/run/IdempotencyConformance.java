package dev.runlane.conformance.storage.run;

import static dev.runlane.conformance.given.TestRuns.cancelled;
import static dev.runlane.conformance.given.TestRuns.failed;
import static dev.runlane.conformance.given.TestRuns.queued;
import static dev.runlane.conformance.given.TestRuns.retrying;
import static dev.runlane.conformance.given.TestRuns.succeeded;
import static dev.runlane.conformance.kit.Given.HOUR;
import static dev.runlane.conformance.kit.Given.NOON;
import static dev.runlane.conformance.kit.Given.OTHER_ENVIRONMENT;
import static dev.runlane.conformance.kit.Given.OTHER_TASK;
import static dev.runlane.conformance.kit.Given.TASK;
import static dev.runlane.conformance.kit.Given.TTL_HOUR;
import static dev.runlane.conformance.kit.Given.minutes;
import static dev.runlane.conformance.kit.Outcomes.assertOwnedBy;
import static dev.runlane.run.StorageConflictKind.IDEMPOTENCY_KEY;
import static dev.runlane.run.StorageConflictKind.SINGLETON_KEY;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.conformance.given.StoredState;
import dev.runlane.conformance.given.TestRun;
import dev.runlane.conformance.kit.Given;
import dev.runlane.conformance.kit.Outcomes;
import dev.runlane.conformance.kit.Race;
import dev.runlane.conformance.kit.Rule;
import dev.runlane.conformance.storage.StorageConformance;
import dev.runlane.run.IdempotencyTtl;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunlaneException;
import dev.runlane.storage.read.GetRunByIdempotencyKey;
import dev.runlane.storage.run.AppendedRun;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** One key of one task has one owner, for as long as its creation said. */
@DisplayName("idempotency keys")
public abstract class IdempotencyConformance extends StorageConformance {
  private static final Instant END = NOON.plus(HOUR);
  private static final Instant ALMOST_END = END.minusNanos(1_000);

  @Test
  @Rule("S60")
  void a_second_run_with_a_live_key_is_refused_with_its_owner_and_stores_nothing() {
    given(queued("run_1").idempotencyKey("key", TTL_HOUR));
    StoredState before = stored();

    assertOwnedBy(
        "run_1",
        IDEMPOTENCY_KEY,
        storage.appendRunEvents(queued("run_2").idempotencyKey("key", TTL_HOUR).creation()));

    assertNothingStored(before);
    assertThat(owner("key", NOON)).contains("run_1");
    assertThat(unsettledOutbox()).containsExactly("run_1");
  }

  @Test
  @Rule("S60")
  void the_owner_is_read_as_it_is_now() {
    RunRecord run = given(retrying("run_1", minutes(5)).idempotencyKey("key", TTL_HOUR));

    assertThat(Outcomes.done(storage.getRunByIdempotencyKey(
            new GetRunByIdempotencyKey(Given.ENVIRONMENT, TASK, "key", NOON))))
        .contains(run);
  }

  @Test
  @Rule("S61")
  void of_competing_creators_one_wins_and_the_others_learn_who() {
    Race.Results<AppendedRun> race = race(Race.times(
        16,
        i -> adapter -> adapter.appendRunEvents(
            queued("run_" + i).idempotencyKey("key", TTL_HOUR).creation())));

    assertThat(race.results()).hasSize(1);
    String winner = race.results().get(0).run().id();
    assertThat(race.failures()).hasSize(15);
    assertAllConflict(race.failures(), IDEMPOTENCY_KEY);
    assertThat(race.failures()).allSatisfy(failure -> assertThat(failure.meta())
        .containsEntry(RunlaneException.OWNER_RUN_ID, winner));
    assertThat(owner("key", NOON)).contains(winner);
    assertThat(stored().runs()).extracting(RunRecord::id).containsExactly(winner);
    assertThat(unsettledOutbox()).containsExactly(winner);
  }

  @Test
  @Rule("S61")
  void competing_takeovers_of_an_expired_key_have_one_winner() {
    given(succeeded("run_old").idempotencyKey("key", TTL_HOUR));

    Race.Results<AppendedRun> race = race(Race.times(
        12,
        i -> adapter -> adapter.appendRunEvents(
            queued("run_" + i).at(END).idempotencyKey("key", TTL_HOUR).creation())));

    assertThat(race.results()).hasSize(1);
    assertAllConflict(race.failures(), IDEMPOTENCY_KEY);
    assertThat(owner("key", END)).contains(race.results().get(0).run().id());
  }

  @Test
  @Rule({"S62", "m6"})
  void succeeded_and_cancelled_owners_are_retained_until_the_ttl_after_their_creation() {
    given(succeeded("run_1").idempotencyKey("key_1", TTL_HOUR));
    given(cancelled("run_2").idempotencyKey("key_2", TTL_HOUR));

    assertThat(owner("key_1", ALMOST_END)).contains("run_1");
    assertThat(owner("key_2", ALMOST_END)).contains("run_2");
    assertThat(owner("key_1", END)).isEmpty();
    assertThat(owner("key_2", END)).isEmpty();
  }

  @Test
  @Rule("S62")
  void a_retained_owner_still_refuses_others() {
    given(succeeded("run_1").idempotencyKey("key", TTL_HOUR));
    TestRun late = queued("run_2").at(ALMOST_END).idempotencyKey("key", TTL_HOUR);

    assertOwnedBy("run_1", IDEMPOTENCY_KEY, storage.appendRunEvents(late.creation()));

    assertThat(find("run_2")).isEmpty();
  }

  @Test
  @Rule("S62")
  void an_expired_owner_gives_way_to_a_new_one_and_stays_as_a_run() {
    RunRecord old = given(succeeded("run_1").idempotencyKey("key", TTL_HOUR));

    given(queued("run_2").at(END).idempotencyKey("key", TTL_HOUR));

    assertThat(owner("key", END)).contains("run_2");
    assertThat(read("run_1")).isEqualTo(old);
  }

  @Test
  @Rule("S62")
  void an_active_owner_never_expires() {
    given(queued("run_1").idempotencyKey("key", TTL_HOUR));
    given(queued("run_2").idempotencyKey("other", IdempotencyTtl.ACTIVE));
    Instant late = Given.NEXT_YEAR;

    assertThat(owner("key", late)).contains("run_1");
    assertThat(owner("other", late)).contains("run_2");
    assertOwnedBy(
        "run_1",
        IDEMPOTENCY_KEY,
        storage.appendRunEvents(
            queued("run_3").at(late).idempotencyKey("key", TTL_HOUR).creation()));
  }

  @Test
  @Rule("S63")
  void a_failed_owner_is_released_at_once() {
    given(failed("run_1").idempotencyKey("key", TTL_HOUR));

    assertThat(owner("key", NOON)).isEmpty();
    given(queued("run_2").idempotencyKey("key", TTL_HOUR));
    assertThat(owner("key", NOON)).contains("run_2");
  }

  @Test
  @Rule("S63")
  void an_owner_with_the_policy_active_is_released_at_any_terminal_status() {
    for (TestRun ended : List.of(succeeded("run_1"), failed("run_2"), cancelled("run_3"))) {
      RunRecord run = given(ended.idempotencyKey("key", IdempotencyTtl.ACTIVE));

      assertThat(owner("key", NOON)).as(run.status().value()).isEmpty();
    }
  }

  @Test
  @Rule({"S63", "clock"})
  void an_owner_with_the_policy_active_is_released_for_callers_whose_clock_is_behind_too() {
    given(cancelled("run_1").idempotencyKey("key", IdempotencyTtl.ACTIVE));

    assertThat(owner("key", NOON.minusSeconds(1))).isEmpty();
  }

  @Test
  @Rule("S64")
  void a_lookup_changes_nothing_not_even_an_owner_whose_time_is_over() {
    given(succeeded("run_1").idempotencyKey("key", TTL_HOUR));
    StoredState before = stored();

    assertThat(owner("key", Given.NEXT_YEAR)).isEmpty();

    assertNothingStored(before);
    assertThat(owner("key", ALMOST_END)).contains("run_1");
  }

  @Test
  @Rule("S64")
  void an_unknown_key_has_no_owner() {
    given(queued("run_1").idempotencyKey("key", TTL_HOUR));

    assertThat(owner("other", NOON)).isEmpty();
  }

  @Test
  @Rule("S66")
  void keys_of_other_tasks_and_environments_are_other_keys() {
    given(queued("run_1").idempotencyKey("key", TTL_HOUR));

    given(queued("run_2").task(OTHER_TASK).idempotencyKey("key", TTL_HOUR));
    given(queued("run_3").environment(OTHER_ENVIRONMENT).idempotencyKey("key", TTL_HOUR));

    assertThat(owner("key", NOON)).contains("run_1");
    assertThat(Outcomes.done(storage.getRunByIdempotencyKey(
                new GetRunByIdempotencyKey(Given.ENVIRONMENT, OTHER_TASK, "key", NOON)))
            .map(RunRecord::id))
        .contains("run_2");
    assertThat(Outcomes.done(storage.getRunByIdempotencyKey(
                new GetRunByIdempotencyKey(OTHER_ENVIRONMENT, TASK, "key", NOON)))
            .map(RunRecord::id))
        .contains("run_3");
  }

  @Test
  @Rule("S67")
  void the_policy_is_the_one_captured_when_the_owner_was_created() {
    given(succeeded("run_1").idempotencyKey("key", TTL_HOUR));
    IdempotencyTtl longer = IdempotencyTtl.of(Duration.ofDays(30));

    assertOwnedBy(
        "run_1",
        IDEMPOTENCY_KEY,
        storage.appendRunEvents(
            queued("run_2").at(ALMOST_END).idempotencyKey("key", longer).creation()));

    assertThat(owner("key", END)).isEmpty();
    given(queued("run_3").at(END).idempotencyKey("key", longer));
    assertThat(owner("key", END)).contains("run_3");
  }

  @Test
  @Rule({"S60", "S68"})
  void a_creation_that_wins_one_key_and_loses_the_other_leaves_nothing_behind() {
    given(queued("run_1").singletonKey("one"));
    given(queued("run_2").idempotencyKey("owned", TTL_HOUR));
    StoredState before = stored();

    assertOwnedBy(
        "run_1",
        SINGLETON_KEY,
        storage.appendRunEvents(
            queued("run_3").idempotencyKey("free", TTL_HOUR).singletonKey("one").creation()));
    assertOwnedBy(
        "run_2",
        IDEMPOTENCY_KEY,
        storage.appendRunEvents(queued("run_4")
            .idempotencyKey("owned", TTL_HOUR)
            .singletonKey("two")
            .creation()));

    assertNothingStored(before);
    assertThat(owner("free", NOON)).isEmpty();
    given(queued("run_5").idempotencyKey("free", TTL_HOUR).singletonKey("two"));
  }
}
