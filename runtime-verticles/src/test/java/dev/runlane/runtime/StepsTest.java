package dev.runlane.runtime;

import static dev.runlane.runtime.Fleet.NOON;
import static dev.runlane.runtime.Fleet.done;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.runlane.run.Awaiting;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunStatus;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.host.AttemptUnwound;
import dev.runlane.runtime.host.RunlaneOptions;
import dev.runlane.runtime.task.RetryPolicy;
import dev.runlane.runtime.task.RunActionOptions;
import dev.runlane.runtime.task.Step;
import dev.runlane.runtime.task.Task;
import dev.runlane.runtime.task.TaskContext;
import dev.runlane.runtime.task.TaskQueue;
import dev.runlane.runtime.task.TaskResult;
import dev.runlane.runtime.worker.WorkerOptions;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** Steps and sleeps of one run at a time. */
class StepsTest {
  private static final Duration DAY = Duration.ofDays(1);

  private final Fleet fleet = new Fleet();
  private final List<String> effects = new ArrayList<>();
  private Runlane runlane;

  private static Task.Definition<String> task() {
    return Task.define("steps", String.class);
  }

  /** The work of a step that leaves its name behind. */
  private Supplier<Future<String>> effect(String name) {
    return () -> {
      effects.add(name);
      return Future.succeededFuture(name + " done");
    };
  }

  private Future<String> step(TaskContext context, String name) {
    return context.step(name, String.class, effect(name));
  }

  private String start(Task<String> task) {
    runlane = fleet.process(task);
    return start(runlane, task);
  }

  private String start(Runlane process, Task<String> task) {
    String runId = done(process.trigger(task, "x")).run().id();
    done(process.worker(new WorkerOptions()));
    fleet.pass(Duration.ofMillis(200));
    return runId;
  }

  private RunRecord run(String runId) {
    return fleet.run(runlane, runId);
  }

  private List<String> types(String runId) {
    return fleet.types(runlane, runId);
  }

  private <T extends RunEvent> List<T> events(String runId, Class<T> type) {
    return fleet.events(runlane, runId).stream()
        .filter(type::isInstance)
        .map(type::cast)
        .toList();
  }

  /** The run continues in a process of its own; the one before is gone. */
  private void crash(Task<String> task) {
    fleet.faults.kill();
    runlane = fleet.process(task);
    done(runlane.worker(new WorkerOptions()));
  }

  @Test
  void a_step_is_written_with_its_result_in_one_command() {
    String runId =
        start(task().handler((payload, context) -> step(context, "charge").map(TaskResult::done)));

    assertThat(fleet.faults.calls("appendRunEvents"))
        .as("trigger, step, outcome")
        .isEqualTo(3);
    assertThat(fleet.faults.calls("listRunEvents"))
        .as("nothing to read at first")
        .isZero();
    assertThat(run(runId).output().text()).isEqualTo("\"charge done\"");
    assertThat(types(runId))
        .containsExactly(
            "run.created",
            "run.delivery_requested",
            "run.lease_claimed",
            "run.started",
            "run.step_requested",
            "run.step_completed",
            "run.succeeded");
    RunEvent.StepRequested requested =
        events(runId, RunEvent.StepRequested.class).get(0);
    assertThat(requested.stepId()).isEqualTo(runId + ":0");
    assertThat(requested.name()).isEqualTo("charge");
    assertThat(requested.attempt()).isEqualTo(1);
    RunEvent.StepCompleted completed =
        events(runId, RunEvent.StepCompleted.class).get(0);
    assertThat(completed.tries()).isEqualTo(1);
    assertThat(completed.startedAt()).isBetween(NOON, fleet.clock.now());
  }

  @Test
  void the_end_of_another_attempt_in_the_work_of_a_step_is_a_failure_of_the_step() {
    String runId = start(task().handler((payload, context) -> context
        .step("shared", String.class, () -> {
          throw new AttemptUnwound("run_of_another");
        })
        .otherwise("not there")
        .map(TaskResult::done)));

    assertThat(run(runId).output().text()).isEqualTo("\"not there\"");
  }

  @Test
  void the_end_of_another_attempt_in_a_step_of_a_blocking_handler_is_a_failure_of_the_step() {
    String runId = start(task().retry(RetryPolicy.NONE).blockingHandler((payload, context) -> {
      try {
        return TaskResult.done(context.callStep(Step.of("shared", String.class), () -> {
          throw new AttemptUnwound("run_of_another");
        }));
      } catch (Throwable failure) {
        return TaskResult.done("not there");
      }
    }));

    assertThat(events(runId, RunEvent.StepCompleted.class)).hasSize(1);
    assertThat(run(runId).output().text()).isEqualTo("\"not there\"");
  }

  @Test
  void after_a_crash_finished_steps_answer_from_history() {
    Promise<String> slow = Promise.promise();
    Task<String> task = task().handler((payload, context) -> step(context, "charge")
        .compose(charged -> context.step("ship", String.class, () -> {
          effects.add("ship");
          return effects.contains("crashed") ? Future.succeededFuture("shipped") : slow.future();
        }))
        .map(TaskResult::done));
    String runId = start(task);

    effects.add("crashed");
    crash(task);
    fleet.pass(Duration.ofMinutes(2));

    assertThat(fleet.faults.calls("listRunEvents")).as("once for the attempt").isEqualTo(1);
    assertThat(effects).containsExactly("charge", "ship", "crashed", "ship");
    assertThat(run(runId).output().text()).isEqualTo("\"shipped\"");
    assertThat(run(runId).counters().attempts()).isEqualTo(2);
  }

  @Test
  void an_attempt_whose_result_of_a_step_was_lost_in_a_failover_is_made_again() {
    Promise<String> slow = Promise.promise();
    Task<String> task = task().handler((payload, context) -> context
        .step("charge", String.class, () -> {
          effects.add("charge in " + context.attempt());
          if (context.attempt() == 1) {
            fleet.faults.forgetAppend();
          }
          return Future.succeededFuture("charged");
        })
        .compose(charged -> {
          context.signal().onSuccess(reason -> effects.add(context.attempt() + ": " + reason));
          return context.attempt() == 1 ? slow.future() : step(context, "ship");
        })
        .map(TaskResult::done));
    String runId = start(task);

    fleet.pass(Duration.ofMinutes(2));

    assertThat(effects).containsExactly("charge in 1", "1: LEASE_LOST", "charge in 2", "ship");
    assertThat(run(runId).status()).isEqualTo(RunStatus.SUCCEEDED);
    assertThat(run(runId).counters().attempts()).isEqualTo(2);
  }

  @Test
  void a_sleeping_run_holds_nothing_and_goes_on_when_it_is_due() {
    Task<String> task = task().handler((payload, context) -> step(context, "before")
        .compose(before -> context.sleep(DAY))
        .compose(slept -> step(context, "after"))
        .map(TaskResult::done));
    String runId = start(task);

    RunRecord asleep = run(runId);
    assertThat(asleep.status()).isEqualTo(RunStatus.RELEASED);
    assertThat(asleep.awaiting()).isEqualTo(Awaiting.STEPS);
    assertThat(asleep.lease()).isNull();
    assertThat(asleep.runAt()).isBetween(NOON.plus(DAY), NOON.plus(DAY).plusMillis(200));
    assertThat(runlane.engine().leases().isEmpty()).isTrue();
    assertThat(types(runId)).endsWith("run.step_completed", "run.step_requested", "run.released");
    assertThat(done(runlane.runs().explain(runId)).reasons().get(0).text())
        .contains("It sleeps until");

    fleet.pass(DAY.minusSeconds(10)); // looks for work every 30 s
    assertThat(run(runId).status()).isEqualTo(RunStatus.RELEASED);
    assertThat(effects).containsExactly("before");
    fleet.pass(Duration.ofSeconds(45));

    assertThat(run(runId).status()).isEqualTo(RunStatus.SUCCEEDED);
    assertThat(effects).containsExactly("before", "after");
    assertThat(run(runId).counters().failures()).isZero();
    assertThat(run(runId).counters().attempts()).isEqualTo(2);
  }

  @Test
  void recorded_results_do_not_come_before_the_handler_has_asked_for_all_it_asks_for_at_once() {
    Promise<String> slow = Promise.promise();
    Task<String> task = task().handler((payload, context) -> {
      Future<String> quick = step(context, "quick").compose(done -> step(context, "next"));
      return Future.all(quick, context.step("slow", String.class, slow::future))
          .map(both -> TaskResult.done());
    });
    String runId = start(task);

    fleet.faults.kill();
    slow.complete("at last");
    runlane = fleet.process(task);
    done(runlane.worker(new WorkerOptions()));
    fleet.pass(Duration.ofMinutes(2));

    assertThat(run(runId).status()).isEqualTo(RunStatus.SUCCEEDED);
    assertThat(effects).containsExactly("quick", "next");
    assertThat(events(runId, RunEvent.StepRequested.class))
        .extracting(RunEvent.StepRequested::name)
        .containsExactly("quick", "slow", "next");
  }

  @Test
  void a_sleep_shorter_than_the_wait_releases_nothing() {
    String runId = start(task()
        .handler((payload, context) ->
            context.sleep(Duration.ofMillis(20)).map(slept -> TaskResult.done())));

    assertThat(run(runId).status()).isEqualTo(RunStatus.SUCCEEDED);
    assertThat(run(runId).counters().attempts()).isEqualTo(1);
    RunEvent.StepRequested begun = events(runId, RunEvent.StepRequested.class).get(0);
    RunEvent.StepCompleted over = events(runId, RunEvent.StepCompleted.class).get(0);
    assertThat(over.startedAt()).isEqualTo(begun.dueAt().minusMillis(20));
  }

  @Test
  void a_sleep_that_was_interrupted_by_a_crash_ends_when_it_was_to_end() {
    Task<String> task = task()
        .handler((payload, context) ->
            context.sleep(DAY).compose(slept -> step(context, "after")).map(TaskResult::done));
    String runId = start(task);

    fleet.faults.kill();
    fleet.pass(DAY.plusHours(5));
    runlane = fleet.process(task);
    done(runlane.worker(new WorkerOptions()));
    fleet.pass(Duration.ofSeconds(1));

    assertThat(run(runId).status()).isEqualTo(RunStatus.SUCCEEDED);
    assertThat(events(runId, RunEvent.StepRequested.class)).hasSize(2);
  }

  @Test
  void while_a_step_works_a_sleep_beside_it_releases_nothing() {
    Promise<String> slow = Promise.promise();
    Task<String> task = task().handler((payload, context) -> Future.all(
            context.sleep(DAY), context.step("slow", String.class, slow::future))
        .map(both -> TaskResult.done()));
    String runId = start(task);

    fleet.pass(Duration.ofMinutes(1));
    assertThat(run(runId).status()).isEqualTo(RunStatus.RUNNING);
    slow.complete("late");
    fleet.pass(Duration.ofMillis(200));

    assertThat(run(runId).status()).isEqualTo(RunStatus.RELEASED);
    assertThat(types(runId))
        .endsWith("run.step_requested", "run.step_requested", "run.step_completed", "run.released");
  }

  @Test
  void a_sleep_is_no_timeout_for_what_the_handler_does_beside_it() {
    Promise<String> answer = Promise.promise();
    String runId = start(task().handler((payload, context) -> {
      effects.add("called");
      return Future.any(context.sleep(DAY), answer.future()).map(first -> TaskResult.done());
    }));
    assertThat(run(runId).status()).isEqualTo(RunStatus.RELEASED);
    assertThat(run(runId).awaiting()).isEqualTo(Awaiting.STEPS);

    answer.complete("an hour later");
    fleet.pass(Duration.ofHours(1));
    assertThat(run(runId).status()).as("nobody heard it").isEqualTo(RunStatus.RELEASED);
    fleet.pass(DAY);

    assertThat(run(runId).status()).isEqualTo(RunStatus.SUCCEEDED);
    assertThat(effects).containsExactly("called", "called");
  }

  @Test
  void a_step_is_tried_as_often_as_it_may_before_its_failure_is_recorded() {
    Step<String> flaky = Step.of("flaky", String.class)
        .retry(RetryPolicy.attempts(3).fixedDelay(Duration.ofSeconds(1)));
    String runId = start(task().handler((payload, context) -> context
        .step(flaky, () -> {
          effects.add("try");
          return Future.failedFuture(new IllegalStateException("password=hunter2"));
        })
        .map(TaskResult::done)));

    assertThat(effects).hasSize(1);
    fleet.pass(Duration.ofSeconds(3));

    assertThat(effects).hasSize(3);
    RunEvent.StepCompleted failed = events(runId, RunEvent.StepCompleted.class).get(0);
    assertThat(failed.tries()).isEqualTo(3);
    assertThat(failed.failure().message()).isEqualTo("Task failed.");
    assertThat(run(runId).status()).isEqualTo(RunStatus.FAILED);
    assertThat(run(runId).failure()).isEqualTo(failed.failure());
  }

  @Test
  void a_step_that_says_it_is_useless_to_try_again_is_not() {
    Step<String> refused = Step.of("refused", String.class).retry(RetryPolicy.attempts(9));
    String runId = start(task().retry(RetryPolicy.attempts(9)).handler((payload, context) -> context
        .step(
            refused,
            () -> Future.failedFuture(
                RunlaneException.of(ErrorCode.TASK_FAILED, "card declined").withMeta("bank", "b1")))
        .map(TaskResult::done)));

    assertThat(run(runId).status()).isEqualTo(RunStatus.FAILED);
    assertThat(run(runId).failure().message()).isEqualTo("card declined");
    assertThat(run(runId).failure().meta().text()).isEqualTo("{\"bank\":\"b1\"}");
    assertThat(run(runId).counters().attempts()).isEqualTo(1);
  }

  @Test
  void a_failure_that_ended_the_attempt_is_forgotten_with_the_retry_and_the_step_done_anew() {
    String runId = start(task()
        .retry(RetryPolicy.attempts(2).fixedDelay(Duration.ofSeconds(1)))
        .handler((payload, context) -> step(context, "charge")
            .compose(charged -> context.step("ship", String.class, () -> {
              effects.add("ship");
              return context.attempt() == 1
                  ? Future.failedFuture(new IllegalStateException("no truck"))
                  : Future.succeededFuture("shipped");
            }))
            .map(TaskResult::done)));

    fleet.pass(Duration.ofSeconds(5));

    assertThat(run(runId).status()).isEqualTo(RunStatus.SUCCEEDED);
    assertThat(effects).containsExactly("charge", "ship", "ship");
    assertThat(events(runId, RunEvent.StepRequested.class))
        .extracting(RunEvent.StepRequested::stepId, RunEvent.StepRequested::attempt)
        .containsExactly(tuple(runId + ":0", 1), tuple(runId + ":1", 1), tuple(runId + ":1", 2));
  }

  @Test
  void a_failure_the_handler_dealt_with_is_answered_again() {
    List<String> caught = new ArrayList<>();
    String runId = start(task()
        .retry(RetryPolicy.attempts(2).fixedDelay(Duration.ofSeconds(1)))
        .handler((payload, context) -> context
            .step("charge", String.class, () -> {
              effects.add("charge");
              return Future.failedFuture(
                  RunlaneException.of(ErrorCode.TASK_FAILED, "declined").asRetryable());
            })
            .recover(failure -> {
              caught.add(failure.getMessage());
              return step(context, "remind");
            })
            .compose(reminded -> context.attempt() == 1
                ? Future.failedFuture(new IllegalStateException("elsewhere"))
                : Future.succeededFuture(TaskResult.done()))));

    fleet.pass(Duration.ofSeconds(5));

    assertThat(run(runId).status()).isEqualTo(RunStatus.SUCCEEDED);
    assertThat(effects).containsExactly("charge", "remind");
    assertThat(caught).containsExactly("declined", "declined");
  }

  @Test
  void another_name_at_a_recorded_position_releases_the_run_until_the_old_handler_is_back() {
    Task<String> old = task().handler((payload, context) -> step(context, "charge")
        .compose(charged -> context.sleep(DAY))
        .compose(slept -> step(context, "ship"))
        .map(TaskResult::done));
    Task<String> other = task()
        .handler((payload, context) ->
            step(context, "refund").compose(charged -> context.sleep(DAY)).map(TaskResult::done));
    String runId = start(old);
    fleet.faults.kill();

    runlane = fleet.process(other);
    done(runlane.worker(new WorkerOptions()));
    fleet.pass(DAY.plusSeconds(90));

    List<RunEvent.Released> released = events(runId, RunEvent.Released.class);
    assertThat(released).hasSizeGreaterThan(3);
    RunEvent.Released last = released.get(released.size() - 1);
    assertThat(last.reason()).isEqualTo("non_deterministic");
    assertThat(last.header().meta().text())
        .contains("\"stepId\":\"" + runId + ":0\"")
        .contains("step charge")
        .contains("step refund");
    assertThat(effects).as("nothing of the other handler is done").containsExactly("charge");
    Duration pause = Duration.between(last.header().occurredAt(), last.resumeAt());
    assertThat(pause).as("the pauses grow").isGreaterThan(Duration.ofSeconds(4));

    fleet.faults.kill();
    runlane = fleet.process(old);
    done(runlane.worker(new WorkerOptions()));
    fleet.pass(Duration.ofMinutes(10));

    assertThat(run(runId).status()).isEqualTo(RunStatus.SUCCEEDED);
    assertThat(effects).containsExactly("charge", "ship");
  }

  @Test
  void a_sleep_where_a_step_is_recorded_is_another_step() {
    Task<String> old = task()
        .handler((payload, context) ->
            step(context, "sleep").compose(done -> context.sleep(DAY)).map(TaskResult::done));
    Task<String> other =
        task().handler((payload, context) -> context.sleep(DAY).map(TaskResult::done));
    String runId = start(old);
    fleet.faults.kill();
    runlane = fleet.process(other);
    done(runlane.worker(new WorkerOptions()));

    fleet.pass(DAY.plusSeconds(60));

    List<RunEvent.Released> released = events(runId, RunEvent.Released.class);
    assertThat(released.get(released.size() - 1).reason()).isEqualTo("non_deterministic");
  }

  @Test
  void a_result_behind_one_that_is_never_asked_for_does_not_hang_the_run() {
    Promise<String> slow = Promise.promise();
    Task<String> old = task().handler((payload, context) -> Future.all(
            context.step("slow", String.class, slow::future), step(context, "quick"))
        .compose(both -> context.sleep(DAY))
        .map(slept -> TaskResult.done()));
    Task<String> other = task().handler((payload, context) -> context
        .step("slow", String.class, slow::future) // recorded after the other, which comes later now
        .compose(done -> step(context, "quick"))
        .map(TaskResult::done));
    String runId = start(old);
    slow.complete("done");
    fleet.pass(Duration.ofSeconds(1));
    assertThat(run(runId).status()).isEqualTo(RunStatus.RELEASED);
    fleet.faults.kill();
    runlane = fleet.process(other);
    done(runlane.worker(new WorkerOptions()));

    fleet.pass(DAY.plusSeconds(29));
    assertThat(run(runId).status()).isEqualTo(RunStatus.RUNNING);
    fleet.pass(Duration.ofSeconds(31));

    List<RunEvent.Released> released = events(runId, RunEvent.Released.class);
    RunEvent.Released last = released.get(released.size() - 1);
    assertThat(last.reason()).isEqualTo("non_deterministic");
    assertThat(last.header().meta().text()).contains("step quick").contains("step slow");
  }

  @Test
  void the_answer_is_what_the_recorded_json_reads_back_as() {
    record Receipt(String id) {}

    String runId = start(task().handler((payload, context) -> context
        .step("charge", Object.class, () -> Future.succeededFuture(new Receipt("r1")))
        .map(receipt -> TaskResult.done(String.valueOf(receipt)))));

    assertThat(run(runId).output().text()).as("a map").isEqualTo("\"{id=r1}\"");
  }

  @Test
  void a_recorded_result_that_its_type_cannot_hold_fails_the_attempt() {
    String runId = start(task().handler((payload, context) -> step(context, "charge")
        .compose(charged -> context.sleep(DAY))
        .map(slept -> TaskResult.done())));
    crash(task().handler((payload, context) -> context
        .step("charge", Integer.class, () -> Future.failedFuture("not anew"))
        .map(TaskResult::done)));

    fleet.pass(DAY.plusMinutes(1));

    assertThat(run(runId).status()).isEqualTo(RunStatus.FAILED);
    assertThat(run(runId).failure().code()).isEqualTo(ErrorCode.VALIDATION_FAILED);
    assertThat(effects).containsExactly("charge");
  }

  @Test
  void a_result_that_cannot_be_recorded_fails_the_step() {
    String runId = start(task().handler((payload, context) -> context
        .step(
            "huge",
            String.class,
            () -> Future.succeededFuture("x".repeat(RunlaneOptions.DEFAULT_MAX_OUTPUT_BYTES)))
        .map(TaskResult::done)));

    assertThat(run(runId).failure().code()).isEqualTo(ErrorCode.VALIDATION_FAILED);
    assertThat(events(runId, RunEvent.StepCompleted.class).get(0).isFailed()).isTrue();
  }

  @Test
  void malformed_steps_fail_their_future_and_take_no_position() {
    List<Future<?>> refused = new ArrayList<>();
    String runId = start(task().handler((payload, context) -> {
      refused.add(context.step("", String.class, effect("never")));
      refused.add(context.step("n".repeat(192), String.class, effect("never")));
      refused.add(context.step("a\0b", String.class, effect("never")));
      refused.add(context.sleep(Duration.ofSeconds(-1)));
      refused.add(context.sleep(Duration.ofDays(36_501)));
      return step(context, "n".repeat(191)).map(TaskResult::done);
    }));

    assertThat(refused).allSatisfy(each -> assertThat(each.failed()).isTrue());
    assertThat(events(runId, RunEvent.StepRequested.class).get(0).stepId()).isEqualTo(runId + ":0");
    assertThat(effects).hasSize(1);
    assertThatThrownBy(() -> Step.of("", String.class)).isInstanceOf(RunlaneException.class);
  }

  @Test
  void a_run_has_at_most_a_thousand_steps() {
    List<Throwable> refused = new ArrayList<>();
    String runId = start(task().handler((payload, context) -> {
      List<Future<String>> all = new ArrayList<>();
      for (int i = 0; i < 1_001; i++) {
        all.add(step(context, "step " + i));
      }
      all.get(1_000).onFailure(refused::add);
      return Future.join(all).transform(joined -> Future.succeededFuture(TaskResult.done()));
    }));
    fleet.pass(Duration.ofSeconds(5));

    RunRecord run = done(runlane.runs().get(runId)).orElseThrow();
    assertThat(run.status()).isEqualTo(RunStatus.SUCCEEDED);
    assertThat(effects).hasSize(1_000);
    assertThat(refused)
        .singleElement()
        .isInstanceOfSatisfying(RunlaneException.class, failure -> assertThat(failure.code())
            .isEqualTo(ErrorCode.VALIDATION_FAILED));
  }

  @Test
  void the_history_of_many_steps_is_read_once_page_by_page() {
    Promise<String> slow = Promise.promise();
    Task<String> task = task().handler((payload, context) -> {
      Future<String> last = Future.succeededFuture("");
      for (int i = 0; i < 250; i++) {
        int number = i;
        last = last.compose(before -> step(context, "step " + number));
      }
      return last.compose(all -> context.step("slow", String.class, slow::future))
          .map(TaskResult::done);
    });
    runlane = fleet.process(task);
    String runId = done(runlane.trigger(task, "x")).run().id();
    done(runlane.worker(new WorkerOptions()));
    fleet.pass(Duration.ofSeconds(2));
    fleet.faults.kill();
    slow.complete("at last");

    runlane = fleet.process(task);
    done(runlane.worker(new WorkerOptions()));
    fleet.pass(Duration.ofMinutes(2));

    assertThat(fleet.faults.calls("listRunEvents")).as("500 events, 200 a page").isEqualTo(3);
    assertThat(done(runlane.runs().get(runId)).orElseThrow().status())
        .isEqualTo(RunStatus.SUCCEEDED);
    assertThat(effects).as("each is done once").hasSize(250);
  }

  @Test
  void a_history_beyond_the_bound_fails_the_attempt() {
    Task<String> task = task().handler((payload, context) -> step(context, "one")
        .compose(one -> step(context, "two"))
        .compose(two -> context.sleep(DAY))
        .map(TaskResult::done));
    runlane = fleet.process(
        new RunlaneOptions().setMaxStepEvents(5),
        List.of(TaskQueue.of("default").asDefault()),
        task);
    String runId = start(runlane, task);

    fleet.pass(DAY.plusSeconds(60));

    assertThat(run(runId).status()).isEqualTo(RunStatus.FAILED);
    assertThat(run(runId).failure().code()).isEqualTo(ErrorCode.VALIDATION_FAILED);
  }

  @Test
  void a_step_whose_lost_reply_was_stored_is_not_recorded_twice() {
    Promise<String> slow = Promise.promise();
    String runId = start(task()
        .handler((payload, context) ->
            context.step("slow", String.class, slow::future).map(TaskResult::done)));
    fleet.faults.loseReply("appendRunEvents");

    slow.complete("done");
    fleet.pass(Duration.ofSeconds(2));

    assertThat(run(runId).status()).isEqualTo(RunStatus.SUCCEEDED);
    assertThat(types(runId)).containsOnlyOnce("run.step_requested", "run.step_completed");
    assertThat(run(runId).counters().attempts()).isEqualTo(1);
  }

  @Test
  void a_step_is_recorded_after_an_outage() {
    Promise<String> slow = Promise.promise();
    String runId = start(task()
        .handler((payload, context) ->
            context.step("slow", String.class, slow::future).map(TaskResult::done)));
    fleet.faults.fail("appendRunEvents");
    fleet.faults.fail("getRun");

    slow.complete("done");
    fleet.pass(Duration.ofSeconds(2));

    assertThat(run(runId).status()).isEqualTo(RunStatus.SUCCEEDED);
    assertThat(types(runId)).containsOnlyOnce("run.step_completed");
  }

  @Test
  void steps_are_read_after_an_outage() {
    Task<String> task = task().handler((payload, context) -> step(context, "one")
        .compose(one -> context.sleep(DAY))
        .map(slept -> TaskResult.done()));
    String runId = start(task);
    for (int i = 0; i < 3; i++) {
      fleet.faults.fail("listRunEvents");
    }

    fleet.pass(DAY.plusSeconds(60));

    assertThat(run(runId).status()).isEqualTo(RunStatus.SUCCEEDED);
    assertThat(effects).containsExactly("one");
  }

  @Test
  void reads_refused_for_longer_than_a_lease_fail_no_attempt_that_keeps_its_lease() {
    Task<String> task = task().handler((payload, context) -> step(context, "one")
        .compose(one -> context.sleep(DAY))
        .map(slept -> TaskResult.done()));
    String runId = start(task);
    fleet.faults.fail("listRunEvents", 60);

    fleet.pass(DAY.plus(Duration.ofMinutes(4)));

    assertThat(run(runId).status()).isEqualTo(RunStatus.SUCCEEDED);
    assertThat(run(runId).counters().attempts()).isEqualTo(2);
    assertThat(effects).containsExactly("one");
  }

  @Test
  void a_step_that_outlives_its_lease_is_not_recorded_and_done_anew_elsewhere() {
    Promise<String> slow = Promise.promise();
    Task<String> task = task().handler((payload, context) -> context
        .step("slow", String.class, () -> {
          effects.add("slow");
          return effects.size() == 1 ? slow.future() : Future.succeededFuture("second");
        })
        .map(TaskResult::done));
    String runId = start(task);

    // The process is paused beyond its lease: its timers do not run.
    fleet.clock.advance(Duration.ofMinutes(1));
    Runlane other = fleet.process(task);
    other.executeNext();
    fleet.pass(Duration.ofSeconds(1));
    slow.complete("first");
    fleet.pass(Duration.ofMinutes(1));

    assertThat(fleet.run(other, runId).output().text()).isEqualTo("\"second\"");
    assertThat(fleet.types(other, runId)).containsOnlyOnce("run.step_completed");
    assertThat(runlane.engine().leases().isEmpty()).isTrue();
  }

  @Test
  void a_sleeping_run_is_cancelled_at_once() {
    String runId = start(
        task().handler((payload, context) -> context.sleep(DAY).map(slept -> TaskResult.done())));

    done(runlane.runs().cancel(runId, new RunActionOptions()));

    assertThat(run(runId).status()).isEqualTo(RunStatus.CANCELLED);
    assertThat(run(runId).awaiting()).isNull();
  }

  @Test
  void after_a_cancellation_request_a_step_is_still_recorded_and_the_run_cancelled() {
    Promise<String> slow = Promise.promise();
    String runId = start(task().handler((payload, context) -> context
        .step("slow", String.class, slow::future)
        .compose(done -> context.sleep(DAY))
        .map(slept -> TaskResult.done())));

    done(runlane.runs().cancel(runId, new RunActionOptions()));
    slow.complete("done");
    fleet.pass(Duration.ofSeconds(1));

    assertThat(run(runId).status()).isEqualTo(RunStatus.CANCELLED);
    assertThat(types(runId)).contains("run.step_completed").endsWith("run.cancelled");
  }

  @Test
  void a_step_that_gives_up_because_the_worker_stops_is_not_recorded() {
    Task<String> task = task().handler((payload, context) -> context
        .step("slow", String.class, () -> {
          effects.add("slow");
          return effects.size() == 1
              ? context.untilSignalled(Promise.<String>promise().future())
              : Future.succeededFuture("second");
        })
        .map(TaskResult::done));
    String runId = start(task);

    Future<Void> closed = runlane.close();
    fleet.pass(Duration.ofSeconds(1));
    done(closed);
    runlane = fleet.process(task);
    done(runlane.worker(new WorkerOptions()));
    fleet.pass(Duration.ofSeconds(1));

    assertThat(run(runId).output().text()).isEqualTo("\"second\"");
    assertThat(types(runId)).containsOnlyOnce("run.step_completed");
    assertThat(run(runId).counters().failures()).isZero();
  }

  @Test
  void a_pause_between_two_tries_ends_with_the_signal() {
    Step<String> flaky =
        Step.of("flaky", String.class).retry(RetryPolicy.attempts(3).fixedDelay(DAY));
    String runId = start(task().handler((payload, context) -> context
        .step(flaky, () -> Future.failedFuture(new IllegalStateException("no")))
        .map(TaskResult::done)));

    done(runlane.runs().cancel(runId, new RunActionOptions()));
    fleet.pass(Duration.ofSeconds(1));

    assertThat(run(runId).status()).isEqualTo(RunStatus.CANCELLED);
    assertThat(types(runId)).doesNotContain("run.step_completed");
  }

  /** A step, and another one that makes up for the first where that has failed. */
  private Task<String> compensating(Step<String> first, Supplier<Future<String>> work) {
    return task().handler((payload, context) -> context
        .step(first, work)
        .recover(failed -> step(context, "undo"))
        .map(TaskResult::done));
  }

  @Test
  void after_a_step_that_failed_beyond_the_end_of_the_lease_no_other_is_begun() {
    Promise<String> work = Promise.promise();
    Task<String> task = compensating(
        Step.of("charge", String.class),
        () -> effects.add("charge") && effects.size() > 1
            ? Future.succeededFuture("charged")
            : work.future());
    String runId = start(task);
    fleet.faults.fail("heartbeatRunLease", 1_000);
    fleet.pass(Duration.ofSeconds(30));

    work.fail(RunlaneException.of(ErrorCode.TASK_FAILED, "no").asNotRetryable());
    fleet.pass(Duration.ofSeconds(5));

    assertThat(effects).containsExactly("charge", "charge");
    assertThat(run(runId).output().text()).isEqualTo("\"charged\"");
    assertThat(types(runId)).containsOnlyOnce("run.step_completed");
  }

  @Test
  void after_a_step_that_gave_up_because_the_worker_stops_no_other_is_begun() {
    Step<String> flaky =
        Step.of("flaky", String.class).retry(RetryPolicy.attempts(3).fixedDelay(DAY));
    Task<String> task = compensating(
        flaky,
        () -> effects.add("flaky") && effects.size() > 1
            ? Future.succeededFuture("done")
            : Future.failedFuture(new IllegalStateException("no")));
    String runId = start(task);

    Future<Void> closed = runlane.close();
    fleet.pass(Duration.ofSeconds(1));
    done(closed);
    runlane = fleet.process(task);
    done(runlane.worker(new WorkerOptions()));
    fleet.pass(Duration.ofSeconds(1));

    assertThat(effects).containsExactly("flaky", "flaky");
    assertThat(run(runId).output().text()).isEqualTo("\"done\"");
  }

  @Test
  void after_a_step_that_gave_up_because_the_run_is_cancelled_another_may_make_up_for_it() {
    Step<String> flaky =
        Step.of("flaky", String.class).retry(RetryPolicy.attempts(3).fixedDelay(DAY));
    String runId =
        start(compensating(flaky, () -> Future.failedFuture(new IllegalStateException("no"))));

    done(runlane.runs().cancel(runId, new RunActionOptions()));
    fleet.pass(Duration.ofSeconds(1));

    assertThat(effects).containsExactly("undo");
    assertThat(run(runId).status()).isEqualTo(RunStatus.CANCELLED);
  }

  @Test
  void steps_leave_no_timer_behind() {
    start(task().handler((payload, context) -> Future.all(
            context.sleep(DAY), context.sleep(Duration.ofMillis(10)), step(context, "one"))
        .map(all -> TaskResult.done())));

    Future<Void> closed = runlane.close();
    fleet.pass(Duration.ofSeconds(1));

    done(closed);
    assertThat(fleet.timers.pending()).isZero();
  }

  @Test
  void the_options_of_steps_survive_json() {
    RunlaneOptions options = new RunlaneOptions()
        .setStepWait(Duration.ofMillis(7))
        .setStepReplayTimeout(Duration.ofSeconds(8))
        .setMaxStepEvents(9);

    RunlaneOptions read = new RunlaneOptions(options.toJson());

    assertThat(read.toJson()).isEqualTo(options.toJson());
    assertThat(new RunlaneOptions(read).getStepWait()).isEqualTo(Duration.ofMillis(7));
    assertThat(new RunlaneOptions(read).getStepReplayTimeout()).isEqualTo(Duration.ofSeconds(8));
    assertThat(new RunlaneOptions(read).getMaxStepEvents()).isEqualTo(9);
    assertThatThrownBy(() -> options.setMaxStepEvents(0)).isInstanceOf(RunlaneException.class);
    assertThatThrownBy(() -> options.setStepReplayTimeout(Duration.ZERO))
        .isInstanceOf(RunlaneException.class);
  }

  @Test
  void a_blocking_handler_does_steps_on_its_thread() {
    Step<String> charge = Step.of("charge", String.class);
    String runId = start(task().blockingHandler((payload, context) -> {
      String charged = context.callStep(charge, () -> {
        effects.add("charge");
        return "charged";
      });
      String shipped = context.callStep(Step.of("ship", String.class), () -> "shipped");
      return TaskResult.done(Map.of("charged", charged, "shipped", shipped));
    }));

    assertThat(run(runId).status()).isEqualTo(RunStatus.SUCCEEDED);
    assertThat(effects).containsExactly("charge");
  }
}
