package dev.runlane.runtime;

import static dev.runlane.runtime.Fleet.done;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.run.RunStatus;
import dev.runlane.runtime.host.RunlaneOptions;
import dev.runlane.runtime.task.RunActionOptions;
import dev.runlane.runtime.task.SignalReason;
import dev.runlane.runtime.task.Task;
import dev.runlane.runtime.task.TaskContext;
import dev.runlane.runtime.task.TaskHandler;
import dev.runlane.runtime.task.TaskResult;
import dev.runlane.runtime.worker.WorkerHandle;
import dev.runlane.runtime.worker.WorkerOptions;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** When a handler is told that what it still does is wanted no more. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class UnwantedTest {
  private static final Duration MINUTE = Duration.ofMinutes(1);
  private static final Duration DAY = Duration.ofDays(1);

  private final Fleet fleet = new Fleet();
  private final List<TaskContext> contexts = new ArrayList<>();
  private final Promise<TaskResult> handler = Promise.promise();

  private Runlane runlane;
  private WorkerHandle worker;
  private String runId;

  private static Task.Definition<String> task() {
    return Task.define("task", String.class);
  }

  private Task<String> task(TaskHandler<String> handler) {
    return task().handler(noted(handler));
  }

  private TaskHandler<String> noted(TaskHandler<String> handler) {
    return (payload, context) -> {
      contexts.add(context);
      return handler.handle(payload, context);
    };
  }

  private Task<String> waiting() {
    return task((payload, context) -> handler.future());
  }

  private void start(Task<String> task) {
    work(task);
    runId = done(runlane.trigger(task, "x")).run().id();
    fleet.pass(Duration.ofMillis(200));
    assertThat(contexts).hasSize(1);
  }

  private void work(Task<String> task) {
    runlane = fleet.process(task);
    worker = done(runlane.worker(new WorkerOptions().setDrainTimeout(MINUTE)));
  }

  private boolean isUnwanted(int call) {
    return contexts.get(call).unwanted().isComplete();
  }

  @Test
  void a_handler_that_ends_its_attempt_is_told_nothing() {
    start(waiting());

    handler.complete(TaskResult.done());
    fleet.settle();

    assertThat(fleet.run(runlane, runId).status()).isEqualTo(RunStatus.SUCCEEDED);
    assertThat(isUnwanted(0)).isFalse();
  }

  @Test
  void a_handler_is_told_of_a_cancellation_that_comes_behind_another_signal() {
    start(waiting());
    Future<Void> stopped = worker.stop();
    fleet.settle();
    assertThat(done(contexts.get(0).signal())).isEqualTo(SignalReason.WORKER_STOPPING);
    assertThat(isUnwanted(0)).isFalse();

    done(runlane.runs().cancel(runId, new RunActionOptions()));
    fleet.settle();

    assertThat(stopped.isComplete()).isFalse();
    assertThat(isUnwanted(0)).isTrue();
  }

  @Test
  void a_handler_is_told_when_the_worker_that_stops_waits_no_longer() {
    start(waiting());
    Future<Void> stopped = worker.stop();
    fleet.pass(MINUTE.minusSeconds(1));
    assertThat(isUnwanted(0)).isFalse();

    fleet.pass(Duration.ofSeconds(2));

    assertThat(stopped.isComplete()).isTrue();
    assertThat(isUnwanted(0)).isTrue();
  }

  @Test
  void a_handler_is_told_when_its_attempt_has_timed_out_and_the_grace_is_over() {
    start(task().attemptTimeout(MINUTE).handler(noted((payload, context) -> handler.future())));
    fleet.pass(MINUTE);
    assertThat(done(contexts.get(0).signal())).isEqualTo(SignalReason.ATTEMPT_TIMEOUT);
    assertThat(isUnwanted(0)).isFalse();

    fleet.pass(RunlaneOptions.DEFAULT_ATTEMPT_TIMEOUT_GRACE);

    assertThat(fleet.run(runlane, runId).status()).isEqualTo(RunStatus.FAILED);
    assertThat(isUnwanted(0)).isTrue();
  }

  @Test
  void a_handler_is_told_when_the_lease_is_lost() {
    start(waiting());
    fleet.faults.hang("heartbeatRunLease");
    fleet.faults.fail("heartbeatRunLease", 1_000);

    fleet.pass(RunlaneOptions.DEFAULT_LEASE_DURATION);

    assertThat(isUnwanted(0)).isTrue();
  }

  @Test
  void a_handler_is_told_when_its_attempt_is_given_up_to_wait() {
    start(task((payload, context) -> context.sleep(DAY).compose(slept -> handler.future())));

    assertThat(isUnwanted(0)).isTrue();
    assertThat(contexts.get(0).suspended().isComplete()).isTrue();
  }

  @Test
  void a_handler_is_told_when_it_asks_for_other_steps_than_are_recorded() {
    start(task((payload, context) -> context
        .step("charge", Future::succeededFuture)
        .compose(done -> context.sleep(DAY))
        .map(TaskResult.done())));
    fleet.faults.kill();

    work(task((payload, context) ->
        context.step("refund", Future::succeededFuture).map(TaskResult.done())));
    fleet.pass(DAY.plusSeconds(90));

    assertThat(contexts).hasSizeGreaterThan(1);
    assertThat(isUnwanted(1)).isTrue();
    assertThat(contexts.get(1).suspended().isComplete()).isFalse();
  }
}
