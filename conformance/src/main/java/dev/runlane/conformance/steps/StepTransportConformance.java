package dev.runlane.conformance.steps;

import static dev.runlane.conformance.kit.Given.NOON;

import dev.runlane.conformance.fixture.StepTransportFixture;
import dev.runlane.conformance.kit.CaseVertx;
import dev.runlane.conformance.kit.ConformanceSuite;
import dev.runlane.conformance.kit.EnclosingSuite;
import dev.runlane.conformance.kit.Outcomes;
import dev.runlane.conformance.kit.Race;
import dev.runlane.conformance.kit.RuleNames;
import dev.runlane.run.Json;
import dev.runlane.steps.StepTransport;
import dev.runlane.steps.result.ClaimStepResults;
import dev.runlane.steps.result.ClaimedStepResult;
import dev.runlane.steps.result.ListStepResults;
import dev.runlane.steps.result.RecordOutcome;
import dev.runlane.steps.result.RecordStepResults;
import dev.runlane.steps.result.SettleOutcome;
import dev.runlane.steps.result.SettleStepResults;
import dev.runlane.steps.result.StepOutcome;
import dev.runlane.steps.result.StepResult;
import dev.runlane.steps.result.StepResultRef;
import dev.runlane.steps.task.ClaimStepTasks;
import dev.runlane.steps.task.ClaimedStepTask;
import dev.runlane.steps.task.DispatchOutcome;
import dev.runlane.steps.task.DispatchSteps;
import dev.runlane.steps.task.StepTask;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.junit5.VertxExtension;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * One promise of a step transport. Each case gets a transport on empty tables, and another one on the same where it
 * asks for it.
 */
@ExtendWith({VertxExtension.class, EnclosingSuite.class})
@DisplayNameGeneration(RuleNames.class)
public abstract class StepTransportConformance {
  static final Duration LEASE = Duration.ofSeconds(30);
  static final String GROUP = "echo";
  static final Json VALUE = Json.ofChecked("{\"n\":1}");
  static final StepOutcome DONE = new StepOutcome.Completed(VALUE);

  StepTransportFixture fixture;
  StepTransport transport;
  List<Context> contexts;
  private @Nullable StepTransport other; // most cases do without

  /** Opens the transports under test. */
  @BeforeEach
  final void openTransport(ConformanceSuite<?> suite, CaseVertx vertx) {
    fixture = suite.fixture(StepTransportFixture.class, vertx);
    contexts = vertx.contexts();
    transport = Outcomes.done(fixture.open());
  }

  /** Closes all that the case opened. */
  @AfterEach
  final void closeTransport() {
    Outcomes.done(fixture.close());
  }

  /** Another transport on the same tables, the same one each time. Opened by whoever asks first: no event loop may. */
  final StepTransport other() {
    if (other == null) {
      other = Outcomes.done(fixture.open());
    }
    return other;
  }

  /** The same command by so many contenders. */
  final <T> Race.Results<T> race(int contenders, IntFunction<Supplier<Future<T>>> command) {
    other(); // it is there before they start
    return Race.run(contexts, Race.times(contenders, command));
  }

  /** Both in turn. */
  final StepTransport transportOf(int contender) {
    return contender % 2 == 0 ? transport : other();
  }

  static StepTask step(String runId, int seq) {
    return StepTask.first(runId, seq, GROUP, VALUE);
  }

  static StepTask step(String runId) {
    return step(runId, 0);
  }

  static List<StepTask> steps(int count) {
    return IntStream.range(0, count).mapToObj(i -> step("run_" + i)).toList();
  }

  static Instant after(long millis) {
    return NOON.plusMillis(millis);
  }

  List<DispatchOutcome> dispatch(Instant now, StepTask... steps) {
    return dispatch(now, Arrays.asList(steps));
  }

  List<DispatchOutcome> dispatch(Instant now, List<StepTask> steps) {
    return Outcomes.done(transport.dispatchSteps(new DispatchSteps(steps, now)));
  }

  static ClaimStepTasks claim(Instant now, int limit, String... groups) {
    return new ClaimStepTasks(List.of(groups), "worker", now, LEASE, limit);
  }

  List<ClaimedStepTask> claimed(Instant now, int limit, String... groups) {
    return Outcomes.done(transport.claimStepTasks(claim(now, limit, groups)));
  }

  /** The one task of the usual group, claimed. */
  ClaimedStepTask claimedOne(Instant now) {
    return claimed(now, 1, GROUP).stream()
        .findFirst()
        .orElseThrow(() -> new AssertionError("no task could be claimed"));
  }

  static RecordStepResults.Ended ended(ClaimedStepTask task, StepOutcome outcome) {
    return new RecordStepResults.Ended(task.claim(), outcome, NOON.plusMillis(7));
  }

  List<RecordOutcome> record(Instant now, RecordStepResults.Ended... results) {
    return Outcomes.done(
        transport.recordStepResults(new RecordStepResults(Arrays.asList(results), now)));
  }

  /** Runs the step to its result: dispatched, claimed and recorded at this time. */
  void complete(StepTask step, Instant now) {
    dispatch(now, step);
    ClaimedStepTask task = claimed(now, 1, step.group()).get(0);
    record(now, ended(task, DONE));
  }

  List<StepResultRef> listed(Instant now) {
    return listed(now, null, 100);
  }

  List<StepResultRef> listed(Instant now, @Nullable StepResultRef position, int limit) {
    return Outcomes.done(
        transport.listStepResults(new ListStepResults(now, LEASE, position, limit)));
  }

  static ClaimStepResults claimOf(Instant now, String... stepIds) {
    return new ClaimStepResults(Arrays.asList(stepIds), "engine", now, LEASE);
  }

  List<ClaimedStepResult> claimedResults(Instant now, String... stepIds) {
    return Outcomes.done(transport.claimStepResults(claimOf(now, stepIds)));
  }

  /** The result of this step, claimed. */
  ClaimedStepResult claimedResult(Instant now, String stepId) {
    return claimedResults(now, stepId).stream()
        .findFirst()
        .orElseThrow(() -> new AssertionError("the result of " + stepId + " is not there"));
  }

  SettleOutcome settle(ClaimedStepResult result, @Nullable StepTask next, Instant now) {
    return Outcomes.done(transport.settleStepResults(new SettleStepResults(
            List.of(new SettleStepResults.Settlement(result.claim(), next)), now)))
        .get(0);
  }

  static StepResult resultOf(StepTask step, StepOutcome outcome, Instant createdAt) {
    return new StepResult(step.stepId(), step.runId(), step.seq(), outcome, createdAt, createdAt);
  }
}
