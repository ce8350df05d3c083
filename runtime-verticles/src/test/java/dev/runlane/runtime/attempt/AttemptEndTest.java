package dev.runlane.runtime.attempt;

import static dev.runlane.runtime.Fleet.done;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.lane.Lanes;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.FailureRecord;
import dev.runlane.run.Json;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunStatus;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.Fleet;
import dev.runlane.runtime.Runlane;
import dev.runlane.runtime.host.RunlaneOptions;
import dev.runlane.runtime.host.RuntimeHost;
import dev.runlane.runtime.task.RetryPolicy;
import dev.runlane.runtime.task.RunActionOptions;
import dev.runlane.runtime.task.Task;
import dev.runlane.runtime.task.TaskQueue;
import dev.runlane.runtime.task.TaskResult;
import dev.runlane.runtime.task.TriggerOptions;
import dev.runlane.runtime.worker.WorkerHandle;
import dev.runlane.runtime.worker.WorkerOptions;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** What is stored for each way in which a handler can end. */
class AttemptEndTest {
  private static final TaskQueue DEFAULT = TaskQueue.of("default").asDefault();
  private static final FailureRecord UNKNOWN =
      new FailureRecord(ErrorCode.TASK_FAILED, "Task failed.", true, null);

  private final Fleet fleet = new Fleet();

  private Runlane runlane;

  private static Task.Definition<String> task() {
    return Task.define("task", String.class);
  }

  private RunRecord runOnce(Task<String> task) {
    runlane = fleet.process(task);
    String runId = done(runlane.trigger(task, "x")).run().id();
    Future<?> attempt = runlane.executeNext();
    fleet.settle();
    done(attempt);
    return fleet.run(runlane, runId);
  }

  private RunRecord answering(TaskResult result) {
    return runOnce(task().handler((payload, context) -> Future.succeededFuture(result)));
  }

  private RunRecord failing(Throwable failure) {
    return runOnce(task().handler((payload, context) -> Future.failedFuture(failure)));
  }

  @Test
  void an_output_that_is_json_already_is_stored_as_it_is() {
    RunRecord run = answering(TaskResult.done(Json.ofChecked("{ \"charged\" : 1.50 }")));

    assertThat(run.output().text()).isEqualTo("{ \"charged\" : 1.50 }");
  }

  @Test
  void an_output_that_cannot_be_written_fails_the_run_for_good_and_names_only_its_type() {
    Object unwritable = new Object() {
      @Override
      public String toString() {
        return "password=hunter2";
      }
    };

    RunRecord run = answering(TaskResult.done(unwritable));

    assertThat(run.status()).isEqualTo(RunStatus.FAILED);
    assertThat(run.failure().code()).isEqualTo(ErrorCode.VALIDATION_FAILED);
    assertThat(run.failure().retryable()).isFalse();
    assertThat(run.failure().message())
        .contains(unwritable.getClass().getName())
        .doesNotContain("hunter2");
  }

  @Test
  void a_blocking_handler_that_answers_null_failed() {
    RunRecord run = runOnce(task().blockingHandler((payload, context) -> null));

    assertThat(run.status()).isEqualTo(RunStatus.FAILED);
    assertThat(run.failure()).isEqualTo(UNKNOWN);
  }

  @Test
  void a_release_needs_no_reason_and_may_resume_at_once() {
    RunRecord run = answering(new TaskResult.Release(Duration.ZERO, null, Map.of()));

    assertThat(run.status()).isEqualTo(RunStatus.RELEASED);
    assertThat(run.runAt()).isEqualTo(run.updatedAt());
    RunEvent.Released released =
        (RunEvent.Released) fleet.events(runlane, run.id()).get(4);
    assertThat(released.reason()).isNull();
    assertThat(released.header().meta()).isNull();
  }

  @Test
  void a_release_may_last_as_long_as_a_delay_and_no_longer() {
    RunRecord longest =
        answering(new TaskResult.Release(TriggerOptions.LONGEST_DELAY, "wait", Map.of()));
    assertThat(longest.runAt()).isEqualTo(longest.updatedAt().plus(TriggerOptions.LONGEST_DELAY));

    RunRecord tooLong = answering(
        new TaskResult.Release(TriggerOptions.LONGEST_DELAY.plusNanos(1), "wait", Map.of()));
    assertThat(tooLong.status()).isEqualTo(RunStatus.FAILED);
    assertThat(tooLong.failure().code()).isEqualTo(ErrorCode.VALIDATION_FAILED);
  }

  @Test
  void a_failure_keeps_its_code_when_its_details_are_too_large_to_be_kept() {
    String large = "x".repeat(RunlaneOptions.DEFAULT_MAX_META_BYTES);

    RunRecord run = failing(
        RunlaneException.of(ErrorCode.TASK_FAILED, "card declined").withMeta("answer", large));

    assertThat(run.failure().code()).isEqualTo(ErrorCode.TASK_FAILED);
    assertThat(run.failure().message()).isEqualTo("card declined");
    assertThat(run.failure().meta().text()).isEqualTo("{\"omitted\":\"validation_failed\"}");
  }

  @Test
  void a_long_message_is_cut_but_never_inside_a_character() {
    String plain = "x".repeat(2_001);
    assertThat(
            failing(RunlaneException.of(ErrorCode.TASK_FAILED, plain)).failure().message())
        .isEqualTo("x".repeat(1_997) + "...");

    String smileAtTheCut = "x".repeat(1_996) + "\uD83D\uDE00..and on";
    assertThat(failing(RunlaneException.of(ErrorCode.TASK_FAILED, smileAtTheCut))
            .failure()
            .message())
        .isEqualTo("x".repeat(1_996) + "...");
  }

  @Test
  void giving_up_without_being_asked_is_a_failure_like_any_other() {
    assertThat(failing(new CancellationException("password=hunter2")).failure()).isEqualTo(UNKNOWN);
    assertThat(runOnce(task().blockingHandler((payload, context) -> {
              throw new InterruptedException();
            }))
            .failure())
        .isEqualTo(UNKNOWN);

    RunRecord retried = runOnce(task()
        .retry(RetryPolicy.attempts(2))
        .handler((payload, context) -> Future.failedFuture(
            RunlaneException.of(ErrorCode.OPERATION_CANCELLED, "I had enough").asRetryable())));
    assertThat(retried.status()).isEqualTo(RunStatus.RETRYING);
    assertThat(retried.failure().message()).isEqualTo("I had enough");
  }

  @Test
  void a_handler_that_gives_up_when_its_time_is_over_failed_because_of_the_timeout() {
    Task<String> patient = task()
        .attemptTimeout(Duration.ofSeconds(10))
        .retry(RetryPolicy.attempts(2).fixedDelay(Duration.ofHours(1)))
        .handler((payload, context) ->
            context.untilSignalled(Promise.<TaskResult>promise().future()));
    runlane = fleet.process(patient);
    String runId = done(runlane.trigger(patient, "x")).run().id();
    Future<?> attempt = runlane.executeNext();

    fleet.pass(Duration.ofSeconds(11));

    done(attempt);
    RunRecord run = fleet.run(runlane, runId);
    assertThat(run.status()).isEqualTo(RunStatus.RETRYING);
    assertThat(run.failure().meta().text()).isEqualTo("{\"reason\":\"attempt_timeout\"}");
    assertThat(fleet.timers.pending())
        .as("no grace is waited for: heartbeats, queue limits, paused queues, throughput at most")
        .isLessThanOrEqualTo(4);
  }

  @Test
  void an_attempt_that_ends_in_time_leaves_no_timer_behind() {
    runOnce(task()
        .attemptTimeout(Duration.ofMinutes(10))
        .handler((payload, context) -> Future.succeededFuture(TaskResult.done())));

    done(runlane.close());
    fleet.settle();

    assertThat(fleet.timers.pending()).isZero();
  }

  @Test
  void the_time_of_an_attempt_begins_when_a_thread_is_free_for_its_handler() {
    Queue<Runnable> waiting = new ArrayDeque<>();
    Task<String> blocking = task()
        .attemptTimeout(Duration.ofSeconds(10))
        .blockingHandler((payload, context) -> TaskResult.done());
    runlane = withBusyThreads(blocking, waiting);
    String runId = done(runlane.trigger(blocking, "x")).run().id();
    Future<?> attempt = runlane.executeNext();
    fleet.pass(Duration.ofSeconds(9));

    waiting.remove().run();
    fleet.settle();

    done(attempt);
    assertThat(fleet.run(runlane, runId).status()).isEqualTo(RunStatus.SUCCEEDED);
  }

  @Test
  void a_handler_whose_attempt_is_over_before_a_thread_is_free_is_not_called() {
    Queue<Runnable> waiting = new ArrayDeque<>();
    AtomicBoolean called = new AtomicBoolean();
    Task<String> blocking = task().blockingHandler((payload, context) -> {
      called.set(true);
      return TaskResult.done();
    });
    runlane = withBusyThreads(blocking, waiting);
    done(runlane.trigger(blocking, "x"));
    WorkerHandle worker =
        done(runlane.worker(new WorkerOptions().setDrainTimeout(Duration.ofSeconds(3))));
    fleet.settle();
    worker.stop();
    fleet.pass(Duration.ofSeconds(5));
    assertThat(runlane.engine().leases().isEmpty())
        .as("the attempt is abandoned")
        .isTrue();

    waiting.remove().run();

    assertThat(called).isFalse();
  }

  @Test
  void a_run_whose_handler_has_no_thread_within_its_timeout_is_released_without_a_failure() {
    Queue<Runnable> waiting = new ArrayDeque<>();
    AtomicBoolean called = new AtomicBoolean();
    Task<String> blocking = task()
        .retry(RetryPolicy.NONE)
        .attemptTimeout(Duration.ofSeconds(10))
        .blockingHandler((payload, context) -> {
          called.set(true);
          return TaskResult.done();
        });
    runlane = withBusyThreads(blocking, waiting);
    String runId = done(runlane.trigger(blocking, "x")).run().id();
    Future<?> attempt = runlane.executeNext();

    fleet.pass(Duration.ofSeconds(10));

    done(attempt);
    RunRecord released = fleet.run(runlane, runId);
    assertThat(released.status().isTerminal()).isFalse();
    assertThat(released.lease()).isNull();
    assertThat(released.counters().failures()).isZero();
    waiting.remove().run();
    assertThat(called).isFalse();

    fleet.pass(Duration.ofMinutes(1));
    runlane.executeNext();
    waiting.remove().run();
    fleet.settle();
    assertThat(fleet.run(runlane, runId).status()).isEqualTo(RunStatus.SUCCEEDED);
    done(runlane.close());
    fleet.settle();
    assertThat(fleet.timers.pending()).isZero();
  }

  @Test
  void a_worker_without_threads_queues_no_more_handlers_than_it_has_slots() {
    Queue<Runnable> waiting = new ArrayDeque<>();
    Task<String> blocking = task()
        .attemptTimeout(Duration.ofSeconds(10))
        .blockingHandler((payload, context) -> TaskResult.done());
    runlane = withBusyThreads(blocking, waiting);
    String runId = done(runlane.trigger(blocking, "x")).run().id();
    done(runlane.worker(new WorkerOptions().setConcurrency(2)));

    fleet.pass(Duration.ofMinutes(10));

    assertThat(waiting).hasSize(2);
    waiting.remove().run();
    fleet.pass(Duration.ofMinutes(1));
    while (!waiting.isEmpty()) {
      waiting.remove().run();
      fleet.settle();
    }
    assertThat(fleet.run(runlane, runId).status()).isEqualTo(RunStatus.SUCCEEDED);
  }

  @Test
  void a_cancellation_ends_a_run_whose_handler_waits_for_a_thread() {
    Queue<Runnable> waiting = new ArrayDeque<>();
    AtomicBoolean called = new AtomicBoolean();
    Task<String> blocking = task().blockingHandler((payload, context) -> {
      called.set(true);
      return TaskResult.done();
    });
    runlane = withBusyThreads(blocking, waiting);
    String runId = done(runlane.trigger(blocking, "x")).run().id();
    runlane.executeNext();

    done(runlane.runs().cancel(runId, new RunActionOptions()));
    fleet.settle();

    assertThat(fleet.run(runlane, runId).status()).isEqualTo(RunStatus.CANCELLED);
    waiting.remove().run();
    assertThat(called).isFalse();
  }

  /** A process whose threads for blocking handlers are in use: what is to be called waits. */
  private Runlane withBusyThreads(Task<String> task, Queue<Runnable> waiting) {
    RuntimeHost free = RuntimeHost.singleThread(fleet.timers);
    RuntimeHost busy = (RuntimeHost) Proxy.newProxyInstance(
        RuntimeHost.class.getClassLoader(),
        new Class<?>[] {RuntimeHost.class},
        (proxy, method, arguments) -> {
          if (!method.getName().equals("blocking")) {
            return method.invoke(free, arguments);
          }
          Promise<Object> answer = Promise.promise();
          Callable<?> work = (Callable<?>) arguments[0];
          waiting.add(() -> answer.handle(free.blocking(work).map(Object.class::cast)));
          return answer.future();
        });
    Runlane process = Runlane.builder(busy, Lanes.create(fleet.storage, fleet.transport))
        .clock(fleet.clock)
        .randomness(fleet.randomness)
        .queue(DEFAULT)
        .task(task)
        .build();
    done(process.start());
    return process;
  }

  @Test
  void what_a_handler_answers_after_its_timeout_was_recorded_is_ignored() {
    Promise<TaskResult> late = Promise.promise();
    Task<String> deaf =
        task().attemptTimeout(Duration.ofSeconds(10)).handler((payload, context) -> late.future());
    runlane = fleet.process(deaf);
    String runId = done(runlane.trigger(deaf, "x")).run().id();
    Future<?> attempt = runlane.executeNext();
    fleet.pass(Duration.ofSeconds(16));
    done(attempt);
    RunRecord failed = fleet.run(runlane, runId);
    assertThat(failed.failure().meta().text()).isEqualTo("{\"reason\":\"attempt_timeout\"}");

    late.complete(TaskResult.done());
    fleet.settle();

    assertThat(fleet.run(runlane, runId)).isEqualTo(failed);
  }

  @Test
  void a_run_of_a_bounded_queue_is_handed_back_without_a_wakeup_since_its_dispatcher_reserves() {
    TaskQueue bounded = TaskQueue.of("bounded").concurrencyLimit(1);
    Task<String> patient = task()
        .queue(bounded)
        .handler((payload, context) ->
            context.untilSignalled(Promise.<TaskResult>promise().future()));
    runlane = fleet.process(new RunlaneOptions(), List.of(DEFAULT, bounded), patient);
    String runId = done(runlane.trigger(patient, "x")).run().id();
    WorkerHandle worker = done(runlane.worker(new WorkerOptions()));
    fleet.settle();

    done(worker.stop());

    RunRecord run = fleet.run(runlane, runId);
    assertThat(run.status()).isEqualTo(RunStatus.RELEASED);
    assertThat(run.runAt()).isEqualTo(run.updatedAt());
    List<RunEvent> events = fleet.events(runlane, runId);
    assertThat(events.get(events.size() - 1))
        .isInstanceOfSatisfying(RunEvent.Released.class, released -> assertThat(released.reason())
            .isEqualTo("worker_stopping"));
  }
}
