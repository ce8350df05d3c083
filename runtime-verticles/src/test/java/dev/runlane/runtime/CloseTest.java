package dev.runlane.runtime;

import static dev.runlane.runtime.Fleet.assertFails;
import static dev.runlane.runtime.Fleet.done;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.lane.Lane;
import dev.runlane.lane.Lanes;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunStatus;
import dev.runlane.runtime.attempt.Attempt;
import dev.runlane.runtime.host.DispatchMode;
import dev.runlane.runtime.host.RunlaneOptions;
import dev.runlane.runtime.host.RuntimeHost;
import dev.runlane.runtime.maintenance.Dispatcher;
import dev.runlane.runtime.maintenance.DispatcherOptions;
import dev.runlane.runtime.sweep.RoleLoop;
import dev.runlane.runtime.task.Task;
import dev.runlane.runtime.task.TaskQueue;
import dev.runlane.runtime.task.TaskResult;
import dev.runlane.runtime.task.TriggerOptions;
import dev.runlane.runtime.worker.WorkerHandle;
import dev.runlane.runtime.worker.WorkerOptions;
import dev.runlane.storage.ForwardingStorageAdapter;
import dev.runlane.storage.StorageAdapter;
import dev.runlane.storage.StorageClock;
import dev.runlane.storage.outbox.ClaimOutboxMessages;
import dev.runlane.storage.outbox.ClaimedOutboxMessage;
import dev.runlane.testinfra.process.CapturedErrors;
import dev.runlane.transport.ForwardingTransportAdapter;
import dev.runlane.transport.TransportAdapter;
import dev.runlane.transport.WakeupSource;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** The close of a runtime: everything within one timeout, and what is not done by then is given up. */
@Isolated
class CloseTest {
  private static final Duration CLOSE_TIMEOUT = RunlaneOptions.DEFAULT_CLOSE_TIMEOUT;
  private static final Duration PROMISED = CLOSE_TIMEOUT.plusSeconds(2);

  private final Fleet fleet = new Fleet();
  private final List<Promise<TaskResult>> handlers = new ArrayList<>();
  private final Task<String> task = Task.define("task", String.class)
      .handler((payload, context) -> {
        Promise<TaskResult> handler = Promise.promise();
        handlers.add(handler);
        return handler.future();
      });

  private String begin(Runlane runlane, WorkerOptions worker) {
    String runId = done(runlane.trigger(task, "x")).run().id();
    done(runlane.worker(worker));
    fleet.settle();
    assertThat(handlers).hasSize(1);
    return runId;
  }

  private Runlane process(StorageAdapter storage) {
    return process(Lanes.create(storage, fleet.transport));
  }

  private Runlane process(Lane lane) {
    Runlane runlane = Runlane.builder(RuntimeHost.singleThread(fleet.timers), lane)
        .clock(fleet.clock)
        .queue(TaskQueue.of("default").asDefault())
        .task(task)
        .build();
    done(runlane.start());
    return runlane;
  }

  private static String logOf(Runnable action) {
    LogLevels levels = LogLevels.warningsOf(List.of(Attempt.class));
    try (CapturedErrors captured = CapturedErrors.begin()) {
      action.run();
      return captured.text();
    } finally {
      levels.close();
    }
  }

  @Test
  void a_runtime_that_is_closed_while_it_starts_begins_nothing_afterwards() {
    Promise<Instant> clock = Promise.promise();
    StorageAdapter slow = new ForwardingStorageAdapter(fleet.storage) {
      @Override
      public Optional<StorageClock> clock() {
        return Optional.of(clock::future);
      }
    };
    Runlane runlane = Runlane.builder(
            RuntimeHost.singleThread(fleet.timers), Lanes.create(slow, fleet.transport))
        .clock(fleet.clock)
        .queue(TaskQueue.of("default").asDefault())
        .task(task)
        .build();

    Future<Void> started = runlane.start();
    fleet.settle();
    Future<Void> closed = runlane.close();
    clock.complete(fleet.clock.now());
    fleet.pass(PROMISED);

    assertFails(ErrorCode.OPERATION_CANCELLED, started);
    done(closed);
    assertThat(fleet.timers.pending()).isZero();
  }

  @Test
  void an_outcome_that_cannot_be_stored_is_given_up_with_a_line_and_the_attempt_is_made_again() {
    Runlane runlane = fleet.process(task);
    Faults silent = fleet.faults;
    String runId = begin(runlane, new WorkerOptions());
    silent.failForEver("appendRunEvents");
    handlers.get(0).complete(TaskResult.done());
    fleet.settle();

    Future<Void> closed = runlane.close();
    fleet.pass(CLOSE_TIMEOUT.minusMillis(100));
    assertThat(closed.isComplete()).as("it is still offered").isFalse();
    String log = logOf(() -> fleet.pass(Duration.ofSeconds(2)));

    done(closed);
    assertThat(log.lines())
        .singleElement()
        .asString()
        .contains("outcome of attempt 1 of run " + runId, "will be made again");
    int offered = silent.calls("appendRunEvents");
    Runlane other = fleet.process(task);
    fleet.pass(RunlaneOptions.DEFAULT_LEASE_DURATION);
    done(other.worker(new WorkerOptions()));
    fleet.settle();
    assertThat(handlers).hasSize(2);
    assertThat(silent.calls("appendRunEvents"))
        .as("nothing is offered any more")
        .isEqualTo(offered);
  }

  @Test
  void an_outcome_that_can_be_stored_meanwhile_is_stored() {
    Runlane runlane = fleet.process(task);
    String runId = begin(runlane, new WorkerOptions());
    fleet.faults.fail("appendRunEvents", 3);
    handlers.get(0).complete(TaskResult.done());

    Future<Void> closed = runlane.close();
    fleet.pass(PROMISED);

    done(closed);
    assertThat(fleet.run(fleet.process(task), runId).status()).isEqualTo(RunStatus.SUCCEEDED);
  }

  @Test
  void a_storage_that_answers_nothing_any_more_does_not_hold_it_up() {
    Runlane runlane = fleet.process(task);
    begin(runlane, new WorkerOptions().setDrainTimeout(Duration.ofMinutes(5)));
    done(runlane.worker(new WorkerOptions()));
    fleet.faults.kill();
    handlers.get(0).complete(TaskResult.done());

    Future<Void> closed = runlane.close();
    fleet.pass(PROMISED);

    assertThat(closed.isComplete()).isTrue();
  }

  @Test
  void a_handler_that_ignores_its_signal_has_the_close_timeout_even_if_its_worker_grants_more() {
    Runlane runlane = fleet.process(task);
    String runId = begin(runlane, new WorkerOptions().setDrainTimeout(Duration.ofMinutes(5)));

    Future<Void> closed = runlane.close();
    fleet.pass(CLOSE_TIMEOUT.minusMillis(100));
    assertThat(closed.isComplete()).isFalse();
    String log = logOf(() -> fleet.pass(Duration.ofSeconds(2)));

    done(closed);
    assertThat(log).as("it has no outcome that could be lost").isEmpty();
    assertThat(fleet.run(fleet.process(task), runId).status()).isEqualTo(RunStatus.RUNNING);
  }

  @Test
  void a_lane_that_does_not_close_fails_it_in_time() {
    StorageAdapter stuck = new ForwardingStorageAdapter(fleet.storage) {
      @Override
      public Future<Void> close() {
        return Promise.<Void>promise().future();
      }
    };
    Runlane runlane = process(stuck);

    Future<Void> closed = runlane.close();
    fleet.pass(PROMISED);

    assertFails(ErrorCode.OPERATION_CANCELLED, closed);
  }

  @Test
  void a_lane_that_gives_its_connections_up_after_a_second_closes_in_time_behind_late_roles() {
    StorageAdapter slow = new ForwardingStorageAdapter(fleet.storage) {
      @Override
      public Future<Void> close() {
        Promise<Void> givenUp = Promise.promise();
        fleet.timers.schedule(Duration.ofMillis(1_200), givenUp::complete);
        return givenUp.future();
      }
    };
    Runlane runlane = process(slow);
    begin(runlane, new WorkerOptions().setDrainTimeout(Duration.ofMinutes(5)));

    Future<Void> closed = runlane.close();
    fleet.pass(PROMISED);

    done(closed);
  }

  @Test
  void a_sweep_under_way_is_not_waited_for_any_longer() {
    Runlane runlane = fleet.process(task);
    fleet.faults.hang("listRunsNeedingDelivery");
    RoleLoop dispatcher = new RoleLoop(
        runlane.context(),
        "dispatcher",
        new Dispatcher(runlane.context(), new DispatcherOptions()),
        new DispatcherOptions().setDrainTimeout(Duration.ofMinutes(1)),
        Runnable::run);
    dispatcher.start();
    fleet.settle();
    begin(runlane, new WorkerOptions());

    Future<Void> stopped = dispatcher.stop();
    runlane.close();
    fleet.pass(PROMISED);

    done(stopped);
  }

  @Test
  void a_pass_under_way_is_waited_for_and_leaves_no_message_claimed() {
    Promise<Void> answered = Promise.promise();
    Runlane runlane = process(new ForwardingStorageAdapter(fleet.storage) {
      @Override
      public Future<List<ClaimedOutboxMessage>> claimOutboxMessages(ClaimOutboxMessages command) {
        return super.claimOutboxMessages(command)
            .compose(claimed -> answered.future().map(claimed));
      }
    });
    TriggerOptions deferred = new TriggerOptions().setDispatch(DispatchMode.DEFERRED);
    done(runlane.trigger(task, "x", deferred));
    Future<TickResult> pass = runlane.tick();
    fleet.settle();

    Future<Void> closed = runlane.close();
    fleet.settle();
    assertThat(closed.isComplete()).isFalse();
    answered.complete();
    fleet.settle();

    done(closed);
    assertThat(done(pass).wakeupsPublished()).isEqualTo(1);
  }

  @Test
  void a_pass_that_does_not_end_does_not_hold_it_up() {
    Runlane runlane = fleet.process(task);
    fleet.faults.hang("listRunsNeedingDelivery");
    runlane.tick();
    fleet.settle();

    Future<Void> closed = runlane.close();
    fleet.pass(PROMISED);

    done(closed);
  }

  @Test
  void a_worker_that_hears_of_work_only_once_the_runtime_is_closed_does_not_begin() {
    Promise<Void> reached = Promise.promise();
    AtomicInteger subscriptions = new AtomicInteger();
    TransportAdapter slow = new ForwardingTransportAdapter(fleet.transport) {
      @Override
      public Optional<WakeupSource> wakeups() {
        return Optional.of((environment, listener) -> reached.future().map(open -> {
          subscriptions.incrementAndGet();
          return () -> {
            subscriptions.decrementAndGet();
            return Future.succeededFuture();
          };
        }));
      }
    };
    Runlane runlane = process(Lanes.create(fleet.storage, slow));
    RunRecord run = done(runlane.trigger(task, "x")).run();
    Future<WorkerHandle> worker = runlane.worker(new WorkerOptions());

    Future<Void> closed = runlane.close();
    fleet.pass(PROMISED);
    done(closed);
    reached.complete();
    fleet.pass(Duration.ofMinutes(1));

    assertFails(ErrorCode.OPERATION_CANCELLED, worker);
    assertThat(subscriptions).as("open ones").hasValue(0);
    assertThat(handlers).isEmpty();
    assertFails(ErrorCode.OPERATION_CANCELLED, runlane.worker(new WorkerOptions()));
    assertFails(
        ErrorCode.OPERATION_CANCELLED,
        runlane.deliveryWorker(new WorkerOptions()).executeDelivery(Fleet.wakeup(run)));
    assertThat(handlers).isEmpty();
  }
}
