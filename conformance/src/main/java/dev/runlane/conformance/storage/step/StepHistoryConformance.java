package dev.runlane.conformance.storage.step;

import static dev.runlane.conformance.given.TestRuns.awaitingSteps;
import static dev.runlane.conformance.given.TestRuns.released;
import static dev.runlane.conformance.given.TestRuns.running;
import static dev.runlane.conformance.kit.Given.ENVIRONMENT;
import static dev.runlane.conformance.kit.Given.FAILURE;
import static dev.runlane.conformance.kit.Given.NOON;
import static dev.runlane.conformance.kit.Given.PAYLOAD;
import static dev.runlane.conformance.kit.Given.TASKS;
import static dev.runlane.conformance.kit.Given.UNBOUNDED;
import static dev.runlane.conformance.kit.Given.bounded;
import static dev.runlane.conformance.kit.Given.lease;
import static dev.runlane.conformance.kit.Given.minutes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.runlane.conformance.given.Commands;
import dev.runlane.conformance.given.Events;
import dev.runlane.conformance.given.StoredState;
import dev.runlane.conformance.kit.Outcomes;
import dev.runlane.conformance.kit.Rule;
import dev.runlane.conformance.storage.StorageConformance;
import dev.runlane.run.ContractDefaults;
import dev.runlane.run.QueuePolicy;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunEventType;
import dev.runlane.run.RunRecord;
import dev.runlane.run.StepIds;
import dev.runlane.storage.read.ListRunEvents;
import dev.runlane.storage.read.ListRunnableRuns;
import dev.runlane.storage.read.ListRunsNeedingDelivery;
import dev.runlane.storage.read.ListRunsNeedingDispatch;
import dev.runlane.storage.read.RunEventFilter;
import dev.runlane.storage.read.RunEventRecord;
import dev.runlane.storage.read.RunEventSort;
import dev.runlane.storage.read.RunnableRunRef;
import dev.runlane.storage.run.AppendedRun;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Steps are events like any other, and a run that awaits one is due with its result. */
@DisplayName("steps in a run's history")
public abstract class StepHistoryConformance extends StorageConformance {
  @Test
  @Rule("steps")
  void the_steps_of_a_run_are_listed_by_their_types_in_the_order_they_happened() {
    RunRecord run = given(running("run_1", minutes(1)));
    RunEvent first = requested(run, 0, "charge");
    RunEvent second = requested(run, 1, "ship");
    RunEvent shipped = Events.stepCompleted(run, NOON, 1);
    RunEvent refused = new RunEvent.StepCompleted(
        Events.header(run, NOON), StepIds.of(run.id(), 0), 3, NOON, null, FAILURE);
    RunRecord stepped = append(run, NOON, first, second, shipped).run();
    append(stepped, NOON, Events.heartbeat(stepped, NOON, lease("tok_run_1", minutes(2))), refused);

    List<RunEventRecord> steps = Outcomes.done(storage.listRunEvents(new ListRunEvents(
            ENVIRONMENT,
            new RunEventFilter(
                run.id(),
                Set.of(RunEventType.STEP_REQUESTED, RunEventType.STEP_COMPLETED),
                null,
                null),
            RunEventSort.HISTORY,
            10,
            null)))
        .data();

    assertThat(steps)
        .extracting(RunEventRecord::event)
        .containsExactly(first, second, shipped, refused);
  }

  @Test
  @Rule("steps")
  void hundreds_of_steps_of_one_instant_are_read_page_by_page_from_that_instant() {
    RunRecord run = given(running("run_1", minutes(1)));
    RunEvent[] requests = IntStream.range(0, ContractDefaults.MAX_PAGE_LIMIT + 56)
        .mapToObj(position -> requested(run, position, "echo"))
        .toArray(RunEvent[]::new);
    append(run, NOON, requests);
    RunEventFilter filter =
        new RunEventFilter(run.id(), Set.of(RunEventType.STEP_REQUESTED), NOON, null);

    assertThat(StoredState.pages(cursor -> storage.listRunEvents(new ListRunEvents(
            ENVIRONMENT, filter, RunEventSort.HISTORY, ContractDefaults.MAX_PAGE_LIMIT, cursor))))
        .extracting(RunEventRecord::event)
        .containsExactly(requests);
  }

  @Test
  @Rule("steps")
  void steps_leave_the_run_as_it_was_but_for_sequence_and_time() {
    RunRecord run = given(running("run_1", minutes(1)));

    AppendedRun stepped =
        append(run, minutes(0), requested(run, 0, "charge"), Events.stepCompleted(run, NOON, 0));

    assertThat(stepped.run().eventSequence()).isEqualTo(run.eventSequence() + 2);
    assertThat(stepped.run().lease()).isEqualTo(run.lease());
    assertThat(stepped.run().status()).isEqualTo(run.status());
    assertThat(stepped.run().counters()).isEqualTo(run.counters());
    assertThat(read("run_1")).isEqualTo(stepped.run());
  }

  @Test
  @Rule({"steps", "S34"})
  void a_run_that_awaits_steps_is_due_with_the_first_result() {
    RunRecord run = given(awaitingSteps("run_1", minutes(60)));

    assertThat(runIds(needingDelivery(minutes(5)))).isEmpty();
    assertThat(runIds(runnable(UNBOUNDED, minutes(5)))).isEmpty();
    append(run, minutes(4), Events.stepCompleted(run, minutes(4), 0));

    assertThat(needingDelivery(minutes(5)))
        .extracting(RunnableRunRef::runId, RunnableRunRef::availableAt)
        .containsExactly(tuple("run_1", minutes(4)));
    assertThat(runIds(runnable(UNBOUNDED, minutes(5)))).containsExactly("run_1");
    assertThat(runIds(runnable(UNBOUNDED, minutes(3)))).isEmpty();
  }

  @Test
  @Rule({"steps", "S34"})
  void a_run_that_awaits_nothing_stays_due_when_it_was() {
    RunRecord run = given(released("run_1", minutes(60)));

    append(run, minutes(4), Events.stepCompleted(run, minutes(4), 0));

    assertThat(needingDelivery(minutes(59))).isEmpty();
    assertThat(runIds(needingDelivery(minutes(60)))).containsExactly("run_1");
    assertThat(read("run_1").runAt()).isEqualTo(minutes(60));
  }

  @Test
  @Rule("steps")
  void whoever_claims_or_wakes_a_run_ends_its_wait() {
    RunRecord claimed = given(awaitingSteps("run_1", minutes(1)));
    RunRecord woken = given(awaitingSteps("run_2", minutes(1)));
    RunRecord reserved = given(awaitingSteps("run_3", minutes(1)).queue(bounded(1)));

    Outcomes.done(storage.claimRunLease(
        Commands.claim(claimed, UNBOUNDED, lease("tok_1", minutes(3)), minutes(2))));
    append(woken, minutes(2), Events.delivery(woken, minutes(2), minutes(2)));
    Outcomes.done(
        storage.reserveRunDispatch(Commands.reserve(reserved, bounded(1), minutes(3), minutes(2))));

    for (String id : List.of("run_1", "run_2", "run_3")) {
      RunRecord run = read(id);
      Instant runAt = run.runAt();
      append(run, minutes(2), Events.stepCompleted(run, minutes(2), 0));
      assertThat(read(id).awaiting()).as("what %s awaits", id).isNull();
      assertThat(read(id).runAt()).as("when %s is due", id).isEqualTo(runAt);
    }
  }

  @Test
  @Rule({"steps", "S33"})
  void a_result_lets_a_run_of_a_bounded_queue_be_dispatched() {
    RunRecord run = given(awaitingSteps("run_1", minutes(60)).queue(bounded(1)));

    assertThat(needingDispatch(minutes(5))).isEmpty();
    append(run, minutes(4), Events.stepCompleted(run, minutes(4), 0));

    assertThat(runIds(needingDispatch(minutes(5)))).containsExactly("run_1");
    assertThat(runIds(runnable(bounded(1), minutes(5)))).containsExactly("run_1");
  }

  private static RunEvent requested(RunRecord run, int position, String name) {
    return new RunEvent.StepRequested(
        Events.header(run, NOON),
        StepIds.of(run.id(), position),
        name,
        "workers@eu",
        PAYLOAD,
        1,
        minutes(7));
  }

  private List<RunnableRunRef> needingDelivery(Instant now) {
    return Outcomes.done(storage.listRunsNeedingDelivery(
        new ListRunsNeedingDelivery(ENVIRONMENT, List.of("default"), now, 10)));
  }

  private List<RunnableRunRef> needingDispatch(Instant now) {
    return Outcomes.done(storage.listRunsNeedingDispatch(
        new ListRunsNeedingDispatch(ENVIRONMENT, List.of(bounded(1)), now, 10)));
  }

  private List<RunnableRunRef> runnable(QueuePolicy queue, Instant now) {
    return Outcomes.done(storage.listRunnableRuns(
        new ListRunnableRuns(ENVIRONMENT, List.of(queue), TASKS, now, 10)));
  }

  private static List<String> runIds(List<RunnableRunRef> found) {
    return found.stream().map(RunnableRunRef::runId).toList();
  }
}
