package dev.runlane.conformance.storage.run;

import static dev.runlane.conformance.given.TestRuns.cancellationRequested;
import static dev.runlane.conformance.given.TestRuns.cancelled;
import static dev.runlane.conformance.given.TestRuns.failed;
import static dev.runlane.conformance.given.TestRuns.queued;
import static dev.runlane.conformance.given.TestRuns.released;
import static dev.runlane.conformance.given.TestRuns.retrying;
import static dev.runlane.conformance.given.TestRuns.running;
import static dev.runlane.conformance.given.TestRuns.scheduled;
import static dev.runlane.conformance.given.TestRuns.succeeded;
import static dev.runlane.conformance.kit.Given.NOON;
import static dev.runlane.conformance.kit.Given.OTHER_ENVIRONMENT;
import static dev.runlane.conformance.kit.Given.OTHER_TASK;
import static dev.runlane.conformance.kit.Given.minutes;
import static dev.runlane.conformance.kit.Outcomes.assertOwnedBy;
import static dev.runlane.run.StorageConflictKind.SINGLETON_KEY;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.conformance.given.Commands;
import dev.runlane.conformance.given.Events;
import dev.runlane.conformance.given.StoredState;
import dev.runlane.conformance.given.TestRun;
import dev.runlane.conformance.kit.Race;
import dev.runlane.conformance.kit.Rule;
import dev.runlane.conformance.storage.StorageConformance;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunlaneException;
import dev.runlane.storage.run.AppendedRun;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** At most one run of a task with the same singleton key is active. */
@DisplayName("singleton keys")
public abstract class SingletonConformance extends StorageConformance {
  @Test
  @Rule("S68")
  void every_active_run_keeps_others_with_its_key_out() {
    List<TestRun> active = List.of(
        queued("run_0"),
        scheduled("run_1", minutes(5)),
        running("run_2", minutes(5)),
        retrying("run_3", minutes(5)),
        released("run_4", minutes(5)),
        cancellationRequested("run_5", minutes(5)));
    for (int i = 0; i < active.size(); i++) {
      given(active.get(i).singletonKey("key_" + i));
      StoredState before = stored();

      assertOwnedBy(
          "run_" + i,
          SINGLETON_KEY,
          storage.appendRunEvents(queued("second_" + i).singletonKey("key_" + i).creation()));

      assertNothingStored(before);
    }
  }

  @Test
  @Rule("S68")
  void every_terminal_status_frees_the_key_at_once() {
    for (TestRun ended : List.of(succeeded("run_1"), failed("run_2"), cancelled("run_3"))) {
      RunRecord run = given(ended.singletonKey("key"));

      given(cancelled("after_" + run.id()).singletonKey("key"));
    }
  }

  @Test
  @Rule("S68")
  void keys_of_other_tasks_and_environments_are_other_keys() {
    given(queued("run_1").singletonKey("key"));

    given(queued("run_2").task(OTHER_TASK).singletonKey("key"));
    given(queued("run_3").environment(OTHER_ENVIRONMENT).singletonKey("key"));

    assertOwnedBy(
        "run_1",
        SINGLETON_KEY,
        storage.appendRunEvents(queued("run_4").singletonKey("key").creation()));
  }

  @Test
  @Rule("S68")
  void of_competing_creators_one_wins_and_the_others_learn_who() {
    Race.Results<AppendedRun> race = race(Race.times(
        16,
        i -> adapter ->
            adapter.appendRunEvents(queued("run_" + i).singletonKey("key").creation())));

    assertThat(race.results()).hasSize(1);
    String winner = race.results().get(0).run().id();
    assertThat(race.failures()).hasSize(15);
    assertAllConflict(race.failures(), SINGLETON_KEY);
    assertThat(race.failures()).allSatisfy(failure -> assertThat(failure.meta())
        .containsEntry(RunlaneException.OWNER_RUN_ID, winner));
    assertThat(stored().runs()).extracting(RunRecord::id).containsExactly(winner);
  }

  @Test
  @Rule("S68")
  void an_end_and_a_creation_racing_for_a_key_never_leave_two_active_owners() {
    for (int round = 0; round < 10; round++) {
      String key = "key_" + round;
      RunRecord run = given(running("run_a" + round, minutes(1)).singletonKey(key));
      List<TestRun> next = List.of(
          queued("run_b" + round).singletonKey(key), queued("run_c" + round).singletonKey(key));

      Race.Results<AppendedRun> race = race(List.of(
          adapter ->
              adapter.appendRunEvents(Commands.append(run, NOON, Events.succeeded(run, NOON))),
          adapter -> adapter.appendRunEvents(next.get(0).creation()),
          adapter -> adapter.appendRunEvents(next.get(1).creation())));

      assertAllConflict(race.failures(), SINGLETON_KEY);
      assertThat(stored().runs().stream()
              .filter(each -> key.equals(each.keys().singletonKey()))
              .filter(each -> each.status().isActive()))
          .as(key)
          .hasSizeLessThanOrEqualTo(1);
    }
  }
}
