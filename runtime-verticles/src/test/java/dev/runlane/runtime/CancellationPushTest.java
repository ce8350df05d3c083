package dev.runlane.runtime;

import static dev.runlane.runtime.Fleet.done;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.adapter.Subscription;
import dev.runlane.run.RunStatus;
import dev.runlane.runtime.host.RunlaneOptions;
import dev.runlane.runtime.task.RunActionOptions;
import dev.runlane.runtime.task.Task;
import dev.runlane.runtime.task.TaskContext;
import dev.runlane.runtime.task.TaskQueue;
import dev.runlane.runtime.task.TaskResult;
import dev.runlane.storage.CancellationSource;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** How a process learns of cancellations when its storage's notices fail it. */
class CancellationPushTest {
  private static final List<TaskQueue> QUEUES = List.of(TaskQueue.of("default").asDefault());

  private final Fleet fleet = new Fleet();
  private final List<TaskContext> contexts = new ArrayList<>();
  private final Task<String> task = Task.define("task", String.class)
      .handler((payload, context) -> {
        contexts.add(context);
        return context.untilSignalled(Promise.<TaskResult>promise().future());
      });
  private final Runlane other = fleet.process(task);
  private final Faults faults = new Faults(fleet.storage);

  private int subscriptions;

  private Runlane process(CancellationSource source) {
    faults.cancellations((environment, listener) -> {
      subscriptions++;
      return source.subscribe(environment, listener);
    });
    return fleet.process(faults.storage(), new RunlaneOptions(), QUEUES, task);
  }

  private String begin(Runlane runlane) {
    String runId = done(runlane.trigger(task, "x")).run().id();
    runlane.executeNext();
    return runId;
  }

  private RunStatus statusOf(String runId) {
    return fleet.run(other, runId).status();
  }

  private void assertOwnCancellationsAreHeardAtOnce(Runlane runlane) {
    String runId = begin(runlane);
    assertThat(statusOf(runId)).isEqualTo(RunStatus.RUNNING);

    done(runlane.runs().cancel(runId, new RunActionOptions()));

    assertThat(statusOf(runId)).isEqualTo(RunStatus.CANCELLED);
  }

  @Test
  void cancellations_of_the_own_process_are_heard_at_once_without_a_subscription() {
    assertOwnCancellationsAreHeardAtOnce(
        process((environment, listener) -> Future.failedFuture(Faults.outage())));
  }

  @Test
  void a_source_that_throws_keeps_no_attempt_from_beginning() {
    assertOwnCancellationsAreHeardAtOnce(process((environment, listener) -> {
      throw new IllegalStateException("broken by this test");
    }));
  }

  @Test
  void without_a_subscription_other_processes_are_heard_by_the_next_heartbeat() {
    Runlane runlane = process((environment, listener) -> Future.failedFuture(Faults.outage()));
    String runId = begin(runlane);

    done(other.runs().cancel(runId, new RunActionOptions()));
    fleet.settle();
    assertThat(contexts.get(0).isSignalled()).isFalse();
    fleet.pass(Duration.ofSeconds(12));

    assertThat(statusOf(runId)).isEqualTo(RunStatus.CANCELLED);
  }

  @Test
  void each_attempt_tries_to_subscribe_until_one_succeeded() {
    List<Future<Subscription>> answers = new ArrayList<>(List.of(
        Future.failedFuture(Faults.outage()),
        Future.failedFuture(Faults.outage()),
        Future.succeededFuture(Future::succeededFuture)));
    Runlane runlane = process((environment, listener) -> answers.remove(0));

    for (int attempt = 0; attempt < 5; attempt++) {
      begin(runlane);
    }

    assertThat(contexts).hasSize(5);
    assertThat(subscriptions).isEqualTo(3);
  }

  @Test
  void a_subscription_that_fails_later_is_replaced_by_the_next_attempt() {
    Promise<Subscription> first = Promise.promise();
    Runlane runlane = process((environment, listener) -> first.future());
    begin(runlane);
    begin(runlane);
    assertThat(subscriptions).as("one under way is enough").isEqualTo(1);

    first.fail(Faults.outage());
    begin(runlane);

    assertThat(subscriptions).isEqualTo(2);
  }

  @Test
  void the_runtime_closes_although_the_subscription_does_not_end() {
    Runlane runlane = process((environment, listener) ->
        Future.succeededFuture(() -> Future.failedFuture(Faults.outage())));
    String runId = begin(runlane);

    Future<Void> closed = runlane.close();
    fleet.pass(Duration.ofSeconds(1));

    done(closed);
    assertThat(statusOf(runId)).as("handed back").isEqualTo(RunStatus.QUEUED);
  }
}
