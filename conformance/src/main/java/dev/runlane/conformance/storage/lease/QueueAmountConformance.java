package dev.runlane.conformance.storage.lease;

import static dev.runlane.conformance.given.TestRuns.queued;
import static dev.runlane.conformance.kit.Given.ENVIRONMENT;
import static dev.runlane.conformance.kit.Given.NOON;
import static dev.runlane.conformance.kit.Given.TASKS;
import static dev.runlane.conformance.kit.Given.bounded;
import static dev.runlane.conformance.kit.Given.minutes;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.conformance.given.Commands;
import dev.runlane.conformance.given.TestRun;
import dev.runlane.conformance.kit.Outcomes;
import dev.runlane.conformance.kit.Race;
import dev.runlane.conformance.kit.Rule;
import dev.runlane.conformance.storage.StorageConformance;
import dev.runlane.run.QueuePolicy;
import dev.runlane.run.RunRecord;
import dev.runlane.storage.read.ListRunnableRuns;
import dev.runlane.storage.read.ListRunsNeedingDispatch;
import dev.runlane.storage.read.RunnableRunRef;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Hundreds of runs and partitions of a queue are counted like few. */
@DisplayName("many runs and partitions of a queue")
public abstract class QueueAmountConformance extends StorageConformance {
  /** More runs than a storage is likely to rewrite, or to free, in one part = 600. */
  private static final int MANY = 600;

  private static final int MANY_PARTITIONS = 300;
  private static final QueuePolicy ONE = bounded(1);
  private static final QueuePolicy WITHOUT_LIMIT = QueuePolicy.unbounded(ONE.queue());

  @Test
  @Rule({"S50", "commands"})
  void in_a_queue_that_becomes_bounded_all_runs_count_that_are_leased() {
    givenLeased(WITHOUT_LIMIT, Race.times(MANY, i -> queued("run_" + i)), minutes(5));
    RunRecord waiting = given(queued("run_waiting").queue(WITHOUT_LIMIT).at(minutes(1)));

    assertThat(tryClaim(waiting, bounded(MANY), "tok_1", minutes(1))).isEmpty();
    assertThat(tryClaim(waiting, bounded(MANY + 1), "tok_2", minutes(1))).isPresent();
  }

  @Test
  @Rule({"S50", "commands"})
  void in_a_queue_that_loses_its_limit_all_runs_are_found_and_count_again_when_it_gets_one() {
    givenLeased(bounded(MANY), Race.times(MANY, i -> queued("run_" + i)), minutes(5));
    RunRecord waiting = given(queued("run_waiting").queue(bounded(MANY)));

    assertThat(tryClaim(waiting, WITHOUT_LIMIT, "tok_1", NOON)).isPresent();
    assertThat(Outcomes.done(storage.listRunnableRuns(new ListRunnableRuns(
            ENVIRONMENT, List.of(WITHOUT_LIMIT), TASKS, minutes(5), MANY + 2))))
        .hasSize(MANY + 1);
    RunRecord next = given(queued("run_next").queue(WITHOUT_LIMIT));
    assertThat(tryClaim(next, bounded(MANY + 1), "tok_2", NOON)).isEmpty();
    assertThat(tryClaim(next, bounded(MANY + 2), "tok_3", NOON)).isPresent();
  }

  @Test
  @Rule("S52")
  void of_reservations_that_expired_in_hundreds_of_partitions_none_takes_a_slot() {
    List<TestRun> runs = Race.times(MANY, i -> inPartition("run_" + (1_000 + i), i));
    appendedAll(runs.stream().map(TestRun::creation).toList());
    assertThat(allDone(
            runs,
            run -> storage.reserveRunDispatch(
                Commands.reserve(run.creation().projectedRun(), ONE, minutes(1), NOON))))
        .allMatch(Optional::isPresent);
    RunRecord last = given(inPartition("run_last", MANY - 1).at(minutes(1)));

    assertThat(tryClaim(last, ONE, "tok_last", minutes(1))).isPresent();
  }

  @Test
  @Rule("S33")
  void hundreds_of_full_partitions_do_not_starve_the_one_behind_them() {
    givenLeased(ONE, Race.times(MANY_PARTITIONS, i -> inPartition("run_" + i, i)), minutes(9));
    appendedAll(
        Race.times(MANY_PARTITIONS, i -> inPartition("run_waiting_" + i, i).creation()));
    given(inPartition("run_free", MANY_PARTITIONS).at(minutes(1)));

    assertThat(runIds(Outcomes.done(storage.listRunnableRuns(
            new ListRunnableRuns(ENVIRONMENT, List.of(ONE), TASKS, minutes(1), 1)))))
        .containsExactly("run_free");
    assertThat(runIds(Outcomes.done(storage.listRunsNeedingDispatch(
            new ListRunsNeedingDispatch(ENVIRONMENT, List.of(ONE), minutes(1), 1)))))
        .containsExactly("run_free");
  }

  private static TestRun inPartition(String runId, int partition) {
    return queued(runId).queue(ONE).concurrencyKey("key_" + (1_000 + partition));
  }

  private static List<String> runIds(List<RunnableRunRef> found) {
    return found.stream().map(RunnableRunRef::runId).toList();
  }
}
