package dev.runlane.conformance.storage.batch;

import static dev.runlane.conformance.given.TestRuns.queued;
import static dev.runlane.conformance.kit.Given.ENVIRONMENT;
import static dev.runlane.conformance.kit.Given.MINUTE;
import static dev.runlane.conformance.kit.Given.NOON;
import static dev.runlane.conformance.kit.Given.TASKS;
import static dev.runlane.conformance.kit.Given.UNBOUNDED;
import static dev.runlane.conformance.kit.Given.WORKER;
import static dev.runlane.conformance.kit.Given.bounded;
import static dev.runlane.conformance.kit.Given.minutes;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.conformance.given.TestRun;
import dev.runlane.conformance.kit.Outcomes;
import dev.runlane.conformance.kit.Race;
import dev.runlane.conformance.kit.Rule;
import dev.runlane.run.ContractDefaults;
import dev.runlane.run.IdempotencyTtl;
import dev.runlane.run.Json;
import dev.runlane.run.QueuePolicy;
import dev.runlane.storage.CommandOutcome;
import dev.runlane.storage.run.AppendedRun;
import dev.runlane.storage.run.ClaimRuns;
import dev.runlane.storage.run.ClaimedRuns;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * However many runs and partitions there are, claims go on until there is nothing more to claim, and however much is
 * appended in one call, nothing of it is left out.
 */
@DisplayName("appending much and claiming from many partitions")
public abstract class BatchAmountConformance extends BatchConformance {
  private static final int MANY = 300;

  /** So many payloads of a mebibyte are more than a storage lets wait unless told. */
  private static final int LARGE = 66;

  /** Claims after which a storage that goes on saying there is more has said so for nothing. */
  private static final int MOST_CLAIMS = 100;

  private static final QueuePolicy ONE = bounded(1);
  private static final QueuePolicy ELSEWHERE = QueuePolicy.unbounded("elsewhere");

  @Test
  @Rule({"B11", "B14"})
  void claims_reach_every_partition_as_long_as_there_may_be_more() {
    appendAll(Race.times(MANY, i -> inPartition("run_" + (1_000 + i), i).creation()));

    List<String> few = claimAll(ONE, 10, 40);
    List<String> all = new ArrayList<>(few);
    all.addAll(claimAll(ONE, 70, MANY));

    assertThat(few).hasSize(40);
    assertThat(all)
        .containsExactlyInAnyOrderElementsOf(Race.times(MANY, i -> "run_" + (1_000 + i)));
  }

  @Test
  @Rule({"B14", "S33"})
  void hundreds_of_full_partitions_do_not_starve_the_one_behind_them() {
    givenLeased(ONE, Race.times(MANY, i -> inPartition("run_" + i, i)), minutes(9));
    appendAll(Race.times(MANY, i -> inPartition("run_waiting_" + i, i).creation()));
    appendAll(List.of(inPartition("run_free", MANY).creation()));

    assertThat(claimAll(ONE, 1, 1)).containsExactly("run_free");
  }

  @Test
  @Rule("B11")
  void runs_that_are_due_at_one_instant_are_each_claimed_once() {
    appendAll(Race.times(MANY, i -> queued("run_" + (1_000 + i)).creation()));

    assertThat(claimAll(UNBOUNDED, 40, MANY))
        .containsExactlyElementsOf(Race.times(MANY, i -> "run_" + (1_000 + i)));
  }

  @Test
  @Rule({"B11", "limits"})
  void of_hundreds_of_tasks_those_due_longest_are_claimed_and_no_others() {
    List<String> tasks = Race.times(2 * MANY, i -> "task_" + i);
    appendAll(List.of(
        queued("run_2").task("task_0").at(minutes(-2)).creation(),
        queued("run_3").task("task_" + (2 * MANY - 1)).at(minutes(-1)).creation(),
        queued("run_1").task("task_7").at(minutes(-3)).creation(),
        queued("run_of_another_task").task("task_other").creation(),
        queued("run_of_another_queue").task("task_7").queue(ELSEWHERE).creation()));

    assertThat(claim(tasks, 1)).containsExactly("run_1");
    assertThat(claim(tasks, 10)).containsExactly("run_2", "run_3");
    assertThat(claim(tasks, 10)).isEmpty();
  }

  private List<String> claim(List<String> tasks, int limit) {
    return Outcomes.done(batch.claimRuns(new ClaimRuns(
            ENVIRONMENT, List.of(UNBOUNDED), tasks, WORKER, "tok_batch", MINUTE, NOON, limit)))
        .runs()
        .stream()
        .map(each -> each.run().id())
        .toList();
  }

  @Test
  @Rule({"B01", "limits"})
  void commands_that_hold_more_together_than_may_wait_are_all_appended() {
    Json payload = Json.ofChecked('"' + "x".repeat(ContractDefaults.MAX_PAYLOAD_BYTES - 2) + '"');

    List<CommandOutcome<AppendedRun>> plain =
        appendAll(Race.times(LARGE, i -> queued("run_" + i).payload(payload).creation()));
    List<CommandOutcome<AppendedRun>> keyed =
        appendAll(Race.times(LARGE, i -> queued("run_keyed_" + i)
            .payload(payload)
            .idempotencyKey("key_" + i, IdempotencyTtl.ACTIVE)
            .creation()));

    assertThat(plain.stream().map(each -> resultOf(each).run().id()))
        .containsExactlyElementsOf(Race.times(LARGE, i -> "run_" + i));
    assertThat(keyed.stream().map(each -> resultOf(each).run().id()))
        .containsExactlyElementsOf(Race.times(LARGE, i -> "run_keyed_" + i));
    int last = LARGE - 1;
    assertThat(read("run_" + last).payload()).isEqualTo(payload);
    assertThat(read("run_keyed_" + last).payload()).isEqualTo(payload);
  }

  /** The runs of claims with this limit, until they are so many or there are no more. */
  private List<String> claimAll(QueuePolicy queue, int limit, int wanted) {
    List<String> runs = new ArrayList<>();
    for (int claim = 0; claim < MOST_CLAIMS && runs.size() < wanted; claim++) {
      ClaimedRuns claimed = Outcomes.done(batch.claimRuns(new ClaimRuns(
          ENVIRONMENT, List.of(queue), TASKS, WORKER, "tok_batch", MINUTE, NOON, limit)));
      assertThat(claimed.runs()).hasSizeLessThanOrEqualTo(limit);
      claimed.runs().forEach(each -> runs.add(each.run().id()));
      if (!claimed.mayHaveMore()) {
        break;
      }
    }
    return runs;
  }

  private static TestRun inPartition(String runId, int partition) {
    return queued(runId).queue(ONE).concurrencyKey("key_" + (1_000 + partition));
  }
}
