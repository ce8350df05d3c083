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
import static dev.runlane.conformance.kit.Given.ENVIRONMENT;
import static dev.runlane.conformance.kit.Given.HOUR;
import static dev.runlane.conformance.kit.Given.NOON;
import static dev.runlane.conformance.kit.Given.OTHER_ENVIRONMENT;
import static dev.runlane.conformance.kit.Given.TTL_HOUR;
import static dev.runlane.conformance.kit.Given.minutes;
import static dev.runlane.conformance.kit.Given.seconds;
import static dev.runlane.conformance.kit.Outcomes.assertFails;
import static dev.runlane.run.ErrorCode.VALIDATION_FAILED;
import static dev.runlane.run.StorageConflictKind.SINGLETON_KEY;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.conformance.given.Events;
import dev.runlane.conformance.given.StoredState;
import dev.runlane.conformance.kit.Given;
import dev.runlane.conformance.kit.Outcomes;
import dev.runlane.conformance.kit.Race;
import dev.runlane.conformance.kit.Rule;
import dev.runlane.conformance.storage.StorageConformance;
import dev.runlane.run.ContractDefaults;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunStatus;
import dev.runlane.storage.run.PruneRuns;
import dev.runlane.storage.run.PrunedRuns;
import io.vertx.core.Future;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Pruning removes old ended runs with all that belongs to them, and nothing else. */
@DisplayName("pruning")
public abstract class PruneConformance extends StorageConformance {
  private static final Set<RunStatus> ANY = Set.of();

  @Test
  @Rule("S90")
  void active_runs_are_never_removed_however_old() {
    givenAll(List.of(
        queued("run_1"),
        scheduled("run_2", minutes(9)),
        running("run_3", minutes(9)),
        retrying("run_4", minutes(9)),
        released("run_5", minutes(9)),
        cancellationRequested("run_6", minutes(9))));
    StoredState before = stored();

    PrunedRuns pruned = prune(ANY, Given.NEXT_YEAR, 100, null);

    assertThat(pruned.prunedRuns()).isZero();
    assertThat(pruned.nextCursor()).isNull();
    assertNothingStored(before);
  }

  @Test
  @Rule("S90")
  void runs_last_updated_before_the_cutoff_are_removed_and_others_stay() {
    given(succeeded("run_1").at(seconds(-1)));
    RunRecord same = given(succeeded("run_2"));
    RunRecord later = given(succeeded("run_3").at(seconds(1)));

    assertThat(prune(ANY, NOON, 100, null).prunedRuns()).isEqualTo(1);

    assertThat(stored().runs()).containsExactly(same, later);
  }

  @Test
  @Rule("S90")
  void the_last_update_counts_not_the_creation() {
    RunRecord old = given(queued("run_1"));
    append(old, minutes(10), Events.cancelled(old, minutes(10)));

    assertThat(prune(ANY, minutes(5), 100, null).prunedRuns()).isZero();
    assertThat(prune(ANY, minutes(11), 100, null).prunedRuns()).isEqualTo(1);
  }

  @Test
  @Rule("S90")
  void only_the_named_statuses_and_environment_are_touched() {
    given(succeeded("run_1"));
    given(failed("run_2"));
    given(cancelled("run_3"));
    given(failed("run_4").environment(OTHER_ENVIRONMENT));

    assertThat(prune(Set.of(RunStatus.FAILED), minutes(1), 100, null).prunedRuns())
        .isEqualTo(1);
    assertThat(stored().runs()).extracting(RunRecord::id).containsExactly("run_1", "run_3");
    assertThat(prune(ANY, minutes(1), 100, null).prunedRuns()).isEqualTo(2);
    assertThat(stored().runs()).isEmpty();
    assertThat(find(OTHER_ENVIRONMENT, "run_4")).isPresent();
  }

  @Test
  @Rule("S91")
  void each_call_removes_at_most_the_limit_and_the_cursor_leads_to_the_end() {
    givenAll(Race.times(7, i -> cancelled("run_" + i).at(seconds(i / 3))));
    given(queued("run_active"));
    int removed = 0;
    String cursor = null;
    for (int call = 0; call < 20; call++) {
      PrunedRuns pruned = prune(ANY, minutes(1), 2, cursor);
      assertThat(pruned.prunedRuns()).isLessThanOrEqualTo(2);
      removed += pruned.prunedRuns();
      cursor = pruned.nextCursor();
      if (cursor == null) {
        break;
      }
    }

    assertThat(cursor).isNull();
    assertThat(removed).isEqualTo(7);
    assertThat(stored().runs()).extracting(RunRecord::id).containsExactly("run_active");
  }

  @Test
  @Rule("S91")
  void a_cursor_is_refused_with_another_filter() {
    givenAll(Race.times(3, i -> cancelled("run_" + i)));
    String cursor = prune(ANY, minutes(1), 1, null).nextCursor();

    assertThat(cursor).isNotNull();
    assertFails(command(Set.of(RunStatus.FAILED), minutes(1), 1, cursor), VALIDATION_FAILED);
    assertFails(command(ANY, minutes(2), 1, cursor), VALIDATION_FAILED);
    assertThat(stored().runs()).hasSize(2);
  }

  @Test
  @Rule("S91")
  void a_call_without_a_limit_removes_the_default_number() {
    int count = ContractDefaults.PRUNE_LIMIT + 1;
    givenAll(Race.times(count, i -> cancelled("run_" + i)));

    PrunedRuns pruned = prune(ANY, minutes(1), null, null);

    assertThat(pruned.prunedRuns()).isEqualTo(ContractDefaults.PRUNE_LIMIT);
    assertThat(pruned.nextCursor()).isNotNull();
    assertThat(prune(ANY, minutes(1), null, pruned.nextCursor()).prunedRuns()).isEqualTo(1);
  }

  @Test
  @Rule("S92")
  void the_events_and_outbox_messages_of_a_removed_run_go_with_it() {
    given(succeeded("run_1"));
    RunRecord kept = given(queued("run_2"));

    prune(ANY, minutes(1), 100, null);

    assertThat(stored().events())
        .extracting(event -> event.event().header().runId())
        .containsOnly(kept.id());
    assertThat(StoredState.history(storage, ENVIRONMENT, "run_1")).isEmpty();
    assertThat(unsettledOutbox()).containsExactly("run_2");
  }

  @Test
  @Rule("S92")
  void the_id_of_a_removed_run_may_be_used_again() {
    given(succeeded("run_1"));
    prune(ANY, minutes(1), 100, null);

    RunRecord again = given(queued("run_1").at(minutes(2)));

    assertThat(read("run_1")).isEqualTo(again);
    assertThat(history(again)).hasSize(2);
  }

  @Test
  @Rule({"S92", "m6"})
  void a_run_whose_key_is_still_retained_is_passed_over() {
    given(succeeded("run_1").idempotencyKey("key", TTL_HOUR));
    given(succeeded("run_2"));

    assertThat(pruneAt(minutes(59)).prunedRuns()).isEqualTo(1);

    assertThat(find("run_1")).isPresent();
    assertThat(owner("key", minutes(59))).contains("run_1");
  }

  @Test
  @Rule({"S91", "m6"})
  void runs_that_are_passed_over_do_not_hide_those_behind_them() {
    givenAll(Race.times(5, i -> succeeded("run_kept_" + i).idempotencyKey("key_" + i, TTL_HOUR)));
    given(succeeded("run_old").at(seconds(1)));
    int removed = 0;
    String cursor = null;
    for (int call = 0; call < 20; call++) {
      PrunedRuns pruned = Outcomes.done(
          storage.pruneRuns(new PruneRuns(ENVIRONMENT, ANY, minutes(1), minutes(2), 2, cursor)));
      removed += pruned.prunedRuns();
      cursor = pruned.nextCursor();
      if (cursor == null) {
        break;
      }
    }

    assertThat(removed).isEqualTo(1);
    assertThat(find("run_old")).isEmpty();
    assertThat(stored().runs()).hasSize(5);
  }

  @Test
  @Rule({"S92", "m6"})
  void an_expired_owner_is_removed_with_its_run() {
    given(succeeded("run_1").idempotencyKey("key", TTL_HOUR));

    assertThat(pruneAt(NOON.plus(HOUR)).prunedRuns()).isEqualTo(1);

    assertThat(find("run_1")).isEmpty();
    assertThat(owner("key", NOON)).isEmpty();
    given(queued("run_2").idempotencyKey("key", TTL_HOUR));
  }

  @Test
  @Rule({"S92", "m6"})
  void released_and_reset_keys_do_not_keep_their_runs() {
    given(failed("run_1").idempotencyKey("key", TTL_HOUR));
    given(succeeded("run_2").task(Given.OTHER_TASK).singletonKey("one"));

    assertThat(pruneAt(minutes(2)).prunedRuns()).isEqualTo(2);
  }

  @Test
  @Rule({"S92", "S62"})
  void removing_a_former_owner_does_not_touch_the_key_of_its_successor() {
    given(failed("run_1").idempotencyKey("key", TTL_HOUR).singletonKey("one"));
    given(queued("run_2").idempotencyKey("key", TTL_HOUR).singletonKey("one"));

    assertThat(pruneAt(minutes(2)).prunedRuns()).isEqualTo(1);

    assertThat(owner("key", minutes(2))).contains("run_2");
    Outcomes.assertOwnedBy(
        "run_2",
        SINGLETON_KEY,
        storage.appendRunEvents(queued("run_3").singletonKey("one").creation()));
  }

  private PrunedRuns pruneAt(Instant now) {
    return Outcomes.done(
        storage.pruneRuns(new PruneRuns(ENVIRONMENT, ANY, minutes(1), now, 100, null)));
  }

  private PrunedRuns prune(
      Set<RunStatus> statuses,
      Instant olderThan,
      @Nullable Integer limit,
      @Nullable String cursor) {
    return Outcomes.done(command(statuses, olderThan, limit, cursor));
  }

  private Future<PrunedRuns> command(
      Set<RunStatus> statuses,
      Instant olderThan,
      @Nullable Integer limit,
      @Nullable String cursor) {
    return storage.pruneRuns(
        new PruneRuns(ENVIRONMENT, statuses, olderThan, olderThan, limit, cursor));
  }
}
