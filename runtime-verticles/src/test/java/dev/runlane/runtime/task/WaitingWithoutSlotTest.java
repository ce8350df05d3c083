package dev.runlane.runtime.task;

import static dev.runlane.runtime.Fleet.done;
import static dev.runlane.runtime.RemoteFleet.asking;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.run.Awaiting;
import dev.runlane.run.Json;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunStatus;
import dev.runlane.runtime.RemoteFleet;
import dev.runlane.runtime.Runlane;
import dev.runlane.runtime.host.RunlaneOptions;
import dev.runlane.runtime.worker.WorkerHandle;
import dev.runlane.runtime.worker.WorkerMode;
import dev.runlane.runtime.worker.WorkerOptions;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** Attempts that only wait for steps give their slot to others, and go on when there is one again. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class WaitingWithoutSlotTest {
  private static final Duration MOMENT = Duration.ofMillis(200);
  private static final RunlaneOptions DEFAULTS = new RunlaneOptions();

  private final RemoteFleet remote = new RemoteFleet();
  private Runlane runlane;
  private WorkerHandle worker;

  private void work(Task<String> task, WorkerOptions options) {
    work(List.of(TaskQueue.of("default").asDefault()), DEFAULTS, task, options);
  }

  private void work(
      List<TaskQueue> queues, RunlaneOptions settings, Task<String> task, WorkerOptions options) {
    runlane = remote.process(queues, settings, task);
    worker = done(runlane.worker(options));
    remote.dispatch(runlane);
    remote.deliver(runlane);
  }

  private List<String> trigger(Task<String> task, int count) {
    List<String> ids = IntStream.range(0, count)
        .mapToObj(each -> done(runlane.trigger(task, "x")).run().id())
        .toList();
    remote.pass(MOMENT);
    return ids;
  }

  private RunRecord run(String runId) {
    return remote.run(runlane, runId);
  }

  private List<RunStatus> statuses(List<String> runIds) {
    return runIds.stream().map(each -> run(each).status()).toList();
  }

  private void answerAll(String group) {
    remote.take(group).forEach(each -> remote.complete(each, "\"paid\""));
    remote.pass(MOMENT);
  }

  private static Task<String> charging() {
    return asking(context -> context
        .remote(RemoteStep.of("charge", String.class), Map.of("amount", 7))
        .map(TaskResult::done));
  }

  @Test
  void more_runs_wait_for_their_steps_than_there_are_slots_and_each_is_one_attempt() {
    Task<String> task = charging();
    work(task, new WorkerOptions().setConcurrency(2));
    List<String> ids = trigger(task, 7);
    remote.pass(MOMENT);
    assertThat(statuses(ids)).containsOnly(RunStatus.RUNNING);

    answerAll("charge");

    assertThat(statuses(ids)).containsOnly(RunStatus.SUCCEEDED);
    assertThat(ids).allSatisfy(id -> {
      assertThat(run(id).counters().attempts()).isEqualTo(1);
      assertThat(remote.events(runlane, id, RunEvent.Released.class)).isEmpty();
    });
  }

  @Test
  void a_slot_that_others_want_is_lent_as_soon_as_the_request_is_stored() {
    Task<String> task = charging();
    runlane = remote.process(List.of(TaskQueue.of("default").asDefault()), DEFAULTS, task);
    List<String> ids = trigger(task, 3);

    done(runlane.worker(new WorkerOptions().setConcurrency(1)));
    remote.pass(Duration.ofMillis(9));

    assertThat(statuses(ids)).containsOnly(RunStatus.RUNNING);
  }

  @Test
  void no_more_handlers_go_on_at_once_than_there_are_slots() {
    List<Promise<TaskResult>> rest = new ArrayList<>();
    Task<String> task = asking(
        context -> context.remote(RemoteStep.of("charge", String.class), 7).compose(paid -> {
          Promise<TaskResult> end = Promise.promise();
          rest.add(end);
          return end.future();
        }));
    work(task, new WorkerOptions().setConcurrency(2));
    List<String> ids = trigger(task, 5);
    remote.pass(MOMENT);

    answerAll("charge");
    assertThat(rest).hasSize(2);
    rest.get(0).complete(TaskResult.done());
    remote.pass(Duration.ofMillis(10));
    assertThat(rest).hasSize(3);
    rest.get(1).complete(TaskResult.done());
    rest.get(2).complete(TaskResult.done());
    remote.pass(Duration.ofMillis(10));
    rest.subList(3, 5).forEach(each -> each.complete(TaskResult.done()));
    remote.pass(MOMENT);

    assertThat(statuses(ids)).containsOnly(RunStatus.SUCCEEDED);
    assertThat(ids).allMatch(id -> run(id).counters().attempts() == 1);
  }

  @Test
  void a_run_whose_result_is_there_goes_to_another_worker_when_no_slot_becomes_free_here() {
    Task<String> task =
        asking(context -> context.attempt() == 1 && context.runId().equals("busy")
            ? Promise.<TaskResult>promise().future()
            : context.remote(RemoteStep.of("charge", String.class), 7).map(TaskResult::done));
    work(task, new WorkerOptions().setConcurrency(1));
    List<String> ids = trigger(task, 1);
    done(runlane.trigger(task, "x", new TriggerOptions().setRunId("busy")));
    remote.pass(MOMENT);
    assertThat(run("busy").status()).isEqualTo(RunStatus.RUNNING);

    answerAll("charge");
    assertThat(run(ids.get(0)).status()).as("waits for a slot").isEqualTo(RunStatus.RUNNING);
    remote.pass(DEFAULTS.getStepWaitWithoutSlot());
    assertThat(run(ids.get(0)).status()).isEqualTo(RunStatus.RELEASED);
    Runlane other = remote.process(task);
    done(other.worker(new WorkerOptions()));
    remote.pass(MOMENT);

    assertThat(run(ids.get(0)).status()).isEqualTo(RunStatus.SUCCEEDED);
    assertThat(run(ids.get(0)).counters().attempts()).isEqualTo(2);
  }

  @Test
  void a_handler_does_not_go_on_in_a_slot_that_becomes_free_while_its_run_is_being_released() {
    List<Integer> paidIn = new ArrayList<>();
    Promise<TaskResult> busy = Promise.promise();
    Task<String> task = asking(context -> context.runId().equals("busy")
        ? busy.future()
        : context.remote(RemoteStep.of("charge", String.class), 7).map(paid -> {
          paidIn.add(context.attempt());
          return TaskResult.done();
        }));
    work(task, new WorkerOptions().setConcurrency(1));
    String id = trigger(task, 1).get(0);
    done(runlane.trigger(task, "x", new TriggerOptions().setRunId("busy")));
    remote.pass(MOMENT);
    answerAll("charge");
    Promise<Void> release = remote.fleet.faults.hold("appendRunEvents");
    remote.pass(DEFAULTS.getStepWaitWithoutSlot());

    busy.complete(TaskResult.done());
    remote.pass(MOMENT);
    assertThat(paidIn).as("the release is on its way").isEmpty();
    release.complete();
    remote.pass(Duration.ofSeconds(10));

    assertThat(remote.events(runlane, id, RunEvent.Released.class)).hasSize(1);
    assertThat(paidIn).containsExactly(2);
    assertThat(run(id).status()).isEqualTo(RunStatus.SUCCEEDED);
  }

  @Test
  void a_run_whose_result_does_not_come_in_time_is_released() {
    Task<String> task = charging();
    work(task, new WorkerOptions());
    String id = trigger(task, 1).get(0);
    remote.pass(DEFAULTS.getStepWaitWithoutSlot().minus(Duration.ofSeconds(1)));
    assertThat(run(id).status()).isEqualTo(RunStatus.RUNNING);

    remote.pass(Duration.ofSeconds(1));

    assertThat(run(id).status()).isEqualTo(RunStatus.RELEASED);
    assertThat(run(id).awaiting()).isEqualTo(Awaiting.STEPS);
    assertThat(runlane.engine().leases().isEmpty()).isTrue();
    answerAll("charge");
    assertThat(run(id).output()).isEqualTo(Json.ofChecked("\"paid\""));
  }

  @Test
  void a_run_that_only_sleeps_for_longer_is_released_at_once_and_one_that_sleeps_for_less_is_not() {
    Task<String> task = asking(context -> context
        .sleep(context.runId().equals("short") ? Duration.ofSeconds(2) : Duration.ofMinutes(2))
        .map(TaskResult.done()));
    work(task, new WorkerOptions());
    done(runlane.trigger(task, "x", new TriggerOptions().setRunId("short")));
    done(runlane.trigger(task, "x", new TriggerOptions().setRunId("long")));
    remote.pass(MOMENT);

    assertThat(run("short").status()).isEqualTo(RunStatus.RUNNING);
    assertThat(run("long").status()).isEqualTo(RunStatus.RELEASED);
    remote.pass(Duration.ofSeconds(2));

    assertThat(run("short").status()).isEqualTo(RunStatus.SUCCEEDED);
    assertThat(run("short").counters().attempts()).isEqualTo(1);
  }

  @Test
  void where_as_many_wait_as_may_the_next_is_released() {
    Task<String> task = charging();
    work(task, new WorkerOptions().setConcurrency(1).setMaxWaiting(2));

    List<String> ids = trigger(task, 4);
    remote.pass(MOMENT);

    assertThat(statuses(ids))
        .containsExactly(
            RunStatus.RUNNING, RunStatus.RUNNING, RunStatus.RELEASED, RunStatus.RELEASED);
  }

  @Test
  void in_a_bounded_queue_a_run_that_waits_is_released() {
    Task<String> task = charging();
    work(
        List.of(TaskQueue.of("default").concurrencyLimit(1).asDefault()),
        DEFAULTS,
        task,
        new WorkerOptions());

    String id = trigger(task, 1).get(0);

    assertThat(run(id).status()).isEqualTo(RunStatus.RELEASED);
  }

  @Test
  void a_worker_that_drains_waits_for_no_step() {
    Task<String> task = charging();
    runlane = remote.process(List.of(TaskQueue.of("default").asDefault()), DEFAULTS, task);
    String id = done(runlane.trigger(task, "x")).run().id();

    worker = done(runlane.worker(new WorkerOptions().setMode(WorkerMode.DRAIN)));
    remote.pass(Duration.ofSeconds(1));

    assertThat(worker.closed().isComplete()).isTrue();
    assertThat(run(id).status()).isEqualTo(RunStatus.RELEASED);
  }

  @Test
  void a_worker_that_stops_releases_what_waits_at_once() {
    Task<String> task = charging();
    work(task, new WorkerOptions());
    String id = trigger(task, 1).get(0);
    assertThat(run(id).status()).isEqualTo(RunStatus.RUNNING);

    Future<Void> stopped = worker.stop();
    remote.pass(Duration.ofMillis(10));

    assertThat(stopped.isComplete()).isTrue();
    assertThat(run(id).status()).isEqualTo(RunStatus.RELEASED);
  }

  @Test
  void a_run_that_waits_is_cancelled_at_once() {
    Task<String> task = charging();
    work(task, new WorkerOptions());
    String id = trigger(task, 1).get(0);

    done(runlane.runs().cancel(id, new RunActionOptions()));
    remote.pass(MOMENT);

    assertThat(run(id).status()).isEqualTo(RunStatus.CANCELLED);
  }

  @Test
  void the_time_an_attempt_may_take_begins_again_with_its_slot() {
    List<Promise<TaskResult>> rest = new ArrayList<>();
    Task<String> task = Task.define("ask", String.class)
        .attemptTimeout(Duration.ofSeconds(3))
        .handler((payload, context) -> context
            .remote(RemoteStep.of("charge", String.class), 7)
            .compose(paid -> {
              Promise<TaskResult> end = Promise.promise();
              rest.add(end);
              return end.future();
            }));
    work(task, new WorkerOptions());
    String id = trigger(task, 1).get(0);
    remote.pass(Duration.ofSeconds(4));
    answerAll("charge");
    remote.pass(Duration.ofSeconds(2));
    assertThat(run(id).status()).as("neither timed out").isEqualTo(RunStatus.RUNNING);

    rest.get(0).complete(TaskResult.done());
    remote.pass(MOMENT);

    assertThat(run(id).status()).isEqualTo(RunStatus.SUCCEEDED);
    assertThat(run(id).counters().attempts()).isEqualTo(1);
  }

  @Test
  void a_handler_that_went_on_with_a_slot_ends_when_its_time_is_over() {
    Task<String> task = Task.define("ask", String.class)
        .attemptTimeout(Duration.ofSeconds(3))
        .handler((payload, context) -> context
            .remote(RemoteStep.of("charge", String.class), 7)
            .compose(
                paid -> context.untilSignalled(Promise.<TaskResult>promise().future())));
    work(task, new WorkerOptions());
    String id = trigger(task, 1).get(0);
    remote.pass(Duration.ofSeconds(4));
    answerAll("charge");

    remote.pass(Duration.ofSeconds(4));

    assertThat(run(id).counters().failures()).isEqualTo(1);
  }

  @Test
  void what_a_handler_asks_for_while_it_waits_is_done_with_a_slot() {
    Promise<Void> elsewhere = Promise.promise();
    List<String> done = new ArrayList<>();
    Task<String> task = asking(context -> context.runId().equals("busy")
        ? Promise.<TaskResult>promise().future()
        : Future.all(
                context.remote(RemoteStep.of("charge", String.class), 7),
                elsewhere
                    .future()
                    .compose(any -> context.step("note", () -> {
                      done.add("note");
                      return Future.succeededFuture();
                    })))
            .map(TaskResult.done()));
    work(task, new WorkerOptions().setConcurrency(1));
    String id = trigger(task, 1).get(0);
    done(runlane.trigger(task, "x", new TriggerOptions().setRunId("busy")));
    remote.pass(MOMENT);

    elsewhere.complete();
    remote.pass(MOMENT);
    assertThat(done).as("the one slot is taken").isEmpty();
    assertThat(run(id).status()).isEqualTo(RunStatus.RUNNING);
  }

  @Test
  void a_run_that_waits_in_a_process_that_dies_is_done_by_another_after_its_lease() {
    Task<String> task = charging();
    work(task, new WorkerOptions());
    String id = trigger(task, 1).get(0);
    assertThat(run(id).lease()).isNotNull();
    remote.fleet.faults.kill();
    runlane = remote.process(task);
    remote.work(runlane);
    answerAll("charge");

    remote.pass(RemoteFleet.LEASE.plus(Duration.ofSeconds(5)));

    assertThat(run(id).output()).isEqualTo(Json.ofChecked("\"paid\""));
    assertThat(run(id).counters().attempts()).isEqualTo(2);
  }
}
