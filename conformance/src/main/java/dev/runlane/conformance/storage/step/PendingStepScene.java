package dev.runlane.conformance.storage.step;

import static dev.runlane.conformance.given.TestRuns.running;
import static dev.runlane.conformance.kit.Given.ENVIRONMENT;
import static dev.runlane.conformance.kit.Given.MINUTE;
import static dev.runlane.conformance.kit.Given.NOON;
import static dev.runlane.conformance.kit.Given.PAYLOAD;
import static dev.runlane.conformance.kit.Given.minutes;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.conformance.given.Events;
import dev.runlane.conformance.kit.Outcomes;
import dev.runlane.conformance.storage.StorageConformance;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunRecord;
import dev.runlane.run.StepDispatch;
import dev.runlane.run.StepIds;
import dev.runlane.storage.StorageAdapter;
import dev.runlane.storage.step.ClaimDueSteps;
import dev.runlane.storage.step.ClaimedStep;
import dev.runlane.storage.step.ListPendingSteps;
import dev.runlane.storage.step.PendingStep;
import dev.runlane.storage.step.ReschedulePendingSteps;
import dev.runlane.storage.step.RetryStep;
import dev.runlane.storage.step.StepStorage;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;

/** What cases about pending steps have in common. */
public abstract class PendingStepScene extends StorageConformance {
  static final StepDispatch DISPATCH =
      new StepDispatch(minutes(60), 3, MINUTE, MINUTE.multipliedBy(5), 0);

  StepStorage steps;

  /** Takes the pending steps of the adapter under test. */
  @BeforeEach
  final void openSteps() {
    steps = stepsOf(storage);
  }

  static StepStorage stepsOf(StorageAdapter adapter) {
    return adapter
        .steps()
        .orElseThrow(() -> new AssertionError("the storage keeps no pending steps"));
  }

  /** A running run that has asked for remote steps at noon: as many, from position 0 on. */
  RunRecord asking(String runId, int count) {
    RunRecord run = given(running(runId, minutes(90)));
    RunEvent[] requests = new RunEvent[count];
    for (int position = 0; position < count; position++) {
      requests[position] = request(run, position, NOON);
    }
    return append(run, NOON, requests).run();
  }

  public static RunEvent.StepRequested request(RunRecord run, int position, Instant at) {
    return request(run, position, at, 1);
  }

  static RunEvent.StepRequested request(RunRecord run, int position, Instant at, int attempt) {
    return new RunEvent.StepRequested(
        Events.header(run, at),
        StepIds.of(run.id(), position),
        "invoice:print",
        "invoice-print@eu",
        PAYLOAD,
        attempt,
        null,
        DISPATCH);
  }

  List<PendingStep> pending(String runId) {
    return pendingIn(storage, runId);
  }

  static List<PendingStep> pendingIn(StorageAdapter adapter, String runId) {
    return Outcomes.done(
        stepsOf(adapter).listPendingSteps(new ListPendingSteps(ENVIRONMENT, runId, null)));
  }

  PendingStep only(String runId) {
    List<PendingStep> found = pending(runId);
    assertThat(found).hasSize(1);
    return found.get(0);
  }

  /** Claims for a minute. */
  List<ClaimedStep> claimSteps(Instant now, int limit) {
    return Outcomes.done(steps.claimDueSteps(new ClaimDueSteps(ENVIRONMENT, now, MINUTE, limit)));
  }

  ClaimedStep claimOnly(Instant now) {
    List<ClaimedStep> claimed = claimSteps(now, 10);
    assertThat(claimed).hasSize(1);
    return claimed.get(0);
  }

  Set<String> move(ClaimedStep claimed, Instant nextAt, @Nullable Instant dispatchedAt) {
    return Outcomes.done(steps.reschedulePendingSteps(
        new ReschedulePendingSteps(ENVIRONMENT, List.of(moved(claimed, nextAt, dispatchedAt)))));
  }

  static ReschedulePendingSteps.NextCheck moved(
      ClaimedStep claimed, Instant nextAt, @Nullable Instant dispatchedAt) {
    return new ReschedulePendingSteps.NextCheck(
        claimed.step().runId(), claimed.step().stepId(), claimed.token(), nextAt, dispatchedAt);
  }

  boolean retry(PendingStep step, int attempt, Instant resultAt, Instant nextAt) {
    return Outcomes.done(steps.retryStep(
        new RetryStep(ENVIRONMENT, step.runId(), step.stepId(), attempt, resultAt, nextAt)));
  }

  static List<String> idsOf(List<ClaimedStep> claimed) {
    return claimed.stream().map(each -> each.step().stepId()).toList();
  }
}
