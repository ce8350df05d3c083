package dev.runlane.conformance.storage.read;

import static dev.runlane.conformance.given.TestRuns.queued;
import static dev.runlane.conformance.kit.Given.ENVIRONMENT;
import static dev.runlane.conformance.kit.Given.NOON;
import static dev.runlane.conformance.kit.Given.TASKS;
import static dev.runlane.conformance.kit.Given.UNBOUNDED;
import static dev.runlane.conformance.kit.Given.bounded;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.conformance.given.StoredState;
import dev.runlane.conformance.given.TestRun;
import dev.runlane.conformance.kit.Outcomes;
import dev.runlane.conformance.kit.Race;
import dev.runlane.conformance.kit.Rule;
import dev.runlane.conformance.storage.StorageConformance;
import dev.runlane.run.QueuePolicy;
import dev.runlane.storage.outbox.ClaimedOutboxMessage;
import dev.runlane.storage.read.ListRunEvents;
import dev.runlane.storage.read.ListRunnableRuns;
import dev.runlane.storage.read.ListRuns;
import dev.runlane.storage.read.RunEventFilter;
import dev.runlane.storage.read.RunEventRecord;
import dev.runlane.storage.read.RunEventSort;
import dev.runlane.storage.read.RunFilter;
import dev.runlane.storage.read.RunSort;
import dev.runlane.storage.read.RunSummary;
import dev.runlane.storage.read.RunnableRunRef;
import dev.runlane.storage.read.SortDirection;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Hundreds of runs of one instant are shown once each, however many pages and looks it takes. */
@DisplayName("many runs of one instant")
public abstract class EqualInstantConformance extends StorageConformance {
  private static final int MANY = 300;

  /** Pages end amid runs of one instant, and the last of them is exactly full. */
  private static final int PAGE = 100;

  @Test
  @Rule({"S31", "ids"})
  void of_runs_that_are_due_at_one_instant_those_with_the_first_ids_are_shown() {
    QueuePolicy bounded = bounded(MANY);
    givenMany(bounded, "bounded_");
    givenMany(UNBOUNDED, "run_");

    assertThat(runnable(bounded, PAGE)).isEqualTo(ids("bounded_").subList(0, PAGE));
    assertThat(runnable(UNBOUNDED, PAGE)).isEqualTo(ids("run_").subList(0, PAGE));
    assertThat(runnable(UNBOUNDED, MANY)).isEqualTo(ids("run_"));
  }

  @Test
  @Rule({"S23", "S25"})
  void runs_and_events_of_one_instant_are_each_on_one_page() {
    givenMany(UNBOUNDED, "run_");

    for (SortDirection direction : SortDirection.values()) {
      List<String> runs = StoredState.pages(cursor -> storage.listRuns(new ListRuns(
              ENVIRONMENT,
              RunFilter.ALL,
              new RunSort(RunSort.Field.CREATED_AT, direction),
              PAGE,
              cursor)))
          .stream()
          .map(RunSummary::id)
          .toList();
      List<String> events = StoredState.pages(cursor -> storage.listRunEvents(new ListRunEvents(
              ENVIRONMENT,
              new RunEventFilter(null, Set.of(), null, null),
              new RunEventSort(RunEventSort.Field.OCCURRED_AT, direction),
              PAGE,
              cursor)))
          .stream()
          .map(RunEventRecord::id)
          .toList();

      List<String> expected = new ArrayList<>(ids("run_"));
      if (direction == SortDirection.DESC) {
        Collections.reverse(expected);
      }
      assertThat(runs).isEqualTo(expected);
      assertThat(events).hasSize(2 * MANY).doesNotHaveDuplicates();
    }
  }

  @Test
  @Rule("S80")
  void messages_that_are_due_at_one_instant_are_each_claimed_once() {
    givenMany(UNBOUNDED, "run_");

    List<String> claimed = new ArrayList<>();
    for (int claim = 0; claim < MANY / PAGE; claim++) {
      List<ClaimedOutboxMessage> some = claimOutbox(NOON, PAGE);
      assertThat(some).hasSize(PAGE);
      some.forEach(message -> claimed.add(message.message().runId()));
    }

    assertThat(claimed).containsExactlyInAnyOrderElementsOf(ids("run_"));
    assertThat(claimOutbox(NOON, PAGE)).isEmpty();
  }

  private void givenMany(QueuePolicy queue, String prefix) {
    appendedAll(ids(prefix).stream()
        .map(id -> queued(id).queue(queue))
        .map(TestRun::creation)
        .toList());
  }

  /** In their order, whatever the number of digits. */
  private static List<String> ids(String prefix) {
    return Race.times(MANY, i -> prefix + (1_000 + i));
  }

  private List<String> runnable(QueuePolicy queue, int limit) {
    return Outcomes.done(storage.listRunnableRuns(
            new ListRunnableRuns(ENVIRONMENT, List.of(queue), TASKS, NOON, limit)))
        .stream()
        .map(RunnableRunRef::runId)
        .toList();
  }
}
