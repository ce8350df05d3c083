package dev.runlane.conformance.storage.run;

import static dev.runlane.conformance.given.TestRuns.queued;
import static dev.runlane.conformance.given.TestRuns.running;
import static dev.runlane.conformance.kit.Given.NOON;
import static dev.runlane.conformance.kit.Given.TTL_HOUR;
import static dev.runlane.conformance.kit.Given.minutes;
import static dev.runlane.conformance.kit.Outcomes.assertConflict;
import static dev.runlane.run.StorageConflictKind.EVENT_SEQUENCE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.conformance.given.Commands;
import dev.runlane.conformance.given.Events;
import dev.runlane.conformance.given.StoredState;
import dev.runlane.conformance.given.TestRun;
import dev.runlane.conformance.kit.Race;
import dev.runlane.conformance.kit.Rule;
import dev.runlane.conformance.storage.StorageConformance;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunStatus;
import dev.runlane.storage.run.AppendRunEvents;
import dev.runlane.storage.run.AppendedRun;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** An append counts only when it was projected from the sequence that is stored. */
@DisplayName("comparing sequences")
public abstract class SequenceConformance extends StorageConformance {
  @Test
  @Rule("S03")
  void a_stale_append_is_a_conflict_and_stores_nothing() {
    RunRecord read = given(queued("run_1"));
    append(read, NOON, Events.delivery(read, NOON, NOON));
    StoredState before = stored();

    assertConflict(
        storage.appendRunEvents(
            Commands.append(read, NOON, Events.delivery(read, NOON, minutes(1)))),
        EVENT_SEQUENCE);

    assertNothingStored(before);
    assertThat(unsettledOutbox()).hasSize(2);
  }

  @Test
  @Rule("S03")
  void an_append_ahead_of_the_stored_sequence_is_a_conflict_too() {
    RunRecord run = given(queued("run_1"));
    StoredState before = stored();
    RunRecord ahead = run.toBuilder().eventSequence(run.eventSequence() + 1).build();

    assertConflict(
        storage.appendRunEvents(Commands.append(ahead, NOON, Events.cancelled(ahead, NOON))),
        EVENT_SEQUENCE);

    assertNothingStored(before);
  }

  @Test
  @Rule("S03")
  void an_append_to_a_run_that_does_not_exist_is_a_conflict() {
    RunRecord missing = queued("run_1").creation().projectedRun();

    assertConflict(
        storage.appendRunEvents(Commands.append(missing, NOON, Events.cancelled(missing, NOON))),
        EVENT_SEQUENCE);

    assertThat(find("run_1")).isEmpty();
    assertThat(stored().events()).isEmpty();
  }

  @Test
  @Rule("S04")
  void a_stale_append_is_a_conflict_even_if_its_projection_is_inconsistent() {
    RunRecord read = given(queued("run_1"));
    append(read, NOON, Events.delivery(read, NOON, NOON));
    StoredState before = stored();
    List<RunEvent> events = List.of(Events.cancelled(read, NOON));
    RunRecord inconsistent = read.toBuilder().eventSequence(99).build();

    assertConflict(
        storage.appendRunEvents(new AppendRunEvents(
            read.environment(),
            read.id(),
            read.eventSequence(),
            events,
            inconsistent,
            null,
            NOON,
            null)),
        EVENT_SEQUENCE);

    assertNothingStored(before);
  }

  @Test
  @Rule("S05")
  void creating_a_run_that_exists_is_a_conflict_and_leaves_it_alone() {
    given(running("run_1", minutes(1)));
    StoredState before = stored();

    assertConflict(storage.appendRunEvents(queued("run_1").creation()), EVENT_SEQUENCE);

    assertNothingStored(before);
    assertThat(unsettledOutbox()).containsExactly("run_1");
  }

  @Test
  @Rule("S05")
  void creating_a_run_again_with_the_keys_it_owns_is_a_sequence_conflict() {
    TestRun run = queued("run_1").idempotencyKey("key", TTL_HOUR).singletonKey("one");
    given(run);
    StoredState before = stored();

    assertConflict(storage.appendRunEvents(run.creation()), EVENT_SEQUENCE);

    assertNothingStored(before);
    assertThat(owner("key", NOON)).contains("run_1");
  }

  @Test
  @Rule("S05")
  void creating_a_run_that_exists_is_a_sequence_conflict_even_if_its_key_is_owned() {
    given(queued("run_1"));
    given(queued("run_2").idempotencyKey("key", TTL_HOUR));
    StoredState before = stored();

    assertConflict(
        storage.appendRunEvents(queued("run_1").idempotencyKey("key", TTL_HOUR).creation()),
        EVENT_SEQUENCE);

    assertNothingStored(before);
    assertThat(owner("key", NOON)).contains("run_2");
  }

  @Test
  @Rule("S09")
  void of_competing_appends_for_one_sequence_exactly_one_wins() {
    RunRecord run = given(running("run_1", minutes(1)));

    Race.Results<AppendedRun> race = race(Race.times(
        12,
        i -> adapter -> adapter.appendRunEvents(
            i % 2 == 0
                ? Commands.append(run, NOON, Events.succeeded(run, NOON))
                : Commands.append(run, NOON, Events.failed(run, NOON)))));

    assertThat(race.results()).hasSize(1);
    assertThat(race.failures()).hasSize(11);
    assertAllConflict(race.failures(), EVENT_SEQUENCE);
    AppendedRun winner = race.results().get(0);
    assertThat(read("run_1")).isEqualTo(winner.run());
    assertThat(history(run))
        .hasSize((int) run.eventSequence() + 1)
        .endsWith(winner.events().get(0));
  }

  @Test
  @Rule("S09")
  void of_competing_creations_of_one_run_exactly_one_wins() {
    Race.Results<AppendedRun> race = race(
        Race.times(12, i -> adapter -> adapter.appendRunEvents(queued("run_1").creation())));

    assertThat(race.results()).hasSize(1);
    assertThat(race.failures()).hasSize(11);
    assertAllConflict(race.failures(), EVENT_SEQUENCE);
    assertThat(read("run_1").status()).isEqualTo(RunStatus.QUEUED);
    assertThat(stored().events()).hasSize(2);
    assertThat(unsettledOutbox()).containsExactly("run_1");
  }
}
