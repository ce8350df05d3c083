package dev.runlane.testing;

import static dev.runlane.testing.RunlaneAssertions.assertThat;
import static dev.runlane.testing.RunlaneAssertions.assertThatThrownBy;

import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunStatus;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.task.RemoteStep;
import dev.runlane.runtime.task.RetryPolicy;
import dev.runlane.runtime.task.Schedule;
import dev.runlane.runtime.task.Step;
import dev.runlane.runtime.task.Task;
import dev.runlane.runtime.task.TaskDescription;
import dev.runlane.runtime.task.TaskQueue;
import dev.runlane.runtime.task.TaskResult;
import dev.runlane.runtime.task.TriggerOptions;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
class RunlaneTestingTest {
  private static final Duration HOUR = Duration.ofHours(1);

  private final RunlaneTesting testing = RunlaneTesting.create();
  private final List<String> calls = new ArrayList<>();

  private Future<TaskResult> note(String call) {
    calls.add(call + " at " + testing.now());
    return Future.succeededFuture(TaskResult.done(call));
  }

  private static Task.Definition<String> task() {
    return Task.define("test.task", String.class);
  }

  @Test
  void nothing_runs_until_it_is_asked_for() {
    Task<String> task = task().handler((payload, context) -> note(payload));
    TestRun run = testing.deploy(task).trigger(task, "a");
    assertThat(calls).isEmpty();
    assertThat(run).isWaiting();

    testing.runDue();

    assertThat(run).succeeded().afterAttempts(1).hasOutput("a");
  }

  @Test
  void a_retry_after_an_hour_takes_no_time() {
    Task<String> task = task()
        .retry(RetryPolicy.attempts(3).fixedDelay(HOUR))
        .handler((payload, context) -> context.attempt() < 3
            ? Future.failedFuture(new IllegalStateException("not yet"))
            : note(payload));

    TestRun run = testing.deploy(task).trigger(task, "a");
    testing.runUntilIdle();

    assertThat(run)
        .succeeded()
        .afterAttempts(3)
        .afterFailures(2)
        .waited(HOUR.multipliedBy(2))
        .waitedBetweenAttempts(HOUR, HOUR);
    assertThat(testing.now()).isBefore(Instant.parse("2026-01-01T14:00:01Z"));
  }

  @Test
  void back_off_has_no_jitter() {
    Task<String> task = task()
        .retry(RetryPolicy.attempts(3))
        .handler((payload, context) -> Future.failedFuture(new IllegalStateException("no")));

    TestRun run = testing.deploy(task).trigger(task, "a");
    testing.runUntilIdle();

    assertThat(run).failed().waited(Duration.ofSeconds(3));
  }

  @Test
  void a_sleep_of_a_month_takes_no_time() {
    Task<String> task = task().handler((payload, context) -> context
        .step("first", () -> note("first").mapEmpty())
        .compose(done -> context.sleep(Duration.ofDays(30)))
        .compose(slept -> context.step("second", () -> note("second").mapEmpty()))
        .map(TaskResult.done()));

    TestRun run = testing.deploy(task).trigger(task, "a");
    testing.runUntilIdle();

    assertThat(run)
        .succeeded()
        .completedSteps("first", "second")
        .endedAt(Instant.parse("2026-01-31T12:00:00Z"));
    assertThat(calls).hasSize(2);
  }

  @Test
  void advancing_runs_what_becomes_due_and_no_more() {
    Task<String> task = task().handler((payload, context) -> note(payload));
    TestRun run = testing.deploy(task).trigger(task, "a", new TriggerOptions().setDelay(HOUR));
    testing.advance(HOUR.minusMillis(1));
    assertThat(run).isWaitingUntil(Instant.parse("2026-01-01T13:00:00Z"));

    testing.advance(Duration.ofSeconds(1));

    assertThat(run).succeeded();
  }

  @Test
  void an_attempt_that_waits_for_a_timer_of_the_test_is_waited_for() {
    Task<String> task = task()
        .handler((payload, context) ->
            testing.timers().after(Duration.ofHours(5)).compose(done -> note(payload)));

    TestRun run = testing.deploy(task).trigger(task, "a");
    testing.runUntilIdle();

    assertThat(run).succeeded().afterAttempts(1).endedAt(Instant.parse("2026-01-01T17:00:00Z"));
  }

  private void everyMinute(Runnable action) {
    testing.timers().schedule(Duration.ofMinutes(1), () -> {
      action.run();
      everyMinute(action);
    });
  }

  @Test
  void what_repeats_for_ever_is_not_waited_for() {
    List<Instant> times = new ArrayList<>();
    everyMinute(() -> times.add(testing.now()));

    testing.runUntilIdle();

    assertThat(times).isNotEmpty();
  }

  @Test
  void what_repeats_for_ever_does_not_keep_a_run_that_is_stuck() {
    Task<String> task =
        task().handler((payload, context) -> Promise.<TaskResult>promise().future());
    TestRun run = testing.deploy(task).trigger(task, "a");
    everyMinute(() -> {});

    testing.runUntilIdle();

    assertThat(run.status()).isEqualTo(RunStatus.RUNNING);
  }

  @Test
  void what_repeats_for_ever_may_trigger_runs() {
    Task<String> task = task().handler((payload, context) -> note(payload));
    testing.deploy(task);
    everyMinute(() -> testing.runlane().trigger(task, "a"));

    testing.runUntilIdle();

    assertThat(calls).hasSizeGreaterThan(100);
    assertThat(testing.runs()).allSatisfy(run -> assertThat(run).succeeded());
  }

  @Test
  void a_long_chain_of_timers_that_ends_is_waited_for() {
    Task<String> task =
        task().handler((payload, context) -> afterMinutes(500).compose(over -> note(payload)));

    TestRun run = testing.deploy(task).trigger(task, "a");
    testing.runUntilIdle();

    assertThat(run).succeeded().afterAttempts(1);
  }

  private Future<Void> afterMinutes(int minutes) {
    Future<Void> one = testing.timers().after(Duration.ofMinutes(1));
    return minutes == 1 ? one : one.compose(over -> afterMinutes(minutes - 1));
  }

  @Test
  void an_attempt_that_waits_for_the_test_is_left_as_it_is() {
    Promise<TaskResult> answer = Promise.promise();
    Task<String> task = task().handler((payload, context) -> answer.future());
    TestRun run = testing.deploy(task).trigger(task, "a");
    testing.runUntilIdle();
    assertThat(run).isRunning();

    answer.complete(TaskResult.done());
    testing.runUntilIdle();

    assertThat(run).succeeded().afterAttempts(1);
  }

  @Test
  void schedules_that_fire_often_keep_nobody_waiting() {
    Task<Void> often = Task.define("often", Void.class)
        .schedule(Schedule.cron("minutes", "* * * * *"))
        .handler((payload, context) -> note("often"));
    Task<String> stuck =
        task().handler((payload, context) -> Promise.<TaskResult>promise().future());
    TestRun run = testing.deploy(often, stuck).trigger(stuck, "a");

    testing.runUntilIdle();

    assertThat(run).isRunning();
    assertThat(testing.now()).isBefore(Instant.parse("2026-01-01T12:31:00Z"));
  }

  @Test
  void an_attempt_timeout_is_waited_for() {
    Task<String> task = task()
        .attemptTimeout(HOUR)
        .handler((payload, context) -> Promise.<TaskResult>promise().future());

    TestRun run = testing.deploy(task).trigger(task, "a");
    testing.runUntilIdle();

    assertThat(run).failed().endedAt(Instant.parse("2026-01-01T13:00:05Z"));
  }

  @Test
  void a_schedule_fires_each_night() {
    Task<Void> task = Task.define("nightly", Void.class)
        .schedule(Schedule.cron("night", "30 2 * * *"))
        .handler((payload, context) -> note("report"));
    testing.deploy(task);

    testing.advance(Duration.ofDays(3));

    assertThat(testing.runs(task)).hasSize(3).allSatisfy(run -> assertThat(run).succeeded());
    assertThat(calls.get(0)).startsWith("report at 2026-01-02T02:30:00");
  }

  @Test
  void a_bounded_queue_runs_one_after_the_other() {
    Task<String> task = task()
        .queue(TaskQueue.of("single").concurrencyLimit(1))
        .handler((payload, context) -> testing.timers().after(HOUR).compose(done -> note(payload)));
    testing.deploy(task);
    testing.trigger(task, "a");
    testing.trigger(task, "b");

    testing.runUntilIdle();

    assertThat(testing.now())
        .isBetween(Instant.parse("2026-01-01T14:00:00Z"), Instant.parse("2026-01-01T14:00:05Z"));
    assertThat(calls).hasSize(2);
  }

  @Test
  void the_same_idempotency_key_is_the_same_run() {
    Task<String> task =
        task().idempotencyKey(payload -> payload).handler((payload, context) -> note(payload));
    testing.deploy(task);
    TestRun first = testing.trigger(task, "a");
    testing.runUntilIdle();

    TestRun second = testing.trigger(task, "a");

    assertThat(second).isEqualTo(first);
  }

  @Test
  void a_run_is_cancelled_while_it_waits_and_while_it_is_under_way() {
    Task<String> task = task()
        .handler((payload, context) ->
            context.untilSignalled(Promise.<TaskResult>promise().future()));
    testing.deploy(task);
    TestRun waiting = testing.trigger(task, "a", new TriggerOptions().setDelay(HOUR));
    TestRun running = testing.trigger(task, "b");
    testing.runDue();

    waiting.cancel("not wanted");
    running.cancel("not wanted");
    testing.runUntilIdle();

    assertThat(waiting).cancelled().afterAttempts(0);
    assertThat(running).cancelled().afterAttempts(1);
  }

  @Test
  void a_remote_step_is_done_by_a_function() {
    RemoteStep<Integer> doubled = RemoteStep.of("double", Integer.class);
    Task<Integer> task = Task.define("remote", Integer.class)
        .handler((payload, context) -> context.remote(doubled, payload).map(TaskResult::done));
    testing
        .serve("double", request -> Future.succeededFuture(request.input(Integer.class) * 2))
        .deploy(task);

    TestRun run = testing.trigger(task, 21);
    testing.runUntilIdle();

    assertThat(run).succeeded().hasOutput(42).completedSteps("double");
  }

  @Test
  void a_function_may_take_longer_than_the_lease_of_its_step() {
    RemoteStep<String> step = RemoteStep.of("slow", String.class);
    Task<String> task =
        task().handler((payload, context) -> context.remote(step, payload).map(TaskResult::done));
    testing
        .serve("slow", request -> {
          calls.add(request.name());
          return testing.timers().after(HOUR).map("done");
        })
        .deploy(task);

    TestRun run = testing.trigger(task, "a");
    testing.runUntilIdle();

    assertThat(run).succeeded().hasOutput("done");
    assertThat(calls).containsExactly("slow");
  }

  @Test
  void a_function_that_a_kill_cuts_off_is_called_again_once_its_lease_has_passed() {
    RemoteStep<String> step = RemoteStep.of("slow", String.class);
    Task<String> task =
        task().handler((payload, context) -> context.remote(step, payload).map(TaskResult::done));
    testing
        .serve("slow", request -> {
          calls.add(request.name());
          return testing.timers().after(HOUR).map("done");
        })
        .deploy(task);
    TestRun run = testing.trigger(task, "a");
    testing.advance(Duration.ofMinutes(10));

    testing.kill();
    testing.deploy(task).runUntilIdle();

    assertThat(run).succeeded().hasOutput("done");
    assertThat(calls).containsExactly("slow", "slow");
  }

  @Test
  void a_remote_step_that_fails_is_asked_for_again() {
    RemoteStep<String> step =
        RemoteStep.of("ask", String.class).retry(RetryPolicy.attempts(2).fixedDelay(HOUR));
    Task<String> task =
        task().handler((payload, context) -> context.remote(step, payload).map(TaskResult::done));
    testing
        .serve(
            "ask",
            request -> request.attempt() == 1
                ? Future.failedFuture("not yet")
                : Future.succeededFuture("yes"))
        .deploy(task);

    TestRun run = testing.trigger(task, "a");
    testing.runUntilIdle();

    assertThat(run).succeeded().hasOutput("yes").endedAt(Instant.parse("2026-01-01T13:00:00Z"));
  }

  @Test
  void a_remote_step_is_answered_whatever_its_function_fails_with() {
    RuntimeException speechless = new RuntimeException() {
      private static final long serialVersionUID = 1L;

      @Override
      public String getMessage() {
        throw new IllegalStateException("no message");
      }
    };
    RemoteStep<String> step = RemoteStep.of("ask", String.class).retry(RetryPolicy.attempts(1));
    Task<String> task =
        task().handler((payload, context) -> context.remote(step, payload).map(TaskResult::done));
    testing.serve("ask", request -> Future.failedFuture(speechless)).deploy(task);

    TestRun run = testing.trigger(task, "a");
    testing.runUntilIdle();

    assertThat(run).failedWith(ErrorCode.TASK_FAILED);
    assertThat(run).hasFailureContaining(speechless.getClass().getName());
  }

  @Test
  void a_remote_step_nobody_serves_fails_at_its_deadline() {
    RemoteStep<String> step = RemoteStep.of("nobody", String.class).deadline(Duration.ofDays(2));
    Task<String> task =
        task().handler((payload, context) -> context.remote(step, payload).map(TaskResult::done));

    TestRun run = testing.deploy(task).trigger(task, "a");
    testing.runUntilIdle();

    assertThat(run).failedWith(ErrorCode.TASK_FAILED);
    assertThat(testing.now()).isAfter(Instant.parse("2026-01-03T12:00:00Z"));
  }

  @Test
  void a_blocking_handler_waits_for_sleeps_and_remote_steps() {
    RemoteStep<Integer> doubled = RemoteStep.of("double", Integer.class);
    Task<Integer> task = Task.define("blocking", Integer.class)
        .blockingHandler((payload, context) -> {
          int one = context.callStep(Step.of("one", Integer.class), () -> {
            calls.add("one");
            return payload;
          });
          context.await(context.sleep(Duration.ofMillis(10)));
          context.await(context.sleep(Duration.ofDays(1)));
          int two = context.callRemote(doubled, one);
          context.await(testing.timers().after(HOUR));
          return TaskResult.done(two);
        });
    testing
        .serve("double", request -> Future.succeededFuture(request.input(Integer.class) * 2))
        .deploy(task);

    TestRun run = testing.trigger(task, 21);
    testing.runUntilIdle();

    assertThat(run)
        .succeeded()
        .hasOutput(42)
        .completedSteps("one", "double")
        .endedAt(Instant.parse("2026-01-02T13:00:00Z"));
    assertThat(calls).containsExactly("one");
  }

  @Test
  void a_blocking_handler_that_is_given_up_is_unwound() {
    List<String> ended = new ArrayList<>();
    Task<String> task = task().blockingHandler((payload, context) -> {
      try {
        return context.await(
            context.untilSignalled(Promise.<TaskResult>promise().future()));
      } finally {
        ended.add(payload);
      }
    });
    TestRun run = testing.deploy(task).trigger(task, "a");
    testing.runDue();
    assertThat(run).isRunning();

    run.cancel("not wanted");
    testing.runUntilIdle();

    assertThat(run).cancelled();
    assertThat(ended).containsExactly("a");
  }

  @Test
  void a_task_that_others_work_on_is_triggered_alone() {
    TaskDescription<String> elsewhere = task().description();

    TestRun run = testing.deploy(elsewhere).trigger(elsewhere, "a");
    testing.runUntilIdle();

    assertThat(run).isWaiting().afterAttempts(0);
  }

  @Test
  void ids_and_histories_are_the_same_each_time() {
    Task<String> task = task().handler((payload, context) -> note(payload));
    RunlaneTesting again = RunlaneTesting.create().deploy(task);
    TestRun first = testing.deploy(task).trigger(task, "a");
    TestRun second = again.trigger(task, "a");

    testing.runUntilIdle();
    again.runUntilIdle();

    assertThat(second.history().toJson()).isEqualTo(first.history().toJson());
  }

  @Test
  void without_a_process_nothing_can_be_triggered() {
    Task<String> task = task().handler((payload, context) -> note(payload));

    assertThatThrownBy(() -> testing.trigger(task, "a"))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("deploy");
  }

  @Test
  void what_a_trigger_fails_with_is_thrown() {
    Task<String> task = task().handler((payload, context) -> note(payload));
    testing.deploy();

    assertThatThrownBy(() -> testing.trigger(task, "a"))
        .isInstanceOfSatisfying(RunlaneException.class, failure -> assertThat(failure.code())
            .isEqualTo(ErrorCode.TASK_NOT_FOUND));
  }
}
