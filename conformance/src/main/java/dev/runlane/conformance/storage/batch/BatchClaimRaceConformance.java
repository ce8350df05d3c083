package dev.runlane.conformance.storage.batch;

import static dev.runlane.conformance.given.TestRuns.queued;
import static dev.runlane.conformance.given.TestRuns.running;
import static dev.runlane.conformance.kit.Given.ENVIRONMENT;
import static dev.runlane.conformance.kit.Given.MINUTE;
import static dev.runlane.conformance.kit.Given.NOON;
import static dev.runlane.conformance.kit.Given.TASKS;
import static dev.runlane.conformance.kit.Given.UNBOUNDED;
import static dev.runlane.conformance.kit.Given.bounded;
import static dev.runlane.conformance.kit.Given.lease;
import static dev.runlane.conformance.kit.Given.minutes;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.conformance.given.Commands;
import dev.runlane.conformance.given.Events;
import dev.runlane.conformance.kit.Given;
import dev.runlane.conformance.kit.Outcomes;
import dev.runlane.conformance.kit.Race;
import dev.runlane.conformance.kit.Rule;
import dev.runlane.run.QueuePolicy;
import dev.runlane.run.RunRecord;
import dev.runlane.run.StorageConflictKind;
import dev.runlane.storage.StorageAdapter;
import dev.runlane.storage.run.ClaimRuns;
import dev.runlane.storage.run.ClaimedRuns;
import io.vertx.core.Future;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** However many claim at once, no run is claimed twice and no partition overfilled. */
@DisplayName("claiming many runs in competition")
public abstract class BatchClaimRaceConformance extends BatchConformance {
  @Test
  @Rule("B16")
  void competing_claims_never_share_a_run_and_leave_none_behind() {
    givenAll(Race.times(60, i -> queued("run_" + i)));

    Race.Results<ClaimedRuns> race =
        race(Race.times(8, i -> adapter -> claim(adapter, List.of(UNBOUNDED), "tok_" + i, 10)));

    assertThat(race.failures()).isEmpty();
    List<String> claimed = claimedIds(race.results());
    assertThat(claimed).isNotEmpty().doesNotHaveDuplicates();
    claimed.addAll(
        claimedIds(List.of(Outcomes.done(claim(storage, List.of(UNBOUNDED), "tok_last", 100)))));
    assertThat(claimed).hasSize(60).doesNotHaveDuplicates();
    assertThat(stored().events()).hasSize(60 * 4);
  }

  @Test
  @Rule({"B16", "B18"})
  void competing_claims_of_the_same_named_runs_never_share_one_and_leave_none_behind() {
    List<String> names = givenAll(Race.times(40, i -> queued("run_" + i))).stream()
        .map(RunRecord::id)
        .toList();

    Race.Results<ClaimedRuns> race = race(Race.times(
        8,
        i -> adapter -> i % 2 == 0
            ? claim(adapter, List.of(UNBOUNDED), "tok_" + i, 10)
            : named(adapter, names, "tok_" + i)));

    assertThat(race.failures()).isEmpty();
    List<String> claimed = claimedIds(race.results());
    assertThat(claimed).isNotEmpty().doesNotHaveDuplicates();
    claimed.addAll(claimedIds(List.of(Outcomes.done(named(storage, names, "tok_last")))));
    assertThat(claimed).hasSize(40).doesNotHaveDuplicates();
    assertThat(stored().events()).hasSize(40 * 4);
  }

  @Test
  @Rule("B16")
  void a_claim_by_batch_and_one_by_name_never_share_a_run() {
    List<RunRecord> runs = givenAll(Race.times(20, i -> queued("run_" + i)));
    List<Function<StorageAdapter, Future<List<String>>>> contenders = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      String token = "tok_batch_" + i;
      contenders.add(adapter -> claim(adapter, List.of(UNBOUNDED), token, 10)
          .map(claimed -> claimedIds(List.of(claimed))));
    }
    for (RunRecord run : runs) {
      contenders.add(adapter -> adapter
          .claimRunLease(Commands.claim(run, UNBOUNDED, lease("tok_" + run.id(), minutes(1)), NOON))
          .map(claimed -> claimed.map(each -> each.run().id()).stream().toList()));
    }

    Race.Results<List<String>> race = race(contenders);

    assertThat(race.failures()).isEmpty();
    assertThat(race.results().stream().flatMap(List::stream)).isNotEmpty().doesNotHaveDuplicates();
    assertThat(stored().runs())
        .allSatisfy(run -> assertThat(run.counters().attempts()).isLessThanOrEqualTo(1));
  }

  @Test
  @Rule({"B17", "S50"})
  void competing_claims_never_overfill_a_partition() {
    QueuePolicy three = bounded(3);
    for (String tenant : List.of("a", "b")) {
      givenAll(
          Race.times(12, i -> queued("run_" + tenant + i).queue(three).concurrencyKey(tenant)));
    }

    Race.Results<ClaimedRuns> race =
        race(Race.times(8, i -> adapter -> claim(adapter, List.of(three), "tok_" + i, 10)));

    assertThat(race.failures()).isEmpty();
    assertThat(claimedIds(race.results())).doesNotHaveDuplicates();
    Outcomes.done(claim(storage, List.of(three), "tok_last", 100));
    for (String tenant : List.of("a", "b")) {
      assertThat(stored().runs().stream()
              .filter(run -> tenant.equals(run.keys().concurrencyKey()))
              .filter(run -> run.occupiesSlotAt(NOON)))
          .as(tenant)
          .hasSize(3);
    }
  }

  @Test
  @Rule({"B17", "S50"})
  void competing_claims_of_less_than_there_is_room_for_never_overfill_a_partition() {
    for (int round = 0; round < 20; round++) {
      QueuePolicy three = QueuePolicy.bounded("queue_" + round, 3);
      String prefix = "run_" + round + "_";
      givenAll(Race.times(8, i -> queued(prefix + i).queue(three)));

      Race.Results<ClaimedRuns> race =
          race(Race.times(8, i -> adapter -> claim(adapter, List.of(three), "tok_" + i, 2)));

      assertThat(race.failures()).isEmpty();
      assertThat(claimedIds(race.results())).doesNotHaveDuplicates().hasSizeLessThanOrEqualTo(3);
    }
  }

  @Test
  @Rule({"B16", "S45"})
  void a_takeover_and_the_end_of_the_attempt_never_both_succeed() {
    for (int round = 0; round < 10; round++) {
      RunRecord run = given(running("run_" + round, minutes(1)));
      String token = "tok_round_" + round;

      Race.Results<Boolean> race = race(List.of(
          adapter -> batchOf(adapter)
              .claimRuns(command(List.of(UNBOUNDED), token, 10, minutes(2)))
              .map(claimed -> !claimed.runs().isEmpty()),
          adapter -> adapter
              .appendRunEvents(Commands.append(run, minutes(2), Events.succeeded(run, minutes(2))))
              .map(true)));

      assertAllConflict(race.failures(), StorageConflictKind.EVENT_SEQUENCE);
      assertThat(race.results().stream().filter(Boolean::booleanValue)).hasSize(1);
    }
  }

  private static Future<ClaimedRuns> claim(
      StorageAdapter adapter, List<QueuePolicy> queues, String token, int limit) {
    return batchOf(adapter).claimRuns(command(queues, token, limit, NOON));
  }

  private static Future<ClaimedRuns> named(
      StorageAdapter adapter, List<String> runIds, String token) {
    return batchOf(adapter)
        .claimRuns(new ClaimRuns(
            ENVIRONMENT,
            List.of(UNBOUNDED),
            TASKS,
            Given.WORKER,
            token,
            MINUTE,
            NOON,
            runIds.size(),
            runIds));
  }

  private static ClaimRuns command(List<QueuePolicy> queues, String token, int limit, Instant now) {
    return new ClaimRuns(ENVIRONMENT, queues, TASKS, Given.WORKER, token, MINUTE, now, limit);
  }

  private static List<String> claimedIds(List<ClaimedRuns> claimed) {
    List<String> ids = new ArrayList<>();
    claimed.forEach(each -> each.runs().forEach(run -> ids.add(run.run().id())));
    return ids;
  }
}
