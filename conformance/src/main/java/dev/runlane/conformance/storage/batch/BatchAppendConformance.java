package dev.runlane.conformance.storage.batch;

import static dev.runlane.conformance.given.TestRuns.queued;
import static dev.runlane.conformance.given.TestRuns.running;
import static dev.runlane.conformance.kit.Given.MINUTE;
import static dev.runlane.conformance.kit.Given.NOON;
import static dev.runlane.conformance.kit.Given.TTL_HOUR;
import static dev.runlane.conformance.kit.Given.bounded;
import static dev.runlane.conformance.kit.Given.lease;
import static dev.runlane.conformance.kit.Given.minutes;
import static dev.runlane.conformance.kit.Outcomes.assertConflict;
import static dev.runlane.conformance.kit.Outcomes.assertFails;
import static dev.runlane.run.StorageConflictKind.EVENT_SEQUENCE;
import static dev.runlane.run.StorageConflictKind.IDEMPOTENCY_KEY;
import static dev.runlane.run.StorageConflictKind.QUEUE_CAPACITY;
import static dev.runlane.run.StorageConflictKind.SINGLETON_KEY;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.conformance.given.Commands;
import dev.runlane.conformance.given.EventIds;
import dev.runlane.conformance.given.Events;
import dev.runlane.conformance.kit.Race;
import dev.runlane.conformance.kit.Rule;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunStatus;
import dev.runlane.run.RunlaneException;
import dev.runlane.storage.CommandOutcome;
import dev.runlane.storage.read.RunEventRecord;
import dev.runlane.storage.run.AppendRunEvents;
import dev.runlane.storage.run.AppendedRun;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Many appends in one call are many appends, each with its own outcome. */
@DisplayName("appending for many runs at once")
public abstract class BatchAppendConformance extends BatchConformance {
  @Test
  @Rule({"B01", "S08"})
  void outcome_i_belongs_to_command_i_and_tells_what_is_stored() {
    List<AppendRunEvents> commands =
        Race.times(20, i -> queued("run_" + (i * 7) % 20).creation());

    List<CommandOutcome<AppendedRun>> outcomes = appendAll(commands);

    for (int i = 0; i < commands.size(); i++) {
      AppendedRun appended = resultOf(outcomes.get(i));
      assertThat(appended.run()).isEqualTo(commands.get(i).projectedRun());
      assertThat(read(commands.get(i).runId())).isEqualTo(appended.run());
      assertThat(history(appended.run())).isEqualTo(appended.events());
    }
    assertThat(unsettledOutbox()).hasSize(20);
  }

  @Test
  @Rule("B01")
  void an_empty_batch_has_no_outcomes() {
    RunRecord run = given(queued("run_1"));

    assertThat(appendAll(List.of())).isEmpty();

    assertThat(stored().runs()).containsExactly(run);
  }

  @Test
  @Rule("B01")
  void hundreds_of_commands_go_into_one_batch() {
    List<AppendRunEvents> commands = Race.times(600, i -> queued("run_" + i).creation());

    appendAll(commands).forEach(BatchConformance::resultOf);

    assertThat(stored().runs()).hasSize(600);
  }

  @Test
  @Rule("B02")
  void commands_that_fail_leave_their_neighbours_alone() {
    RunRecord moved = given(running("run_1", minutes(1)));
    append(moved, NOON, Events.cancellationRequested(moved, NOON));
    given(queued("run_2").idempotencyKey("key", TTL_HOUR).singletonKey("one"));
    given(running("run_3", minutes(1)).queue(bounded(1)));
    RunRecord current = given(running("run_4", minutes(1)));
    AppendRunEvents success = Commands.append(current, NOON, Events.succeeded(current, NOON));

    List<CommandOutcome<AppendedRun>> outcomes = appendAll(List.of(
        Commands.append(moved, NOON, Events.succeeded(moved, NOON)),
        queued("run_5").creation(),
        queued("run_6").idempotencyKey("key", TTL_HOUR).creation(),
        queued("run_7").singletonKey("one").creation(),
        queued("run_8").queue(bounded(1)).creationWithLease(lease("tok", minutes(1))),
        success,
        queued("run_2").creation(),
        queued("run_9").creation()));

    assertConflict(failureOf(outcomes.get(0)), EVENT_SEQUENCE);
    resultOf(outcomes.get(1));
    assertOwner("run_2", assertConflict(failureOf(outcomes.get(2)), IDEMPOTENCY_KEY));
    assertOwner("run_2", assertConflict(failureOf(outcomes.get(3)), SINGLETON_KEY));
    assertConflict(failureOf(outcomes.get(4)), QUEUE_CAPACITY);
    assertThat(resultOf(outcomes.get(5)).run()).isEqualTo(success.projectedRun());
    assertConflict(failureOf(outcomes.get(6)), EVENT_SEQUENCE);
    resultOf(outcomes.get(7));
    assertThat(stored().runs())
        .extracting(RunRecord::id)
        .containsExactly("run_1", "run_2", "run_3", "run_4", "run_5", "run_9");
    assertThat(read("run_1").status()).isEqualTo(RunStatus.CANCELLATION_REQUESTED);
    assertThat(read("run_4").status()).isEqualTo(RunStatus.SUCCEEDED);
  }

  @Test
  @Rule("B02")
  void an_inconsistent_command_fails_alone() {
    RunRecord run = given(queued("run_1"));
    AppendRunEvents good = Commands.append(run, NOON, Events.cancelled(run, NOON));
    AppendRunEvents bad = new AppendRunEvents(
        good.environment(),
        "run_1",
        good.expectedSequence(),
        good.events(),
        good.projectedRun().toBuilder().eventSequence(9).build(),
        null,
        NOON,
        null);

    List<CommandOutcome<AppendedRun>> outcomes =
        appendAll(List.of(queued("run_2").creation(), bad, queued("run_3").creation()));

    resultOf(outcomes.get(0));
    assertThat(failureOf(outcomes.get(1)).code()).isEqualTo(ErrorCode.ADAPTER_CONTRACT_VIOLATION);
    resultOf(outcomes.get(2));
    assertThat(read("run_1")).isEqualTo(run);
  }

  @Test
  @Rule("B03")
  void a_malformed_command_fails_the_whole_batch_with_nothing_stored() {
    assertFails(
        batch.appendAll(List.of(
            queued("run_1").creation(),
            queued("a:b").creation(),
            queued("run_2").creation())),
        ErrorCode.VALIDATION_FAILED);

    assertThat(stored().runs()).isEmpty();
    assertThat(unsettledOutbox()).isEmpty();
  }

  @Test
  @Rule("B04")
  void commands_for_one_run_take_effect_in_the_order_given() {
    AppendRunEvents creation = queued("run_1").creation();
    RunRecord created = creation.projectedRun();
    AppendRunEvents delivery = Commands.append(created, NOON, Events.delivery(created, NOON, NOON));
    RunRecord delivered = delivery.projectedRun();
    AppendRunEvents cancellation =
        Commands.append(delivered, NOON, Events.cancelled(delivered, NOON));

    List<CommandOutcome<AppendedRun>> outcomes =
        appendAll(List.of(creation, queued("run_2").creation(), delivery, cancellation));

    List<RunEventRecord> events = new ArrayList<>();
    for (int i : List.of(0, 2, 3)) {
      events.addAll(resultOf(outcomes.get(i)).events());
    }
    assertThat(read("run_1")).isEqualTo(cancellation.projectedRun());
    assertThat(history(created)).isEqualTo(events);
    assertThat(EventIds.of(events)).isSorted();
  }

  @Test
  @Rule("B04")
  void of_two_commands_for_one_sequence_the_first_wins() {
    RunRecord run = given(running("run_1", minutes(1)));

    List<CommandOutcome<AppendedRun>> outcomes = appendAll(List.of(
        Commands.append(run, NOON, Events.failed(run, NOON)),
        Commands.append(run, NOON, Events.succeeded(run, NOON))));

    resultOf(outcomes.get(0));
    assertConflict(failureOf(outcomes.get(1)), EVENT_SEQUENCE);
    assertThat(read("run_1").status()).isEqualTo(RunStatus.FAILED);
  }

  @Test
  @Rule("B05")
  void of_two_creations_with_one_key_the_first_wins_and_the_second_learns_it() {
    List<CommandOutcome<AppendedRun>> outcomes = appendAll(List.of(
        queued("run_b").idempotencyKey("key", TTL_HOUR).creation(),
        queued("run_a").idempotencyKey("key", TTL_HOUR).creation(),
        queued("run_d").singletonKey("one").creation(),
        queued("run_c").singletonKey("one").creation()));

    resultOf(outcomes.get(0));
    assertOwner("run_b", assertConflict(failureOf(outcomes.get(1)), IDEMPOTENCY_KEY));
    resultOf(outcomes.get(2));
    assertOwner("run_d", assertConflict(failureOf(outcomes.get(3)), SINGLETON_KEY));
    assertThat(owner("key", NOON)).contains("run_b");
    assertThat(stored().runs()).extracting(RunRecord::id).containsExactly("run_b", "run_d");
  }

  @Test
  @Rule("B05")
  void a_creation_after_the_end_of_its_keys_owner_succeeds() {
    RunRecord run = given(running("run_1", minutes(1)).singletonKey("one"));

    List<CommandOutcome<AppendedRun>> outcomes = appendAll(List.of(
        Commands.append(run, NOON, Events.succeeded(run, NOON)),
        queued("run_2").singletonKey("one").creation()));

    outcomes.forEach(BatchConformance::resultOf);
    assertThat(read("run_2").status()).isEqualTo(RunStatus.QUEUED);
  }

  @Test
  @Rule({"B06", "m15"})
  void creations_with_a_lease_never_exceed_the_limit_within_a_batch() {
    List<CommandOutcome<AppendedRun>> outcomes = appendAll(Race.times(5, i -> queued("run_" + i)
        .queue(bounded(2))
        .creationWithLease(lease("tok_" + i, minutes(1)))));

    assertThat(outcomes.stream().filter(CommandOutcome.Succeeded.class::isInstance))
        .hasSize(2);
    outcomes.stream()
        .filter(CommandOutcome.Failed.class::isInstance)
        .forEach(outcome -> assertConflict(failureOf(outcome), QUEUE_CAPACITY));
    assertThat(stored().runs()).hasSize(2);
  }

  @Test
  @Rule({"B06", "commands"})
  void each_command_decides_whether_its_outbox_messages_are_claimed() {
    List<CommandOutcome<AppendedRun>> outcomes = appendAll(List.of(
        queued("run_1").creation().claimingOutboxFor(MINUTE), queued("run_2").creation()));

    assertThat(resultOf(outcomes.get(0)).claimedOutbox())
        .extracting(message -> message.message().runId())
        .containsExactly("run_1");
    assertThat(resultOf(outcomes.get(1)).claimedOutbox()).isEmpty();
    assertThat(claimOutbox(NOON, 10))
        .extracting(message -> message.message().runId())
        .containsExactly("run_2");
  }

  @Test
  @Rule({"B07", "S09"})
  void competing_batches_over_the_same_runs_have_one_winner_for_each() {
    List<RunRecord> runs = givenAll(Race.times(20, i -> running("run_" + i, minutes(1))));
    List<RunRecord> backwards = new ArrayList<>(runs);
    Collections.reverse(backwards);

    Race.Results<List<CommandOutcome<AppendedRun>>> race = race(Race.times(
        8,
        i -> adapter -> batchOf(adapter)
            .appendAll((i % 2 == 0 ? runs : backwards)
                .stream()
                    .map(run -> Commands.append(run, NOON, Events.succeeded(run, NOON)))
                    .toList())));

    assertThat(race.failures()).isEmpty();
    List<String> winners = race.results().stream()
        .flatMap(List::stream)
        .filter(CommandOutcome.Succeeded.class::isInstance)
        .map(outcome -> resultOf(outcome).run().id())
        .toList();
    assertThat(winners)
        .containsExactlyInAnyOrderElementsOf(runs.stream().map(RunRecord::id).toList());
    race.results().stream()
        .flatMap(List::stream)
        .filter(CommandOutcome.Failed.class::isInstance)
        .forEach(outcome -> assertConflict(failureOf(outcome), EVENT_SEQUENCE));
    assertThat(stored().events()).hasSize(20 * 5);
  }

  @Test
  @Rule({"B07", "S61"})
  void competing_batches_over_the_same_keys_have_one_owner_for_each() {
    Race.Results<List<CommandOutcome<AppendedRun>>> race = race(Race.times(
        8,
        i -> adapter -> batchOf(adapter).appendAll(Race.times(10, k -> {
          int key = i % 2 == 0 ? k : 9 - k;
          return queued("run_" + i + "_" + key)
              .idempotencyKey("key_" + key, TTL_HOUR)
              .singletonKey("single_" + (9 - key))
              .creation();
        }))));

    assertThat(race.failures()).isEmpty();
    assertThat(stored().runs())
        .hasSize(10)
        .extracting(run -> run.keys().idempotencyKey())
        .doesNotHaveDuplicates();
    assertThat(stored().runs())
        .extracting(run -> run.keys().singletonKey())
        .doesNotHaveDuplicates();
  }

  private static void assertOwner(String runId, RunlaneException failure) {
    assertThat(failure.meta()).containsEntry(RunlaneException.OWNER_RUN_ID, runId);
  }
}
