package dev.runlane.conformance.storage.read;

import static dev.runlane.conformance.given.TestRuns.cancellationRequested;
import static dev.runlane.conformance.given.TestRuns.cancelled;
import static dev.runlane.conformance.given.TestRuns.failed;
import static dev.runlane.conformance.given.TestRuns.queued;
import static dev.runlane.conformance.given.TestRuns.released;
import static dev.runlane.conformance.given.TestRuns.reserved;
import static dev.runlane.conformance.given.TestRuns.retrying;
import static dev.runlane.conformance.given.TestRuns.running;
import static dev.runlane.conformance.given.TestRuns.scheduled;
import static dev.runlane.conformance.given.TestRuns.succeeded;
import static dev.runlane.conformance.kit.Given.EMAILS;
import static dev.runlane.conformance.kit.Given.ENVIRONMENT;
import static dev.runlane.conformance.kit.Given.NOON;
import static dev.runlane.conformance.kit.Given.OTHER_ENVIRONMENT;
import static dev.runlane.conformance.kit.Given.OTHER_TASK;
import static dev.runlane.conformance.kit.Given.TASK;
import static dev.runlane.conformance.kit.Given.TASKS;
import static dev.runlane.conformance.kit.Given.UNBOUNDED;
import static dev.runlane.conformance.kit.Given.bounded;
import static dev.runlane.conformance.kit.Given.minutes;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.conformance.kit.Outcomes;
import dev.runlane.conformance.kit.Rule;
import dev.runlane.conformance.storage.StorageConformance;
import dev.runlane.run.QueuePolicy;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunStatus;
import dev.runlane.storage.read.ListRunnableRuns;
import dev.runlane.storage.read.RunnableRunRef;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Workers are shown what they may claim, longest due first, and nothing else. */
@DisplayName("scanning for runnable runs")
public abstract class RunnableScanConformance extends StorageConformance {
  @Test
  @Rule({"S30", "S31"})
  void due_runs_of_every_waiting_status_and_expired_leases_are_shown_by_the_instant_they_are_due() {
    given(running("run_expired", minutes(4)));
    given(released("run_released", minutes(3)));
    given(retrying("run_retrying", minutes(2)));
    given(scheduled("run_scheduled", minutes(1)));
    given(queued("run_queued"));

    List<RunnableRunRef> found = scan(List.of(UNBOUNDED), TASKS, minutes(5), 10);

    assertThat(found)
        .extracting(RunnableRunRef::runId)
        .containsExactly(
            "run_queued", "run_scheduled", "run_retrying", "run_released", "run_expired");
    assertThat(found)
        .extracting(RunnableRunRef::availableAt)
        .containsExactly(NOON, minutes(1), minutes(2), minutes(3), minutes(4));
    assertThat(found)
        .extracting(RunnableRunRef::status)
        .containsExactly(
            RunStatus.QUEUED,
            RunStatus.SCHEDULED,
            RunStatus.RETRYING,
            RunStatus.RELEASED,
            RunStatus.RUNNING);
  }

  @Test
  @Rule("S30")
  void runs_that_are_not_due_leased_cancelling_or_terminal_are_not_shown() {
    given(scheduled("run_1", minutes(6)));
    given(retrying("run_2", minutes(6)));
    given(released("run_3", minutes(6)));
    given(running("run_4", minutes(6)));
    given(cancellationRequested("run_5", minutes(1)));
    given(succeeded("run_6"));
    given(failed("run_7"));
    given(cancelled("run_8"));

    assertThat(scan(List.of(UNBOUNDED), TASKS, minutes(5), 10)).isEmpty();
    assertThat(scan(List.of(UNBOUNDED), TASKS, minutes(6), 10))
        .extracting(RunnableRunRef::runId)
        .containsExactlyInAnyOrder("run_1", "run_2", "run_3", "run_4");
  }

  @Test
  @Rule({"S31", "S32"})
  void a_candidate_names_what_a_worker_needs_to_choose() {
    RunRecord run = given(queued("run_1").queue(bounded(2)).concurrencyKey("tenant"));

    assertThat(scan(List.of(bounded(2)), TASKS, NOON, 10))
        .containsExactly(new RunnableRunRef(
            "run_1", TASK, "bounded", "tenant", RunStatus.QUEUED, run.eventSequence(), NOON));
  }

  @Test
  @Rule("S31")
  void no_more_than_the_limit_is_shown_and_those_longest_due_first() {
    for (int i = 5; i >= 1; i--) {
      given(scheduled("run_" + i, minutes(i)));
    }

    assertThat(scan(List.of(UNBOUNDED), TASKS, minutes(9), 2))
        .extracting(RunnableRunRef::runId)
        .containsExactly("run_1", "run_2");
  }

  @Test
  @Rule({"S31", "commands"})
  void only_the_named_queues_tasks_and_environment_are_shown() {
    given(queued("run_1"));
    given(queued("run_2").queue(EMAILS));
    given(queued("run_3").task(OTHER_TASK));
    given(queued("run_4").environment(OTHER_ENVIRONMENT));

    assertThat(runIds(scan(List.of(UNBOUNDED), TASKS, NOON, 10))).containsExactly("run_1");
    assertThat(runIds(scan(List.of(EMAILS), TASKS, NOON, 10))).containsExactly("run_2");
    assertThat(runIds(scan(List.of(UNBOUNDED), List.of(OTHER_TASK), NOON, 10)))
        .containsExactly("run_3");
    assertThat(runIds(scan(List.of(UNBOUNDED, EMAILS), List.of(TASK, OTHER_TASK), NOON, 10)))
        .containsExactlyInAnyOrder("run_1", "run_2", "run_3");
  }

  @Test
  @Rule({"S31", "commands"})
  void without_queues_or_tasks_nothing_is_shown() {
    given(queued("run_1"));

    assertThat(scan(List.of(), TASKS, NOON, 10)).isEmpty();
    assertThat(scan(List.of(UNBOUNDED), List.of(), NOON, 10)).isEmpty();
  }

  @Test
  @Rule("S33")
  void a_full_partition_does_not_starve_another_within_a_small_limit() {
    QueuePolicy one = bounded(1);
    given(running("run_0", minutes(60)).queue(one).concurrencyKey("full"));
    for (int i = 1; i <= 10; i++) {
      given(queued("run_full_" + i).queue(one).concurrencyKey("full"));
    }
    given(queued("run_free").queue(one).concurrencyKey("free").at(minutes(1)));

    assertThat(runIds(scan(List.of(one), TASKS, minutes(1), 1))).containsExactly("run_free");
  }

  @Test
  @Rule("S33")
  void a_full_queue_does_not_starve_an_unbounded_one() {
    QueuePolicy one = bounded(1);
    given(running("run_0", minutes(60)).queue(one));
    given(queued("run_1").queue(one));
    given(queued("run_2").at(minutes(1)));

    assertThat(runIds(scan(List.of(one, UNBOUNDED), TASKS, minutes(1), 1)))
        .containsExactly("run_2");
  }

  @Test
  @Rule({"S33", "m7"})
  void runs_that_hold_their_slot_are_shown_although_the_partition_is_full() {
    QueuePolicy one = bounded(1);
    given(reserved("run_1", minutes(9)).queue(one).concurrencyKey("a"));
    given(queued("run_2").queue(one).concurrencyKey("a"));
    given(running("run_3", minutes(1)).queue(one).concurrencyKey("b"));
    given(queued("run_4").queue(one).concurrencyKey("b"));

    assertThat(runIds(scan(List.of(one), TASKS, minutes(2), 10)))
        .containsExactlyInAnyOrder("run_1", "run_3");
  }

  @Test
  @Rule("S33")
  void those_due_longest_of_one_partition_are_shown_within_a_small_limit() {
    QueuePolicy many = bounded(9);
    for (int i = 5; i >= 1; i--) {
      given(running("run_" + i, minutes(i)).queue(many));
    }

    assertThat(runIds(scan(List.of(many), TASKS, minutes(9), 2))).containsExactly("run_1", "run_2");
  }

  @Test
  @Rule({"S33", "ids"})
  void equal_instants_are_told_apart_by_the_code_points_of_ids() {
    String wide = "run_\uFF5E"; // one character, behind every surrogate
    String beyond = "run_\uD83D\uDE00"; // a code point beyond the basic plane
    given(queued(beyond));
    given(queued(wide));

    assertThat(runIds(scan(List.of(UNBOUNDED), TASKS, NOON, 10))).containsExactly(wide, beyond);
    assertThat(runIds(scan(List.of(UNBOUNDED), TASKS, NOON, 1))).containsExactly(wide);
  }

  private List<RunnableRunRef> scan(
      List<QueuePolicy> queues, List<String> taskIds, Instant now, int limit) {
    return Outcomes.done(
        storage.listRunnableRuns(new ListRunnableRuns(ENVIRONMENT, queues, taskIds, now, limit)));
  }

  private static List<String> runIds(List<RunnableRunRef> found) {
    return found.stream().map(RunnableRunRef::runId).toList();
  }
}
