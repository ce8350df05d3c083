package dev.runlane.conformance.storage.step;

import static dev.runlane.conformance.given.TestRuns.queued;
import static dev.runlane.conformance.given.TestRuns.running;
import static dev.runlane.conformance.kit.Given.ENVIRONMENT;
import static dev.runlane.conformance.kit.Given.MINUTE;
import static dev.runlane.conformance.kit.Given.NEXT_YEAR;
import static dev.runlane.conformance.kit.Given.NOON;
import static dev.runlane.conformance.kit.Given.OTHER_ENVIRONMENT;
import static dev.runlane.conformance.kit.Given.PAYLOAD;
import static dev.runlane.conformance.kit.Given.minutes;
import static dev.runlane.conformance.kit.Outcomes.assertConflict;
import static dev.runlane.conformance.kit.Outcomes.assertFails;
import static dev.runlane.run.ErrorCode.ADAPTER_CONTRACT_VIOLATION;
import static dev.runlane.run.StorageConflictKind.EVENT_SEQUENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.runlane.conformance.given.Commands;
import dev.runlane.conformance.given.Events;
import dev.runlane.conformance.kit.Given;
import dev.runlane.conformance.kit.Outcomes;
import dev.runlane.conformance.kit.Rule;
import dev.runlane.operator.OperatorStore;
import dev.runlane.operator.depth.GetSample;
import dev.runlane.operator.depth.StepDepth;
import dev.runlane.operator.depth.TakeSample;
import dev.runlane.operator.step.ListStepGroups;
import dev.runlane.operator.step.ListSteps;
import dev.runlane.operator.step.StepGroup;
import dev.runlane.operator.step.WaitingStep;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.Identifiers;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunRecord;
import dev.runlane.run.StepIds;
import dev.runlane.storage.read.Page;
import dev.runlane.storage.run.AppendRunEvents;
import dev.runlane.storage.run.PruneRuns;
import dev.runlane.storage.step.ClaimDueSteps;
import dev.runlane.storage.step.ClaimedStep;
import dev.runlane.storage.step.ListPendingSteps;
import dev.runlane.storage.step.PendingStep;
import dev.runlane.storage.step.RemovePendingSteps;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Pending steps are what the events of their runs make them, in the transaction of the events. */
@DisplayName("deriving pending steps")
public abstract class PendingStepConformance extends PendingStepScene {
  @Test
  @Rule("pending")
  void a_request_makes_a_pending_step_that_is_due_when_the_event_occurred() {
    RunRecord run = given(running("run_1", minutes(90)));
    RunEvent.StepRequested request = request(run, 7, minutes(1));

    append(run, minutes(1), request);

    assertThat(pending("run_1"))
        .containsExactly(new PendingStep(request, 1, minutes(1), null, null, false));
    assertThat(claimSteps(NOON, 10)).isEmpty();
    assertThat(idsOf(claimSteps(minutes(1), 10))).containsExactly("run_1:7");
  }

  @Test
  @Rule("pending")
  void steps_that_nobody_else_is_asked_for_make_none() {
    RunRecord run = given(running("run_1", minutes(90)));
    String stepId = StepIds.of(run.id(), 0);

    append(
        run,
        NOON,
        new RunEvent.StepRequested(
            Events.header(run, NOON), stepId, "charge", null, PAYLOAD, 1, null),
        new RunEvent.StepRequested(
            Events.header(run, NOON), StepIds.of(run.id(), 1), "sleep", null, null, 1, minutes(3)));

    assertThat(pending("run_1")).isEmpty();
    assertThat(claimSteps(NEXT_YEAR, 10)).isEmpty();
    assertThat(history(read("run_1"))).hasSizeGreaterThan(2);
  }

  @Test
  @Rule("pending")
  void the_steps_of_a_run_are_listed_by_their_positions_and_one_by_its_id() {
    RunRecord run = asking("run_1", 12);
    asking("run_2", 1);
    asking("run_11", 1);

    assertThat(pending("run_1"))
        .extracting(PendingStep::stepId)
        .containsExactlyElementsOf(
            IntStream.range(0, 12).mapToObj(at -> "run_1:" + at).toList());
    assertThat(Outcomes.done(
            steps.listPendingSteps(new ListPendingSteps(ENVIRONMENT, run.id(), "run_1:11"))))
        .containsExactly(pending("run_1").get(11));
    assertThat(pending("run_9")).isEmpty();
  }

  @Test
  @Rule("pending")
  void steps_that_wait_for_workers_are_counted_by_group_where_a_sample_is_kept() {
    asking("run_1", 2);
    move(claimSteps(NOON, 1).get(0), minutes(20), minutes(1)); // its workers were asked
    RunRecord later = given(running("run_2", minutes(90)));
    append(later, minutes(30), request(later, 0, minutes(30)));

    storage.operator().ifPresent(operator -> {
      Outcomes.done(operator.takeSample(new TakeSample(ENVIRONMENT, minutes(2), MINUTE)));
      assertThat(Outcomes.done(operator.latestSample(new GetSample(ENVIRONMENT)))
              .orElseThrow()
              .steps())
          .containsExactly(new StepDepth("invoice-print@eu", 2, NOON));
    });
  }

  @Test
  @Rule("pending")
  void operators_see_steps_by_their_ids_of_all_of_a_run_and_of_a_group() {
    RunRecord first = asking("run_1", 2);
    asking("run_2", 1);
    RunRecord other = given(running("run_3", minutes(90)));
    append(
        other,
        minutes(1),
        new RunEvent.StepRequested(
            Events.header(other, minutes(1)),
            StepIds.of(other.id(), 0),
            "image:scale",
            "image-scale",
            PAYLOAD,
            2,
            null,
            DISPATCH));
    move(claimSteps(NOON, 1).get(0), minutes(20), minutes(1)); // its workers were asked

    storage.operator().ifPresent(operator -> {
      assertThat(shown(operator, null, null))
          .extracting(WaitingStep::id)
          .containsExactly("run_1:0", "run_1:1", "run_2:0", "run_3:0");
      assertThat(shown(operator, first.id(), null))
          .containsExactly(
              new WaitingStep(
                  "run_1:0",
                  "run_1",
                  "invoice:print",
                  "invoice-print@eu",
                  1,
                  NOON,
                  minutes(1),
                  minutes(20),
                  minutes(60),
                  false),
              new WaitingStep(
                  "run_1:1",
                  "run_1",
                  "invoice:print",
                  "invoice-print@eu",
                  1,
                  NOON,
                  null,
                  NOON,
                  minutes(60),
                  false));
      assertThat(shown(operator, null, "image-scale"))
          .extracting(WaitingStep::id)
          .containsExactly("run_3:0");
      assertThat(shown(operator, "run_2", "image-scale")).isEmpty();
      assertThat(shown(operator, "run_9", null)).isEmpty();
    });
  }

  @Test
  @Rule("pending")
  void operators_see_the_groups_whose_workers_steps_of_active_runs_wait_for() {
    RunRecord ended = asking("run_1", 1);
    append(ended, minutes(2), Events.succeeded(ended, minutes(2)));
    RunRecord waiting = given(running("run_2", minutes(90)));
    append(waiting, minutes(1), request(waiting, 0, minutes(1), 2));
    asking("run_3", 2);
    claimSteps(NOON, 2).forEach(step -> move(step, minutes(20), minutes(1))); // due behind it

    storage.operator().ifPresent(operator -> {
      Page<StepGroup> groups =
          Outcomes.done(operator.listStepGroups(new ListStepGroups(ENVIRONMENT)));
      assertThat(groups.data())
          .containsExactly(new StepGroup("invoice-print@eu", 3, 2, 2, NOON, minutes(60)));
      assertThat(groups.nextCursor()).isNull();
      assertThat(groups.isCut()).isFalse();
      assertThat(shown(operator, "run_1", null))
          .extracting(WaitingStep::runEnded)
          .containsExactly(true);
      assertThat(Outcomes.done(operator.listStepGroups(new ListStepGroups(OTHER_ENVIRONMENT)))
              .data())
          .isEmpty();
    });
  }

  @Test
  @Rule("pending")
  void operators_see_steps_in_pages_whose_cursors_belong_to_the_same_list() {
    asking("run_1", 12);
    asking("run_2", 1);

    storage.operator().ifPresent(operator -> {
      List<String> found = new ArrayList<>();
      String cursor = null;
      do {
        Page<WaitingStep> page =
            Outcomes.done(operator.listSteps(new ListSteps(ENVIRONMENT, null, null, 5, cursor)));
        assertThat(page.data()).hasSizeLessThanOrEqualTo(5);
        page.data().forEach(step -> found.add(step.id()));
        cursor = page.nextCursor();
      } while (cursor != null);
      assertThat(found).hasSize(13).isSortedAccordingTo(Identifiers.ORDER).doesNotHaveDuplicates();
      String second = Outcomes.done(
              operator.listSteps(new ListSteps(ENVIRONMENT, "run_1", null, 5, null)))
          .nextCursor();
      assertThat(second).isNotNull();
      Outcomes.assertFails(
          operator.listSteps(new ListSteps(ENVIRONMENT, null, null, 5, second)),
          ErrorCode.VALIDATION_FAILED);
      Outcomes.assertFails(
          operator.listSteps(new ListSteps(ENVIRONMENT, null, null, 0, null)),
          ErrorCode.VALIDATION_FAILED);
      Outcomes.assertFails(
          operator.listSteps(new ListSteps(ENVIRONMENT, "", null, null, null)),
          ErrorCode.VALIDATION_FAILED);
    });
  }

  private static List<WaitingStep> shown(
      OperatorStore operator, @Nullable String runId, @Nullable String group) {
    return Outcomes.done(operator.listSteps(new ListSteps(ENVIRONMENT, runId, group, null, null)))
        .data();
  }

  @Test
  @Rule("pending")
  void a_result_removes_its_step_and_no_other() {
    RunRecord run = asking("run_1", 3);

    append(run, minutes(1), Events.stepCompleted(run, minutes(1), 1));

    assertThat(pending("run_1"))
        .extracting(PendingStep::stepId)
        .containsExactly("run_1:0", "run_1:2");
    assertThat(idsOf(claimSteps(NEXT_YEAR, 10))).containsExactlyInAnyOrder("run_1:0", "run_1:2");
  }

  @Test
  @Rule("pending")
  void a_result_removes_a_step_that_somebody_has_claimed() {
    RunRecord run = asking("run_1", 1);
    ClaimedStep claimed = claimOnly(NOON);

    append(run, minutes(1), Events.stepCompleted(run, minutes(1), 0));

    assertThat(pending("run_1")).isEmpty();
    assertThat(move(claimed, minutes(5), minutes(1))).isEmpty();
    assertThat(pending("run_1")).isEmpty();
  }

  @Test
  @Rule("pending")
  void a_step_that_is_requested_anew_replaces_what_is_there() {
    RunRecord run = asking("run_1", 1);
    ClaimedStep claimed = claimOnly(NOON);
    move(claimed, minutes(20), minutes(1));
    RunEvent.StepRequested again = request(run, 0, minutes(2), 4);

    append(run, minutes(2), again);

    assertThat(only("run_1")).isEqualTo(new PendingStep(again, 4, minutes(2), null, null, false));
  }

  @Test
  @Rule("pending")
  void one_command_may_hold_results_and_requests() {
    RunRecord run = asking("run_1", 2);
    RunEvent.StepRequested third = request(run, 2, minutes(1));

    append(run, minutes(1), Events.stepCompleted(run, minutes(1), 0), third);

    assertThat(pending("run_1"))
        .extracting(PendingStep::stepId)
        .containsExactly("run_1:1", "run_1:2");
    assertThat(pending("run_1").get(1).request()).isEqualTo(third);
  }

  @Test
  @Rule("pending")
  void other_events_of_the_run_touch_no_pending_step() {
    RunRecord run = asking("run_1", 1);
    ClaimedStep claimed = claimOnly(NOON);
    move(claimed, minutes(30), minutes(1));
    PendingStep before = only("run_1");

    RunRecord released = append(
            run, minutes(2), Events.releasedToAwaitSteps(run, minutes(2), minutes(3)))
        .run();
    assertThat(only("run_1")).isEqualTo(before);
    RunRecord woken = append(
            released, minutes(3), Events.delivery(released, minutes(3), minutes(3)))
        .run();
    RunRecord again = claim(woken, Given.UNBOUNDED, "tok_2", minutes(4));
    Outcomes.done(storage.heartbeatRunLease(Commands.heartbeat(again, minutes(90), minutes(5))));

    assertThat(only("run_1")).isEqualTo(before);
  }

  @Test
  @Rule("pending")
  void the_end_of_a_run_marks_what_is_pending_and_makes_it_due_at_once() {
    RunRecord run = asking("run_1", 2);
    List<ClaimedStep> claimed = claimSteps(NOON, 10);
    move(claimed.get(0), minutes(50), minutes(1));

    append(run, minutes(2), Events.succeeded(run, minutes(2)));

    assertThat(pending("run_1"))
        .extracting(PendingStep::runEnded, PendingStep::nextAt)
        .containsOnly(tuple(true, minutes(2)));
    assertThat(move(claimed.get(1), minutes(50), minutes(1))).isEmpty();
    assertThat(claimSteps(minutes(1), 10)).isEmpty();
    assertThat(claimSteps(minutes(2), 10))
        .allMatch(each -> each.step().runEnded())
        .hasSize(2);
  }

  @Test
  @Rule("pending")
  void a_run_that_is_cancelled_while_it_awaits_its_steps_marks_them_too() {
    RunRecord run = asking("run_1", 1);
    RunRecord waiting = append(
            run, minutes(1), Events.releasedToAwaitSteps(run, minutes(1), minutes(60)))
        .run();

    append(waiting, minutes(2), Events.cancelled(waiting, minutes(2)));

    assertThat(only("run_1").runEnded()).isTrue();
    assertThat(claimOnly(minutes(2)).step().dispatchedAt()).isNull();
  }

  @Test
  @Rule("pending")
  void a_request_in_the_command_that_ends_the_run_makes_none() {
    RunRecord run = given(running("run_1", minutes(90)));

    append(run, NOON, request(run, 0, NOON), Events.succeeded(run, NOON));

    assertThat(pending("run_1")).isEmpty();
    assertThat(read("run_1").status().isTerminal()).isTrue();
  }

  @Test
  @Rule("pending")
  void a_result_in_the_command_that_ends_the_run_removes_its_step_alone() {
    RunRecord run = asking("run_1", 2);

    append(
        run,
        minutes(1),
        Events.stepCompleted(run, minutes(1), 0),
        Events.succeeded(run, minutes(1)));

    assertThat(only("run_1").stepId()).isEqualTo("run_1:1");
    assertThat(idsOf(claimSteps(minutes(1), 10))).containsExactly("run_1:1");
  }

  @Test
  @Rule("pending")
  void what_a_run_left_is_forgotten_by_whoever_has_claimed_it_and_only_after_its_end() {
    RunRecord run = asking("run_1", 1);
    ClaimedStep early = claimOnly(NOON);
    assertThat(forget(early, early.token())).isEmpty();
    append(run, minutes(1), Events.failed(run, minutes(1)));
    assertThat(forget(early, early.token())).isEmpty();
    ClaimedStep claimed = claimOnly(minutes(1));

    assertThat(forget(claimed, "tok_other")).isEmpty();
    assertThat(forget(claimed, claimed.token())).containsExactly("run_1:0");
    assertThat(forget(claimed, claimed.token())).isEmpty();

    assertThat(pending("run_1")).isEmpty();
  }

  @Test
  @Rule("pending")
  void each_removal_of_a_command_succeeds_or_not_by_itself() {
    RunRecord run = asking("run_1", 3);
    append(run, minutes(1), Events.failed(run, minutes(1)));
    List<ClaimedStep> claimed = claimSteps(minutes(1), 10);

    Set<String> forgotten = Outcomes.done(steps.removePendingSteps(new RemovePendingSteps(
        ENVIRONMENT,
        claimed.stream()
            .map(each ->
                removal(each, each.step().stepId().equals("run_1:1") ? "tok_other" : each.token()))
            .toList())));

    assertThat(forgotten).containsExactlyInAnyOrder("run_1:0", "run_1:2");
    assertThat(pending("run_1")).extracting(PendingStep::stepId).containsExactly("run_1:1");
  }

  @Test
  @Rule("pending")
  void pruning_a_run_removes_what_it_left() {
    RunRecord run = asking("run_1", 2);
    append(run, NOON, Events.succeeded(run, NOON));

    Outcomes.done(storage.pruneRuns(
        new PruneRuns(ENVIRONMENT, Set.of(), minutes(10), minutes(10), 10, null)));

    assertThat(find("run_1")).isEmpty();
    assertThat(pending("run_1")).isEmpty();
    assertThat(claimSteps(NEXT_YEAR, 10)).isEmpty();
  }

  @Test
  @Rule("pending")
  void a_refused_append_changes_no_pending_step() {
    RunRecord run = asking("run_1", 1);
    append(run, minutes(1), Events.cancellationRequested(run, minutes(1)));
    List<PendingStep> before = pending("run_1");

    assertConflict(
        storage.appendRunEvents(
            Commands.append(run, minutes(2), Events.stepCompleted(run, minutes(2), 0))),
        EVENT_SEQUENCE);
    assertConflict(
        storage.appendRunEvents(Commands.append(run, minutes(2), request(run, 1, minutes(2)))),
        EVENT_SEQUENCE);
    assertConflict(
        storage.appendRunEvents(Commands.append(run, minutes(2), Events.failed(run, minutes(2)))),
        EVENT_SEQUENCE);

    assertThat(pending("run_1")).isEqualTo(before);
  }

  @Test
  @Rule("pending")
  void a_creation_must_not_request_a_remote_step() {
    AppendRunEvents creation = queued("run_1").creationWithLease(Given.lease("tok_1", minutes(9)));
    RunRecord created = creation.projectedRun();
    List<RunEvent> events = new ArrayList<>(creation.events());
    RunEvent started = Events.started(created, NOON);
    RunEvent request = request(created, 0, NOON);
    events.add(started);
    events.add(request);
    AppendRunEvents command = new AppendRunEvents(
        creation.environment(),
        creation.runId(),
        creation.expectedSequence(),
        events,
        Commands.project(created, List.of(started, request)),
        creation.queuePolicy(),
        creation.now(),
        null);

    assertFails(storage.appendRunEvents(command), ADAPTER_CONTRACT_VIOLATION);

    assertThat(find("run_1")).isEmpty();
    assertThat(pending("run_1")).isEmpty();
  }

  @Test
  @Rule("pending")
  void pending_steps_belong_to_their_environment() {
    asking("run_1", 1);

    assertThat(Outcomes.done(
            steps.listPendingSteps(new ListPendingSteps(OTHER_ENVIRONMENT, "run_1", null))))
        .isEmpty();
    assertThat(Outcomes.done(
            steps.claimDueSteps(new ClaimDueSteps(OTHER_ENVIRONMENT, NEXT_YEAR, MINUTE, 10))))
        .isEmpty();
    assertThat(claimSteps(NOON, 10)).hasSize(1);
  }

  private Set<String> forget(ClaimedStep claimed, String token) {
    return Outcomes.done(steps.removePendingSteps(
        new RemovePendingSteps(ENVIRONMENT, List.of(removal(claimed, token)))));
  }

  private static RemovePendingSteps.Removal removal(ClaimedStep claimed, String token) {
    return new RemovePendingSteps.Removal(claimed.step().runId(), claimed.step().stepId(), token);
  }
}
