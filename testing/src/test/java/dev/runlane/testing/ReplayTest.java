package dev.runlane.testing;

import static dev.runlane.testing.RunlaneAssertions.assertReplays;
import static dev.runlane.testing.RunlaneAssertions.assertThat;
import static dev.runlane.testing.RunlaneAssertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import dev.runlane.json.JsonCodec;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.RunlaneBuilder;
import dev.runlane.runtime.task.BlockingTaskContext;
import dev.runlane.runtime.task.RetryPolicy;
import dev.runlane.runtime.task.Schedule;
import dev.runlane.runtime.task.Step;
import dev.runlane.runtime.task.Task;
import dev.runlane.runtime.task.TaskContext;
import dev.runlane.runtime.task.TaskQueue;
import dev.runlane.runtime.task.TaskResult;
import dev.runlane.testing.history.RunHistory;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
class ReplayTest {
  private static final RunHistory ENDED = historyAfter(Duration.ofDays(31));
  private static final RunHistory SLEEPING = historyAfter(Duration.ofDays(1));

  private final List<String> calls = new ArrayList<>();

  private Future<Void> note(String call) {
    calls.add(call);
    return Future.succeededFuture();
  }

  private static Task<String> task(Function<TaskContext, Future<?>> handler) {
    return Task.define("test.task", String.class)
        .handler((payload, context) -> handler.apply(context).map(TaskResult.done()));
  }

  /** Charge, wait for a month, ask for the parcel, ship. */
  private static Task<String> recorded(Function<String, Future<Void>> note) {
    return task(context -> context
        .step("charge", () -> note.apply("charge"))
        .compose(charged -> context.sleep(Duration.ofDays(30)))
        .compose(slept -> context.remote("pack", "box"))
        .compose(packed -> context.step("ship", () -> note.apply("ship"))));
  }

  private Task<String> recorded() {
    return recorded(this::note);
  }

  private static RunHistory historyAfter(Duration time) {
    RunlaneTesting testing =
        RunlaneTesting.create().serve("pack", request -> Future.succeededFuture("packed"));
    Task<String> task = recorded(done -> Future.succeededFuture());
    TestRun run = testing.deploy(task).trigger(task, "a");
    testing.advance(time);
    return run.history();
  }

  private static void assertBreaks(RunHistory history, Task<?> task, String why) {
    assertThatThrownBy(() -> assertReplays(history, task))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining(why)
        .hasMessageContaining("run.created");
  }

  @Test
  void the_same_code_replays_without_doing_anything_again() {
    assertReplays(ENDED, recorded());
    assertReplays(SLEEPING, recorded());

    assertThat(calls).isEmpty();
  }

  @Test
  void a_step_added_at_the_end_replays_and_is_not_done() {
    Task<String> changed = task(context -> context
        .step("charge", () -> note("charge"))
        .compose(charged -> context.sleep(Duration.ofDays(30)))
        .compose(slept -> context.remote("pack", "box"))
        .compose(packed -> context.step("ship", () -> note("ship")))
        .compose(shipped -> context.step("thank", () -> note("thank"))));

    assertReplays(ENDED, changed);
    assertReplays(SLEEPING, changed);

    assertThat(calls).isEmpty();
  }

  @Test
  void what_comes_after_the_end_of_a_history_may_change() {
    Task<String> changed = task(context -> context
        .step("charge", () -> note("charge"))
        .compose(charged -> context.sleep(Duration.ofDays(30)))
        .compose(slept -> context.step("wrap", () -> note("wrap"))));

    assertReplays(SLEEPING, changed);
    assertBreaks(ENDED, changed, "non_deterministic");
  }

  @Test
  void a_step_that_was_renamed_breaks_runs_in_flight() {
    Task<String> changed = task(context -> context
        .step("pay", () -> note("pay"))
        .compose(charged -> context.sleep(Duration.ofDays(30))));

    assertBreaks(SLEEPING, changed, "charge");
  }

  @Test
  void a_step_put_in_front_breaks_runs_in_flight() {
    Task<String> changed = task(context -> context
        .step("check", () -> note("check"))
        .compose(checked -> context.step("charge", () -> note("charge"))));

    assertBreaks(SLEEPING, changed, "check");
  }

  @Test
  void a_step_that_was_removed_breaks_runs_in_flight() {
    Task<String> changed = task(context -> context
        .step("charge", () -> note("charge"))
        .compose(charged -> context.sleep(Duration.ofDays(30)))
        .compose(slept -> context.remote("pack", "box")));

    assertReplays(SLEEPING, changed);
    assertBreaks(ENDED, changed, "3 of the 4");
  }

  @Test
  void another_payload_breaks_runs_in_flight() {
    record Order(String id) {}
    Task<Order> changed = Task.define("test.task", Order.class)
        .handler((payload, context) -> Future.succeededFuture(TaskResult.done()));

    assertBreaks(SLEEPING, changed, "undecodable_payload");
  }

  @Test
  void a_result_that_cannot_be_read_breaks_runs_in_flight() {
    Task<String> changed = task(context -> context
        .step("charge", () -> note("charge"))
        .compose(charged -> context.sleep(Duration.ofDays(30)))
        .compose(slept -> context.remote("pack", "box", Integer.class))
        .compose(packed -> context.step("ship", () -> note("ship"))));

    assertBreaks(ENDED, changed, "fails with");
  }

  @Test
  void a_handler_that_fails_where_the_recorded_one_did_not_breaks_runs_in_flight() {
    assertBreaks(
        SLEEPING,
        task(context -> Future.failedFuture(new IllegalStateException("new"))),
        "fails with task_failed");
  }

  @Test
  void a_handler_that_waits_for_what_never_comes_is_told() {
    assertBreaks(SLEEPING, task(context -> Promise.promise().future()), "never completes");
  }

  @Test
  void a_history_of_another_task_is_refused() {
    Task<String> other = Task.define("other", String.class)
        .handler((payload, context) -> Future.succeededFuture(TaskResult.done()));

    assertBreaks(SLEEPING, other, "run of task test.task");
  }

  @Test
  void a_run_that_failed_replays_with_the_code_that_failed() {
    Task<String> failing = Task.define("test.task", String.class)
        .retry(RetryPolicy.attempts(3).fixedDelay(Duration.ofHours(1)))
        .handler((payload, context) -> context
            .step("first", () -> note("first"))
            .compose(done -> context.<Void>step(
                "second", () -> Future.failedFuture(new IllegalStateException("no"))))
            .map(TaskResult.done()));
    RunlaneTesting testing = RunlaneTesting.create().deploy(failing);
    TestRun run = testing.trigger(failing, "a");
    testing.runDue();
    RunHistory retrying = run.history();
    testing.runUntilIdle();
    calls.clear();

    assertReplays(retrying, failing);
    assertReplays(run.history(), failing);

    assertThat(run).failed();
    assertThat(calls).isEmpty();
  }

  @Test
  void a_failure_before_all_that_is_recorded_is_another_one_though_its_code_is_known() {
    Task<String> failing = task(context -> context
        .step("first", () -> note("first"))
        .compose(done -> Future.failedFuture(new IllegalStateException("no"))));
    Task<String> broken = task(context -> Future.failedFuture(new NullPointerException("new")));
    RunlaneTesting testing = RunlaneTesting.create().deploy(failing);
    TestRun run = testing.trigger(failing, "a");
    testing.runUntilIdle();
    assertThat(run).failed();

    assertReplays(run.history(), failing);
    assertBreaks(run.history(), broken, "fails with task_failed");
  }

  @Test
  void payloads_and_results_are_read_as_the_deployment_reads_them() {
    Consumer<RunlaneBuilder> settings = builder -> builder.objectMapper(
        JsonCodec.standardMapper().setPropertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE));
    Task<Parcel> task = Task.define("test.task", Parcel.class).handler((parcel, context) -> context
        .step("weigh", Parcel.class, () -> Future.succeededFuture(parcel))
        .compose(weighed -> context.remote("pack", weighed, Parcel.class))
        .map(TaskResult::done));
    RunlaneTesting testing = RunlaneTesting.create()
        .settings(settings)
        .serve("pack", request -> Future.succeededFuture(request.input(Parcel.class)))
        .deploy(task);
    Parcel parcel = new Parcel(7);
    TestRun run = testing.trigger(task, parcel);
    testing.runUntilIdle();

    assertThat(run).succeeded().hasOutput(parcel);
    assertThat(run.output(Parcel.class)).isEqualTo(parcel);
    assertReplays(run.history(), task, settings);
    assertThatThrownBy(() -> assertReplays(run.history(), task)).isInstanceOf(AssertionError.class);
  }

  record Parcel(int grossWeight) {
    Parcel {
      if (grossWeight < 1) {
        throw new IllegalArgumentException("a parcel weighs something");
      }
    }
  }

  @Test
  void a_run_whose_workers_were_lost_replays() {
    RunlaneTesting testing = RunlaneTesting.create();
    Task<String> task = task(context -> context
        .step("first", () -> note("first"))
        .compose(done -> testing.timers().after(Duration.ofHours(1))));
    TestRun run = testing.deploy(task).trigger(task, "a");
    testing.runDue();
    testing.kill();
    testing.deploy(task).advance(Duration.ofMinutes(10));

    assertReplays(run.history(), task(context -> context
        .step("first", () -> note("first"))
        .compose(done -> context.sleep(Duration.ofHours(1)))));
  }

  @Test
  void a_blocking_handler_replays() {
    Task<String> before =
        blocking(context -> context.callStep(Step.of("one", Integer.class), () -> 1));
    RunlaneTesting testing = RunlaneTesting.create().deploy(before);
    TestRun run = testing.trigger(before, "a");
    testing.runUntilIdle();
    assertThat(run).succeeded().hasOutput(1);

    assertReplays(run.history(), before);
    assertReplays(run.history(), blocking(context -> {
      int one = context.callStep(Step.of("one", Integer.class), () -> 5);
      context.await(context.sleep(Duration.ofDays(1)));
      return one;
    }));
    assertReplays(
        run.history(),
        blocking(context -> context.callStep(Step.of("one", Integer.class), () -> 5)
            + context.callStep(Step.of("two", Integer.class), () -> 2)));
    assertBreaks(
        run.history(),
        blocking(context -> context.callStep(Step.of("two", Integer.class), () -> 2)),
        "non_deterministic");
  }

  private static Task<String> blocking(Function<BlockingTaskContext, Integer> handler) {
    return Task.define("test.task", String.class)
        .blockingHandler((payload, context) -> TaskResult.done(handler.apply(context)));
  }

  @Test
  void runs_of_other_tasks_are_not_made_and_schedules_do_not_fire() {
    Task<String> other = Task.define("other", String.class)
        .handler((payload, context) -> Future.succeededFuture(TaskResult.done()));
    Task<String> task = Task.define("test.task", String.class)
        .queue(TaskQueue.of("single").concurrencyLimit(1))
        .schedule(Schedule.cron("minutes", "* * * * *").payload("scheduled"))
        .handler((payload, context) -> note(payload)
            .compose(noted -> context.trigger(other, "x"))
            .compose(made -> context.step("done", () -> note("done")))
            .map(TaskResult.done()));
    RunlaneTesting testing = RunlaneTesting.create().deploy(task, other);
    TestRun run = testing.trigger(task, "a");
    testing.runDue();
    assertThat(run).succeeded();
    calls.clear();

    assertReplays(run.history(), task);

    assertThat(calls).containsExactly("a");
  }

  @Test
  void a_history_that_was_exported_replays() {
    RunHistory history = RunHistory.parse(ENDED.toJson());

    assertReplays(history, recorded());
  }

  @Test
  void a_history_without_tokens_of_leases_replays() {
    RunHistory history = RunHistory.parse(ENDED.toJson().replaceAll("\"token\":\"[^\"]*\",", ""));

    assertReplays(history, recorded());
  }

  @Test
  void half_a_history_is_refused() {
    String half = ENDED.toJson().replaceFirst("(?s)\"events\":\\[.*?\\},\n", "\"events\":[");

    assertThatThrownBy(() -> RunHistory.parse(half)).isInstanceOf(RunlaneException.class);
    assertThatThrownBy(() -> RunHistory.parse("{}")).isInstanceOf(RunlaneException.class);
    assertThatThrownBy(() -> RunHistory.parse("[]")).isInstanceOf(RunlaneException.class);
    assertThatThrownBy(() -> RunHistory.parse("no")).isInstanceOf(RunlaneException.class);
  }
}
