package dev.runlane.runtime.worker;

import static dev.runlane.runtime.Fleet.done;
import static dev.runlane.runtime.Fleet.failed;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunStatus;
import dev.runlane.run.RunlaneException;
import dev.runlane.run.StorageConflictKind;
import dev.runlane.runtime.Fleet;
import dev.runlane.runtime.Runlane;
import dev.runlane.runtime.host.RunlaneOptions;
import dev.runlane.runtime.task.Task;
import dev.runlane.runtime.task.TaskQueue;
import dev.runlane.runtime.task.TaskResult;
import dev.runlane.runtime.task.TriggerOptions;
import dev.runlane.runtime.task.TriggerOutcome;
import dev.runlane.runtime.task.TriggerResult;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RunNowTest {
  private static final TaskQueue BOUNDED =
      TaskQueue.of("bounded").concurrencyLimit(1).asDefault();

  private final Fleet fleet = new Fleet();
  private final Promise<TaskResult> work = Promise.promise();
  private final Task<String> task = Task.define("now", String.class)
      .singletonKey(payload -> payload)
      .handler((payload, context) -> work.future());
  private final Runlane runlane = fleet.process(new RunlaneOptions(), List.of(BOUNDED), task);

  private static RunlaneException ownerConflict(String ownerRunId) {
    return RunlaneException.conflict(StorageConflictKind.SINGLETON_KEY, "owned by this test")
        .withMeta("ownerRunId", ownerRunId);
  }

  @Test
  void a_run_is_created_leased_and_started_in_one_step_and_run_here() {
    Future<TriggerResult> running = runlane.runNow(task, "a");
    fleet.settle();
    assertThat(running.isComplete()).isFalse();

    work.complete(TaskResult.done());

    TriggerResult result = done(running);
    assertThat(result.outcome()).isEqualTo(TriggerOutcome.CREATED);
    assertThat(result.run().status()).isEqualTo(RunStatus.SUCCEEDED);
    assertThat(fleet.types(runlane, result.run().id()))
        .containsExactly("run.created", "run.lease_claimed", "run.started", "run.succeeded");
    assertThat(fleet.faults.calls("appendRunEvents")).isEqualTo(2);
  }

  @Test
  void a_full_bounded_queue_refuses_with_a_retryable_conflict() {
    runlane.runNow(task, "a");

    Future<TriggerResult> second = runlane.runNow(task, "b");

    assertThat(failed(second).conflictKind()).contains(StorageConflictKind.QUEUE_CAPACITY);
    assertThat(failed(second).isRetryable()).isTrue();
  }

  @Test
  void the_owner_of_a_key_is_answered_without_being_run() {
    Future<TriggerResult> first = runlane.runNow(task, "a");
    fleet.settle();

    TriggerResult second = done(runlane.runNow(task, "a"));

    assertThat(second.outcome()).isEqualTo(TriggerOutcome.SINGLETON_EXISTING);
    work.complete(TaskResult.done());
    assertThat(second.run().id()).isEqualTo(done(first).run().id());
    assertThat(done(first).run().counters().attempts()).isEqualTo(1);
  }

  @Test
  void a_delay_is_refused() {
    assertThat(
            failed(runlane.runNow(task, "a", new TriggerOptions().setDelay(Duration.ofSeconds(1))))
                .code())
        .isEqualTo(ErrorCode.VALIDATION_FAILED);
  }

  @Test
  void closing_the_runtime_waits_for_the_attempt_within_a_bound() {
    Future<TriggerResult> running = runlane.runNow(task, "a");

    Future<Void> closed = runlane.close();
    fleet.pass(Duration.ofSeconds(9));
    assertThat(closed.isComplete()).isFalse();
    fleet.pass(Duration.ofSeconds(1));

    done(closed);
    assertThat(failed(running).conflictKind()).contains(StorageConflictKind.LEASE_OWNERSHIP);
  }

  @Test
  void a_run_whose_creation_is_answered_after_the_end_of_the_runtime_is_handed_back() {
    Promise<Void> reply = fleet.faults.hold("appendRunEvents");
    Future<TriggerResult> running = runlane.runNow(task, "a");
    Future<Void> closed = runlane.close();
    fleet.pass(Duration.ofSeconds(1));

    reply.complete();

    TriggerResult result = done(running);
    assertThat(result.outcome()).isEqualTo(TriggerOutcome.CREATED);
    assertThat(result.run().status()).isEqualTo(RunStatus.RELEASED);
    assertThat(result.run().counters().attempts()).isEqualTo(1);
    done(closed);
  }

  @Test
  void an_owner_that_is_gone_every_time_is_a_conflict_after_three_tries() {
    for (int call = 0; call < 10; call++) {
      fleet.faults.fail("appendRunEvents", ownerConflict("run_gone"));
    }

    Future<TriggerResult> running = runlane.runNow(task, "a");

    assertThat(failed(running).conflictKind()).contains(StorageConflictKind.SINGLETON_KEY);
    assertThat(fleet.faults.calls("appendRunEvents")).isEqualTo(3);
  }

  @Test
  void a_released_attempt_is_resumed_by_workers_later() {
    Future<TriggerResult> running = runlane.runNow(task, "a");
    work.complete(new TaskResult.Release(Duration.ofSeconds(5), "wait", Map.of()));

    TriggerResult result = done(running);
    assertThat(result.run().status()).isEqualTo(RunStatus.RELEASED);
    done(runlane.worker(new WorkerOptions().setPollInterval(Duration.ofSeconds(1))));
    fleet.pass(Duration.ofSeconds(7));
    assertThat(fleet.run(runlane, result.run().id()).counters().attempts()).isEqualTo(2);
  }
}
