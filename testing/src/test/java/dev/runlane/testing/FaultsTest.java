package dev.runlane.testing;

import static dev.runlane.testing.RunlaneAssertions.assertThat;
import static dev.runlane.testing.RunlaneAssertions.assertThatThrownBy;

import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.task.BlockingTaskContext;
import dev.runlane.runtime.task.RemoteStep;
import dev.runlane.runtime.task.RetryPolicy;
import dev.runlane.runtime.task.SignalReason;
import dev.runlane.runtime.task.Step;
import dev.runlane.runtime.task.Task;
import dev.runlane.runtime.task.TaskResult;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
class FaultsTest {
  private static final Duration HOUR = Duration.ofHours(1);

  private final RunlaneTesting testing = RunlaneTesting.create();
  private final List<String> calls = new ArrayList<>();

  private Future<Void> note(String call) {
    calls.add(call);
    return Future.succeededFuture();
  }

  private static Task.Definition<String> task() {
    return Task.define("test.task", String.class).retry(RetryPolicy.attempts(3).fixedDelay(HOUR));
  }

  private Task<String> twoSteps() {
    return task().handler((payload, context) -> context
        .step("first", () -> note("first"))
        .compose(done -> testing.timers().after(Duration.ofSeconds(5)))
        .compose(paused -> context.step("second", () -> note("second")))
        .map(TaskResult.done()));
  }

  @Test
  void a_step_fails_as_often_as_it_is_told() {
    testing.faults().failStep("second", 2);
    Task<String> task = twoSteps();

    TestRun run = testing.deploy(task).trigger(task, "a");
    testing.runUntilIdle();

    assertThat(run).succeeded().afterAttempts(3).waited(HOUR.multipliedBy(2));
    assertThat(calls).containsExactly("first", "second");
    assertThat(testing.faults().planned()).isEmpty();
  }

  @Test
  void a_step_is_tried_again_by_its_own_policy() {
    Step<Integer> step = Step.of("count", Integer.class)
        .retry(RetryPolicy.attempts(2).fixedDelay(Duration.ofSeconds(9)));
    testing.faults().failStep("count", 1);
    Task<String> task = task()
        .handler((payload, context) ->
            context.step(step, () -> Future.succeededFuture(1)).map(TaskResult::done));

    TestRun run = testing.deploy(task).trigger(task, "a");
    testing.runUntilIdle();

    assertThat(run).succeeded().afterAttempts(1).hasOutput(1);
    assertThat(testing.now()).isAfterOrEqualTo(run.record().createdAt().plusSeconds(9));
  }

  @Test
  void a_step_of_a_blocking_handler_fails_too() {
    testing.faults().failStep("count", 1);
    Task<String> task = task()
        .blockingHandler((String payload, BlockingTaskContext context) ->
            TaskResult.done(context.callStep(Step.of("count", Integer.class), () -> 1)));

    TestRun run = testing.deploy(task).trigger(task, "a");
    testing.runUntilIdle();

    assertThat(run).succeeded().afterAttempts(2).hasOutput(1);
  }

  @Test
  void a_remote_step_fails_too() {
    testing.faults().failStep("ask", 1);
    RemoteStep<String> step =
        RemoteStep.of("ask", String.class).retry(RetryPolicy.attempts(2).fixedDelay(HOUR));
    Task<String> task =
        task().handler((payload, context) -> context.remote(step, payload).map(TaskResult::done));
    testing.serve("ask", request -> Future.succeededFuture("yes")).deploy(task);

    TestRun run = testing.trigger(task, "a");
    testing.runUntilIdle();

    assertThat(run).succeeded().afterFailures(0).hasOutput("yes");
    assertThat(run.history().pauses()).hasSize(1);
  }

  @Test
  void an_attempt_fails_without_its_handler_being_called() {
    testing.faults().failAttempts("test.task", 1);
    Task<String> task = twoSteps();

    TestRun run = testing.deploy(task).trigger(task, "a");
    testing.runUntilIdle();

    assertThat(run).succeeded().afterAttempts(2).afterFailures(1);
    assertThat(calls).containsExactly("first", "second");
  }

  @Test
  void an_attempt_fails_with_what_the_test_chose() {
    testing
        .faults()
        .failAttempts("test.task", 1, RunlaneException.validationFailed("not this one"));
    Task<String> task = twoSteps();

    TestRun run = testing.deploy(task).trigger(task, "a");
    testing.runUntilIdle();

    assertThat(run)
        .failedWith(ErrorCode.VALIDATION_FAILED)
        .hasFailureContaining("not this one")
        .afterAttempts(1);
  }

  @Test
  void a_lost_lease_is_signalled_and_another_attempt_is_made() {
    List<SignalReason> signals = new ArrayList<>();
    Task<String> task = task().handler((payload, context) -> {
      context.signal().onSuccess(signals::add);
      return context.attempt() == 1
          ? context.untilSignalled(Promise.<TaskResult>promise().future())
          : Future.succeededFuture(TaskResult.done());
    });
    TestRun run = testing.deploy(task).trigger(task, "a");
    testing.runDue();

    testing.faults().loseLease(run);
    testing.runUntilIdle();

    assertThat(signals).containsExactly(SignalReason.LEASE_LOST);
    assertThat(run).succeeded().afterAttempts(2).afterFailures(0);
  }

  @Test
  void a_lease_that_is_not_lost_is_renewed() {
    Task<String> task =
        task().handler((payload, context) -> testing.timers().after(HOUR).map(TaskResult.done()));
    TestRun run = testing.deploy(task).trigger(task, "a");

    testing.runUntilIdle();

    assertThat(run).succeeded().afterAttempts(1);
  }

  @Test
  void an_outcome_whose_reply_is_lost_is_stored_once() {
    Task<String> task = twoSteps();
    TestRun run = testing.deploy(task).trigger(task, "a");
    testing.runDue();

    testing.faults().loseReply("appendAll").loseReply("appendRunEvents");
    testing.runUntilIdle();

    assertThat(run).succeeded().afterAttempts(1);
    assertThat(run.history().types()).containsOnlyOnce("run.succeeded");
    assertThat(calls).containsExactly("first", "second");
  }

  @Test
  void an_outage_of_the_storage_delays_and_loses_nothing() {
    Task<String> task = twoSteps();
    TestRun run = testing.deploy(task).trigger(task, "a");
    testing.faults().storageDown();
    testing.advance(Duration.ofMinutes(5));
    assertThat(calls).isEmpty();

    testing.faults().storageUp();
    testing.runUntilIdle();

    assertThat(run).succeeded().afterAttempts(1);
  }

  @Test
  void a_trigger_hears_of_an_outage() {
    Task<String> task = twoSteps();
    testing.deploy(task).faults().storageDown();

    assertThatThrownBy(() -> testing.trigger(task, "a"))
        .isInstanceOfSatisfying(RunlaneException.class, failure -> assertThat(failure.code())
            .isEqualTo(ErrorCode.STORAGE_UNAVAILABLE));
  }

  @Test
  void an_operator_hears_of_an_outage_and_of_calls_that_fail() {
    testing.deploy(twoSteps()).faults().storageDown();
    assertThatThrownBy(() -> testing.result(testing.runlane().operator().pausedQueues()))
        .isInstanceOf(RunlaneException.class);

    testing.faults().storageUp();
    testing.faults().failCalls("listPausedQueues", 1);
    assertThatThrownBy(() -> testing.result(testing.runlane().operator().pausedQueues()))
        .isInstanceOf(RunlaneException.class);
    assertThat(testing.result(testing.runlane().operator().pausedQueues())).isEmpty();
  }

  @Test
  void a_call_the_storage_does_not_have_is_refused() {
    assertThatThrownBy(() -> testing.faults().loseReply("appendEvents"))
        .isInstanceOf(RunlaneException.class)
        .hasMessageContaining("appendRunEvents");
  }

  @Test
  void a_process_that_is_killed_between_two_steps_does_the_first_only_once() {
    Task<String> task = twoSteps();
    TestRun run = testing.deploy(task).trigger(task, "a");
    testing.runDue();
    assertThat(calls).containsExactly("first");

    testing.kill();
    testing.advance(HOUR);
    assertThat(calls).containsExactly("first");
    testing.deploy(task).runUntilIdle();

    assertThat(run).succeeded().afterAttempts(2).afterFailures(0);
    assertThat(calls).containsExactly("first", "second");
  }

  @Test
  void a_handler_of_a_killed_process_gets_no_further_whatever_completes_later() {
    Promise<Void> reserved = Promise.promise();
    Task<String> task = task().handler((payload, context) -> context
        .step("reserve", () -> note("reserve"))
        .compose(done -> reserved.future())
        .compose(done -> context.step("charge", () -> note("charge")))
        .map(TaskResult.done()));
    testing.deploy(task).trigger(task, "a");
    testing.runDue();

    testing.kill();
    reserved.complete();
    testing.advance(HOUR);

    assertThat(calls).containsExactly("reserve");
  }

  @Test
  void a_blocking_handler_of_a_killed_process_gets_no_further() {
    Promise<Void> reserved = Promise.promise();
    Task<String> task = task().blockingHandler((String payload, BlockingTaskContext context) -> {
      context.await(reserved.future());
      calls.add("awaited");
      return TaskResult.done();
    });
    testing.deploy(task).trigger(task, "a");
    testing.runDue();

    testing.kill();
    reserved.complete();
    testing.advance(HOUR);

    assertThat(calls).isEmpty();
  }

  @Test
  void a_step_that_waits_long_for_its_own_retry_is_waited_for() {
    Step<Integer> step = Step.of("count", Integer.class)
        .retry(RetryPolicy.attempts(3).fixedDelay(HOUR.multipliedBy(5)));
    testing.faults().failStep("count", 1);
    List<Integer> tries = new ArrayList<>();
    Task<String> task = task().handler((payload, context) -> context
        .step(step, () -> {
          tries.add(tries.size());
          return tries.size() == 1
              ? Future.failedFuture(new IllegalStateException("away"))
              : Future.succeededFuture(1);
        })
        .map(TaskResult::done));

    TestRun run = testing.deploy(task).trigger(task, "a");
    testing.runUntilIdle();

    assertThat(run).succeeded().afterAttempts(1);
    assertThat(testing.now()).isAfterOrEqualTo(run.record().createdAt().plus(Duration.ofHours(10)));
  }

  @Test
  void a_deployment_takes_over_what_the_one_before_gives_back() {
    Task.Definition<String> definition = task();
    Task<String> before = definition.handler((payload, context) ->
        context.untilSignalled(Promise.<TaskResult>promise().future()));
    Task<String> after =
        definition.handler((payload, context) -> Future.succeededFuture(TaskResult.done("new")));
    TestRun run = testing.deploy(before).trigger(before, "a");
    testing.runDue();

    testing.deploy(after).runUntilIdle();

    assertThat(run)
        .succeeded()
        .hasOutput("new")
        .afterAttempts(2)
        .wasReleasedBecause("worker_stopping");
    assertThat(testing.now()).isBefore(run.record().createdAt().plusSeconds(1));
  }

  @Test
  void what_is_planned_is_told_until_it_has_happened() {
    testing.faults().failStep("nowhere", 2).loseReply("pruneRuns");

    assertThat(testing.faults().planned())
        .containsExactlyInAnyOrder("2 failures of step nowhere", "1 faults of call pruneRuns");
  }
}
