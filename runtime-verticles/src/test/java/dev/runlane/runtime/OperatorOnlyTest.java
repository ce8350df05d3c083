package dev.runlane.runtime;

import static dev.runlane.runtime.Fleet.assertFails;
import static dev.runlane.runtime.Fleet.done;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.runlane.lane.Lanes;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunSource;
import dev.runlane.run.RunStatus;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.host.RunlaneOptions;
import dev.runlane.runtime.host.RuntimeHost;
import dev.runlane.runtime.operate.RunExplanation.Code;
import dev.runlane.runtime.operate.RunExplanation.Reason;
import dev.runlane.runtime.task.RunActionOptions;
import dev.runlane.runtime.task.Task;
import dev.runlane.runtime.task.TaskQueue;
import dev.runlane.runtime.task.TaskResult;
import dev.runlane.runtime.task.TriggerOptions;
import dev.runlane.runtime.task.TriggerOutcome;
import dev.runlane.runtime.worker.WorkerOptions;
import dev.runlane.storage.limit.ListPublishedQueues;
import dev.runlane.storage.limit.PublishedQueue;
import dev.runlane.storage.read.GetRun;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A runtime without queues and tasks, beside processes that have them. */
class OperatorOnlyTest {
  private static final TaskQueue DEFAULT = TaskQueue.of("default").asDefault();
  private static final TaskQueue ONE = TaskQueue.of("one").concurrencyLimit(1);
  private static final RunActionOptions ADA = RunActionOptions.by("ada");

  private final Fleet fleet = new Fleet();
  private final Task<Integer> task = Task.define("task", Integer.class)
      .queue(ONE)
      .singletonKey(number -> "s" + number)
      .concurrencyKey(number -> "shared")
      .idempotencyKey(number -> "i" + number)
      .handler((number, context) -> number < 0
          ? Future.failedFuture(RunlaneException.of(ErrorCode.TASK_FAILED, "negative"))
          : Future.succeededFuture(TaskResult.done()));
  private final Runlane worker = fleet.process(new RunlaneOptions(), List.of(DEFAULT, ONE), task);
  private final Faults workersFaults = fleet.faults;
  private final Runlane operator = operator();

  private Runlane operator() {
    Runlane made = builder().operatorOnly().build();
    done(made.start());
    return made;
  }

  private RunlaneBuilder builder() {
    return Runlane.builder(
            RuntimeHost.singleThread(fleet.timers), Lanes.create(fleet.storage, fleet.transport))
        .clock(fleet.clock)
        .randomness(fleet.randomness);
  }

  private RunRecord ended(int number) {
    RunRecord run = done(worker.trigger(task, number)).run();
    done(worker.executeNext());
    return done(operator.runs().get(run.id())).orElseThrow();
  }

  private List<Code> reasons(String runId) {
    return done(operator.runs().explain(runId)).reasons().stream()
        .map(Reason::code)
        .toList();
  }

  @Test
  void it_publishes_no_queue() {
    assertThat(done(fleet
            .storage
            .queueLimits()
            .orElseThrow()
            .listPublishedQueues(
                new ListPublishedQueues(operator.context().environment(), fleet.clock.now()))))
        .as("the worker's two, and no other's")
        .hasSize(2)
        .extracting(PublishedQueue::queue)
        .containsExactlyInAnyOrder("default", "one");
    assertThat(operator.queues()).isEmpty();
    assertThat(operator.tasks()).isEmpty();
  }

  @Test
  void it_takes_neither_queues_nor_tasks() {
    assertThatExceptionOfType(RunlaneException.class)
        .isThrownBy(() -> builder().operatorOnly().queue(DEFAULT).build())
        .satisfies(
            refused -> assertThat(refused.code()).isEqualTo(ErrorCode.CONFIGURATION_INVALID));
    assertThatExceptionOfType(RunlaneException.class)
        .isThrownBy(() -> builder().operatorOnly().task(task).build());
    assertThatExceptionOfType(RunlaneException.class).isThrownBy(() -> builder().build());
  }

  @Test
  void it_claims_and_publishes_nothing() {
    assertFails(ErrorCode.CONFIGURATION_INVALID, operator.executeNext());
    assertFails(ErrorCode.CONFIGURATION_INVALID, operator.worker(new WorkerOptions()));
    assertFails(ErrorCode.CONFIGURATION_INVALID, operator.tick());
    assertFails(ErrorCode.CONFIGURATION_INVALID, operator.tick(new TickOptions()));
    assertFails(ErrorCode.TASK_NOT_FOUND, operator.runNow(task, 1));
    assertThatExceptionOfType(RunlaneException.class)
        .isThrownBy(() -> operator.deliveryWorker(new WorkerOptions()));
  }

  @Test
  void it_explains_a_run_by_what_living_processes_have_published() {
    done(worker.worker(new WorkerOptions().setQueues(List.of("one"))));
    fleet.settle();
    RunRecord run = done(worker.trigger(
            task, 1, new TriggerOptions().setDelay(Duration.ofSeconds(70))))
        .run();
    assertThat(reasons(run.id())).doesNotContain(Code.NO_QUEUE, Code.NO_TASK);

    workersFaults.kill();
    fleet.pass(Duration.ofMinutes(2));

    assertThat(reasons(run.id())).contains(Code.NO_QUEUE).doesNotContain(Code.NO_TASK);
    assertThat(done(operator.runs().explain(run.id())).text())
        .contains("No process with queue one has been seen: none that lives has it.");
  }

  @Test
  void it_explains_that_no_worker_takes_a_queue_or_a_task_that_living_processes_have() {
    RunRecord run = done(worker.trigger(task, 1)).run();
    assertThat(reasons(run.id())).contains(Code.NO_QUEUE).doesNotContain(Code.NO_TASK);
    assertThat(done(operator.runs().explain(run.id())).text())
        .contains("No worker of queue one lives: processes have the queue, and none works on it.");

    done(worker.worker(new WorkerOptions().setQueues(List.of("default"))));
    fleet.pass(Duration.ofSeconds(6));
    assertThat(reasons(run.id())).contains(Code.NO_QUEUE);

    Task<Integer> other = Task.define("other", Integer.class)
        .queue(ONE)
        .handler((number, context) -> Future.succeededFuture(TaskResult.done()));
    done(fleet
        .process(new RunlaneOptions(), List.of(DEFAULT, ONE), other)
        .worker(new WorkerOptions()));
    fleet.pass(Duration.ofSeconds(6));
    assertThat(reasons(run.id())).contains(Code.NO_TASK).doesNotContain(Code.NO_QUEUE);

    done(worker.worker(new WorkerOptions().setQueues(List.of("one"))));
    fleet.pass(Duration.ofSeconds(6));
    assertThat(done(operator.runs().get(run.id())).orElseThrow().status())
        .isEqualTo(RunStatus.SUCCEEDED);
  }

  @Test
  void it_sees_that_a_partition_is_full_by_the_limit_that_processes_published() {
    Task<Integer> held = Task.define("held", Integer.class)
        .queue(ONE)
        .handler((number, context) -> Promise.<TaskResult>promise().future());
    Runlane other = fleet.process(new RunlaneOptions(), List.of(DEFAULT, ONE), held);
    String holder = done(other.trigger(held, 1)).run().id();
    other.executeNext();
    String waiting = done(other.trigger(held, 2)).run().id();

    Reason full = done(operator.runs().explain(waiting)).reasons().stream()
        .filter(each -> each.code() == Code.PARTITION_FULL)
        .findFirst()
        .orElseThrow();

    assertThat(full.details()).containsEntry("holders", holder).containsEntry("limit", "1");
  }

  @Test
  void a_failed_run_is_retried_with_the_queue_the_limit_and_the_keys_it_had() {
    RunRecord failed = ended(-1);
    assertThat(failed.status()).isEqualTo(RunStatus.FAILED);

    RunRecord child =
        done(operator.runs().retry(failed.id(), ADA.setReason("mended"))).run();

    assertThat(child.queue()).isEqualTo("one");
    assertThat(child.payload()).isEqualTo(failed.payload());
    assertThat(child.keys()).isEqualTo(failed.keys().withoutIdempotencyKey());
    assertThat(child.source()).isEqualTo(RunSource.manualRetry(failed.id()));
    assertThat(fleet.types(operator, child.id()))
        .as("a bounded queue reserves first, so nothing is delivered yet")
        .containsExactly("run.created");
  }

  @Test
  void a_run_of_a_queue_that_nobody_has_any_more_is_made_again_with_a_wakeup() {
    RunRecord failed = ended(-1);
    workersFaults.kill();
    fleet.pass(Duration.ofMinutes(2));

    RunRecord child = done(operator.runs().rerun(failed.id(), ADA)).run();

    assertThat(child.queue()).isEqualTo("one");
    assertThat(fleet.types(operator, child.id()))
        .containsExactly("run.created", "run.delivery_requested");
  }

  @Test
  void a_run_is_cancelled() {
    RunRecord run = done(worker.trigger(task, 1)).run();

    assertThat(done(operator.runs().cancel(run.id(), ADA)).status()).isEqualTo(RunStatus.CANCELLED);
  }

  @Test
  void a_task_is_triggered_with_the_keys_of_the_options_and_its_wakeup_is_left_to_others() {
    TriggerOptions options = new TriggerOptions()
        .setQueue(TaskQueue.of("default"))
        .setIdempotencyKey("key")
        .setSingletonKey("single");

    RunRecord run =
        done(operator.triggerJson("elsewhere", "{\"a\":1}", options)).run();

    assertThat(run.taskId()).isEqualTo("elsewhere");
    assertThat(run.keys().idempotencyKey()).isEqualTo("key");
    assertThat(run.keys().singletonKey()).isEqualTo("single");
    assertThat(done(operator.triggerJson("elsewhere", "{\"a\":1}", options)).outcome())
        .isEqualTo(TriggerOutcome.IDEMPOTENT_EXISTING);
    fleet.settle();
    assertThat(done(fleet
            .storage
            .outbox()
            .orElseThrow()
            .outboxMessagesOf(new GetRun(run.environment(), run.id()))))
        .extracting(message -> message.status().value())
        .containsExactly("pending");
  }

  @Test
  void a_trigger_needs_a_queue_that_a_living_process_has_and_a_payload_that_is_json() {
    TriggerOptions nowhere = new TriggerOptions().setQueue(TaskQueue.of("nowhere"));
    TriggerOptions here = new TriggerOptions().setQueue(TaskQueue.of("default"));

    assertFails(ErrorCode.VALIDATION_FAILED, operator.triggerJson("task", "1", nowhere));
    assertFails(
        ErrorCode.VALIDATION_FAILED, operator.triggerJson("task", "1", new TriggerOptions()));
    assertFails(ErrorCode.VALIDATION_FAILED, operator.triggerJson("task", "{", here));
    assertFails(ErrorCode.VALIDATION_FAILED, operator.triggerJson("a:b", "1", here));
    assertFails(ErrorCode.TASK_NOT_FOUND, operator.trigger(task, 1));
  }
}
