package dev.runlane.runtime.worker;

import static dev.runlane.runtime.Fleet.done;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunStatus;
import dev.runlane.runtime.Faults;
import dev.runlane.runtime.Fleet;
import dev.runlane.runtime.Forgery;
import dev.runlane.runtime.Runlane;
import dev.runlane.runtime.host.DispatchMode;
import dev.runlane.runtime.host.RunlaneOptions;
import dev.runlane.runtime.task.RetryPolicy;
import dev.runlane.runtime.task.Task;
import dev.runlane.runtime.task.TaskQueue;
import dev.runlane.runtime.task.TaskResult;
import dev.runlane.runtime.task.TriggerOptions;
import dev.runlane.runtime.task.TriggerResult;
import dev.runlane.transport.DeliveryMessage;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class WorkerTest {
  private final Fleet fleet = new Fleet();
  private final List<Promise<TaskResult>> handlers = new ArrayList<>();
  private final Task<Integer> quick = Task.define("quick", Integer.class)
      .handler((number, context) -> Future.succeededFuture(TaskResult.done()));
  private final Task<Integer> slow = Task.define("slow", Integer.class)
      .handler((number, context) -> {
        Promise<TaskResult> handler = Promise.promise();
        handlers.add(handler);
        return context.untilSignalled(handler.future());
      });

  private static List<Integer> numbers(int count) {
    return IntStream.range(0, count).boxed().toList();
  }

  private static WorkerOptions slots(int concurrency) {
    return new WorkerOptions().setConcurrency(concurrency);
  }

  private long withStatus(Runlane runlane, List<TriggerResult> results, RunStatus status) {
    return results.stream()
        .filter(result -> fleet.run(runlane, result.run().id()).status() == status)
        .count();
  }

  @Test
  void a_backlog_is_claimed_in_batches_as_large_as_the_free_slots() {
    Runlane runlane = fleet.process(quick);
    List<TriggerResult> runs =
        done(runlane.triggerAll(quick, numbers(1_000), new TriggerOptions()));
    done(runlane.worker(slots(50)));

    fleet.pass(Duration.ofSeconds(1));

    assertThat(withStatus(runlane, runs, RunStatus.SUCCEEDED)).isEqualTo(1_000);
    assertThat(fleet.faults.calls("claimRuns")).isBetween(20, 22);
  }

  @Test
  void without_a_batch_side_the_same_work_is_done_one_claim_a_run() {
    Faults faults = new Faults(fleet.storage).withoutBatch();
    Runlane runlane = fleet.process(
        faults.storage(),
        new RunlaneOptions(),
        List.of(TaskQueue.of("default").asDefault()),
        quick);
    List<TriggerResult> runs = done(runlane.triggerAll(quick, numbers(200), new TriggerOptions()));
    done(runlane.worker(slots(10)));

    fleet.pass(Duration.ofSeconds(5));

    assertThat(withStatus(runlane, runs, RunStatus.SUCCEEDED)).isEqualTo(200);
    assertThat(faults.calls("claimRunLease")).isEqualTo(200);
  }

  @Test
  void no_more_attempts_run_than_there_are_slots() {
    Runlane runlane = fleet.process(slow);
    done(runlane.triggerAll(slow, numbers(10), new TriggerOptions()));
    done(runlane.worker(slots(4)));

    fleet.settle();
    assertThat(handlers).hasSize(4);

    handlers.get(0).complete(TaskResult.done());
    fleet.settle();
    assertThat(handlers).hasSize(5);
  }

  @Test
  void a_trigger_of_the_same_process_is_run_at_once() {
    Runlane runlane = fleet.process(quick);
    done(runlane.worker(new WorkerOptions()));
    fleet.settle();

    TriggerResult triggered = done(runlane.trigger(quick, 1));
    fleet.settle();

    assertThat(fleet.run(runlane, triggered.run().id()).status()).isEqualTo(RunStatus.SUCCEEDED);
  }

  @Test
  void a_wakeup_of_another_process_is_a_hint_to_look() {
    Runlane worker = fleet.process(quick);
    done(worker.worker(new WorkerOptions()));
    fleet.settle();
    Runlane producer = fleet.process(quick);

    TriggerResult triggered = done(producer.trigger(quick, 1));
    fleet.settle();

    assertThat(fleet.run(worker, triggered.run().id()).status()).isEqualTo(RunStatus.SUCCEEDED);
  }

  @Test
  void a_run_whose_wakeup_was_lost_is_found_by_the_safety_net() {
    Runlane worker = fleet.process(quick);
    done(worker.worker(new WorkerOptions()));
    fleet.settle();
    Runlane producer = fleet.process(quick);
    TriggerResult triggered =
        done(producer.trigger(quick, 1, new TriggerOptions().setDispatch(DispatchMode.DEFERRED)));

    fleet.pass(Duration.ofSeconds(20));
    assertThat(fleet.run(worker, triggered.run().id()).status()).isEqualTo(RunStatus.QUEUED);
    fleet.pass(Duration.ofSeconds(15));
    assertThat(fleet.run(worker, triggered.run().id()).status()).isEqualTo(RunStatus.SUCCEEDED);
  }

  @Test
  void a_wakeup_of_a_publisher_whose_clock_is_ahead_is_looked_at_again_when_its_run_is_due() {
    Runlane worker = fleet.process(quick);
    done(worker.worker(new WorkerOptions()));
    fleet.settle();
    Runlane producer = fleet.process(quick);
    fleet.clock.advance(Duration.ofSeconds(2));
    TriggerResult triggered =
        done(producer.trigger(quick, 1, new TriggerOptions().setDispatch(DispatchMode.DEFERRED)));
    RunRecord ahead = triggered.run();
    fleet.clock.advance(Duration.ofSeconds(-2));

    new Wakeups(worker.context())
        .onWakeups(List.of(new DeliveryMessage(
            ahead.environment(), ahead.id(), ahead.queue(), ahead.createdAt(), null)));

    fleet.pass(Duration.ofSeconds(1));
    assertThat(fleet.run(worker, triggered.run().id()).status()).isEqualTo(RunStatus.QUEUED);
    fleet.pass(Duration.ofSeconds(2));

    assertThat(fleet.run(worker, triggered.run().id()).status()).isEqualTo(RunStatus.SUCCEEDED);
  }

  @Test
  void a_worker_looks_at_everything_once_when_wakeups_may_have_been_lost() {
    Runlane worker = fleet.process(quick);
    done(worker.worker(new WorkerOptions()));
    fleet.settle();
    Runlane producer = fleet.process(quick);
    TriggerResult triggered =
        done(producer.trigger(quick, 1, new TriggerOptions().setDispatch(DispatchMode.DEFERRED)));
    fleet.settle();

    new Wakeups(worker.context()).onPossibleLoss();
    fleet.settle();

    assertThat(fleet.run(worker, triggered.run().id()).status()).isEqualTo(RunStatus.SUCCEEDED);
  }

  @Test
  void a_claim_the_reducer_does_not_agree_with_is_left_to_its_lease() {
    Runlane runlane = fleet.process(
        new Forgery(fleet.storage).storage(),
        new RunlaneOptions(),
        List.of(TaskQueue.of("default").asDefault()),
        slow);
    TriggerResult triggered = done(runlane.trigger(slow, 1));
    done(runlane.worker(new WorkerOptions()));

    fleet.settle();

    assertThat(handlers).isEmpty();
    assertThat(fleet.run(runlane, triggered.run().id()).status()).isEqualTo(RunStatus.RUNNING);
    assertThat(runlane.engine().leases().isEmpty()).isTrue();
  }

  @Test
  void work_that_comes_during_a_scan_is_looked_for_right_after_it() {
    Runlane runlane = fleet.process(quick);
    Promise<Void> reply = fleet.faults.hold("claimRuns");
    done(runlane.worker(new WorkerOptions()));
    fleet.settle();
    TriggerResult triggered = done(runlane.trigger(quick, 1));
    fleet.settle();
    assertThat(fleet.faults.calls("claimRuns")).isEqualTo(1);

    reply.complete();
    fleet.settle();

    assertThat(fleet.run(runlane, triggered.run().id()).status()).isEqualTo(RunStatus.SUCCEEDED);
  }

  @Test
  void slots_take_the_next_runs_while_outcomes_are_being_stored_but_only_as_many_again() {
    Runlane runlane = fleet.process(slow);
    done(runlane.triggerAll(slow, numbers(12), new TriggerOptions()));
    done(runlane.worker(slots(4)));
    fleet.settle();
    List<Promise<Void>> replies = new ArrayList<>();
    for (int outcome = 0; outcome < 8; outcome++) {
      replies.add(fleet.faults.hold("appendRunEvents"));
    }

    handlers.subList(0, 4).forEach(handler -> handler.complete(TaskResult.done()));
    fleet.settle();
    assertThat(handlers).as("slots are free again").hasSize(8);
    handlers.subList(4, 8).forEach(handler -> handler.complete(TaskResult.done()));
    fleet.settle();
    assertThat(handlers).as("eight outcomes are not stored yet").hasSize(8);
    assertThat(runlane.engine().leases().isEmpty()).isFalse();

    replies.forEach(Promise::complete);
    fleet.settle();

    assertThat(handlers).hasSize(12);
  }

  @Test
  void a_free_slot_of_a_busy_worker_waits_a_little_for_others_and_one_claim_fills_them() {
    Runlane runlane = fleet.process(slow);
    done(runlane.triggerAll(slow, numbers(16), new TriggerOptions()));
    done(runlane.worker(slots(8)));
    fleet.settle();
    assertThat(fleet.faults.calls("claimRuns")).isEqualTo(1);

    handlers.get(0).complete(TaskResult.done());
    fleet.pass(Duration.ofMillis(3));
    assertThat(handlers).as("one slot of eight is free").hasSize(8);
    handlers.get(1).complete(TaskResult.done());
    fleet.settle();
    assertThat(handlers).as("a quarter of the slots is free").hasSize(10);
    assertThat(fleet.faults.calls("claimRuns")).isEqualTo(2);

    handlers.get(2).complete(TaskResult.done());
    fleet.pass(Duration.ofMillis(6));
    assertThat(handlers).as("no other slot became free").hasSize(11);
    assertThat(fleet.faults.calls("claimRuns")).isEqualTo(3);
  }

  @Test
  void a_worker_goes_on_after_an_outage() {
    Runlane runlane = fleet.process(quick);
    fleet.faults.fail("claimRuns");
    fleet.faults.fail("claimRuns");
    TriggerResult triggered = done(runlane.trigger(quick, 1));
    done(runlane.worker(new WorkerOptions()));

    fleet.pass(Duration.ofSeconds(10));

    assertThat(fleet.run(runlane, triggered.run().id()).status()).isEqualTo(RunStatus.SUCCEEDED);
  }

  @Test
  void a_draining_worker_closes_when_nothing_is_due_any_more() {
    Runlane runlane = fleet.process(quick);
    List<TriggerResult> runs = done(runlane.triggerAll(quick, numbers(100), new TriggerOptions()));
    WorkerHandle worker = done(runlane.worker(slots(7).setMode(WorkerMode.DRAIN)));

    fleet.pass(Duration.ofSeconds(2));

    done(worker.closed());
    assertThat(withStatus(runlane, runs, RunStatus.SUCCEEDED)).isEqualTo(100);
  }

  @Test
  void stopping_hands_runs_back_to_be_resumed_at_once() {
    Runlane runlane = fleet.process(slow);
    TriggerResult triggered = done(runlane.trigger(slow, 1));
    WorkerHandle worker = done(runlane.worker(new WorkerOptions()));
    fleet.settle();

    Future<Void> stopped = worker.stop();
    fleet.settle();

    done(stopped);
    RunRecord run = fleet.run(runlane, triggered.run().id());
    assertThat(run.status()).isEqualTo(RunStatus.QUEUED);
    assertThat(fleet.types(runlane, run.id())).endsWith("run.released", "run.delivery_requested");
    assertThat(run.counters().failures()).isZero();

    done(runlane.worker(new WorkerOptions()));
    fleet.settle();
    handlers.get(1).complete(TaskResult.done());
    fleet.settle();
    assertThat(fleet.run(runlane, run.id()).status()).isEqualTo(RunStatus.SUCCEEDED);
  }

  @Test
  void an_attempt_that_ignores_the_stop_keeps_its_lease_until_expiry() {
    Promise<TaskResult> late = Promise.promise();
    Task<Integer> deaf =
        Task.define("deaf", Integer.class).handler((number, context) -> late.future());
    Runlane runlane = fleet.process(deaf);
    TriggerResult triggered = done(runlane.trigger(deaf, 1));
    WorkerHandle worker =
        done(runlane.worker(new WorkerOptions().setDrainTimeout(Duration.ofSeconds(3))));
    fleet.settle();

    Future<Void> stopped = worker.stop();
    fleet.pass(Duration.ofSeconds(2));
    assertThat(stopped.isComplete()).isFalse();
    fleet.pass(Duration.ofSeconds(1));
    done(stopped);

    late.complete(TaskResult.done());
    fleet.settle();
    RunRecord run = fleet.run(runlane, triggered.run().id());
    assertThat(run.status()).isEqualTo(RunStatus.RUNNING);
    assertThat(run.lease().expiresAt()).isBefore(Fleet.NOON.plusSeconds(31));
  }

  @Test
  void a_retry_of_the_own_process_starts_when_it_is_due_without_any_dispatcher() {
    List<Integer> attempts = new ArrayList<>();
    Task<Integer> flaky = Task.define("flaky", Integer.class)
        .retry(RetryPolicy.attempts(3).fixedDelay(Duration.ofSeconds(2)))
        .handler((number, context) -> {
          attempts.add(context.attempt());
          return context.attempt() < 3
              ? Future.failedFuture(new IllegalStateException("not yet"))
              : Future.succeededFuture(TaskResult.done());
        });
    Runlane runlane = fleet.process(flaky);
    TriggerResult triggered = done(runlane.trigger(flaky, 1));
    done(runlane.worker(new WorkerOptions()));

    fleet.pass(Duration.ofSeconds(5));

    assertThat(attempts).containsExactly(1, 2, 3);
    assertThat(fleet.run(runlane, triggered.run().id()).status()).isEqualTo(RunStatus.SUCCEEDED);
  }

  @Test
  void a_bounded_queue_never_runs_more_than_its_limit_and_never_waits_for_a_poll() {
    TaskQueue payments = TaskQueue.of("payments").concurrencyLimit(2);
    List<Promise<TaskResult>> open = new ArrayList<>();
    Task<Integer> pay = Task.define("pay", Integer.class).queue(payments).handler((n, context) -> {
      Promise<TaskResult> handler = Promise.promise();
      open.add(handler);
      return handler.future();
    });
    Runlane runlane = fleet.process(new RunlaneOptions(), List.of(payments), pay);
    done(runlane.triggerAll(pay, numbers(6), new TriggerOptions()));
    done(runlane.worker(new WorkerOptions()));

    for (int finished = 0; finished < 6; finished++) {
      fleet.settle();
      assertThat(open).hasSize(Math.min(6, finished + 2));
      open.get(finished).complete(TaskResult.done());
    }
  }

  @Test
  void a_worker_serves_only_its_queues_and_refuses_unknown_ones() {
    TaskQueue one = TaskQueue.of("one").asDefault();
    TaskQueue two = TaskQueue.of("two");
    Runlane runlane = fleet.process(new RunlaneOptions(), List.of(one, two), quick);
    TriggerResult inOne = done(runlane.trigger(quick, 1));
    TriggerResult inTwo = done(runlane.trigger(quick, 2, new TriggerOptions().setQueue(two)));
    done(runlane.worker(new WorkerOptions().setQueues(List.of("two"))));

    fleet.pass(Duration.ofMinutes(1));

    assertThat(fleet.run(runlane, inOne.run().id()).status()).isEqualTo(RunStatus.QUEUED);
    assertThat(fleet.run(runlane, inTwo.run().id()).status()).isEqualTo(RunStatus.SUCCEEDED);
    Fleet.assertFails(
        ErrorCode.CONFIGURATION_INVALID,
        runlane.worker(new WorkerOptions().setQueues(List.of("three"))));
  }
}
