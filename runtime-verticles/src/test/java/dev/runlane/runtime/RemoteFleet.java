package dev.runlane.runtime;

import static dev.runlane.runtime.Fleet.done;

import dev.runlane.lane.Lanes;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.Json;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.host.RunlaneOptions;
import dev.runlane.runtime.host.RuntimeHost;
import dev.runlane.runtime.process.RemoteSteps;
import dev.runlane.runtime.process.RuntimeContext;
import dev.runlane.runtime.remote.StepDispatcher;
import dev.runlane.runtime.remote.StepDispatcherOptions;
import dev.runlane.runtime.remote.StepResultConsumer;
import dev.runlane.runtime.remote.StepResultVerticle;
import dev.runlane.runtime.sweep.RoleLoop;
import dev.runlane.runtime.task.Task;
import dev.runlane.runtime.task.TaskContext;
import dev.runlane.runtime.task.TaskQueue;
import dev.runlane.runtime.task.TaskResult;
import dev.runlane.runtime.worker.WorkerOptions;
import dev.runlane.steps.ForwardingStepTransport;
import dev.runlane.steps.StepSignals;
import dev.runlane.steps.StepTransport;
import dev.runlane.steps.delivery.StepDeliveryOptions;
import dev.runlane.steps.delivery.StepResultDelivery;
import dev.runlane.steps.result.RecordOutcome;
import dev.runlane.steps.result.RecordStepResults;
import dev.runlane.steps.result.StepError;
import dev.runlane.steps.result.StepOutcome;
import dev.runlane.steps.task.ClaimStepTasks;
import dev.runlane.steps.task.ClaimedStepTask;
import dev.runlane.steps.task.DispatchSteps;
import dev.runlane.steps.task.StepTask;
import dev.runlane.steps.task.WithdrawSteps;
import dev.runlane.storage.memory.MemoryStepTransport;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/** Processes and workers of steps on one storage and one step transport, in one thread and in virtual time. */
public final class RemoteFleet {
  public static final Duration LEASE = Duration.ofSeconds(30);

  public final Fleet fleet = new Fleet();
  public final MemoryStepTransport transport = new MemoryStepTransport();
  public boolean silent; // processes hear no signals of the transport
  public boolean withoutBatch; // the storage of processes
  public final Set<String> locked = new HashSet<>(); // steps whose tasks cannot be withdrawn
  public final StepDispatcherOptions dispatching = new StepDispatcherOptions();

  /** A started process without roles, in which no attempt waits without a slot. */
  public Runlane process(Task<?>... tasks) {
    return process(List.of(TaskQueue.of("default").asDefault()), tasks);
  }

  public Runlane process(Task<?> task, RunlaneOptions options) {
    return process(List.of(TaskQueue.of("default").asDefault()), options, task);
  }

  public Runlane process(List<TaskQueue> queues, Task<?>... tasks) {
    return process(queues, new RunlaneOptions().setStepWaitWithoutSlot(Duration.ZERO), tasks);
  }

  public Runlane process(List<TaskQueue> queues, RunlaneOptions options, Task<?>... tasks) {
    fleet.faults = new Faults(fleet.storage);
    if (withoutBatch) {
      fleet.faults.withoutBatch();
    }
    Runlane runlane = Runlane.builder(
            RuntimeHost.singleThread(fleet.timers),
            Lanes.create(fleet.faults.storage(), fleet.transport))
        .stepTransport(fleet.faults.steps(transportOfProcesses()))
        .clock(fleet.clock)
        .randomness(fleet.randomness)
        .queues(queues)
        .tasks(Arrays.asList(tasks))
        .options(options)
        .build();
    done(runlane.start());
    return runlane;
  }

  /** The process works, dispatches steps and takes their results. */
  public void work(Runlane process) {
    done(process.worker(new WorkerOptions()));
    dispatch(process);
    deliver(process);
  }

  public void dispatch(Runlane process) {
    RuntimeContext context = process.context();
    new RoleLoop(
            context,
            "step dispatcher",
            new StepDispatcher(context, dispatching),
            dispatching,
            context.host()::execute)
        .start();
  }

  public void deliver(Runlane process) {
    RuntimeContext context = process.context();
    RemoteSteps steps = context.remoteSteps().orElseThrow();
    StepResultDelivery delivery = new StepResultDelivery(
        steps.transport(),
        new StepResultConsumer(context, steps),
        "engine",
        new StepDeliveryOptions(),
        fleet.clock,
        fleet.timers);
    delivery.start();
    StepResultVerticle.pollAfterDispatches(context, delivery, context.host()::execute);
  }

  private StepTransport transportOfProcesses() {
    return new ForwardingStepTransport(transport) {
      @Override
      public Optional<StepSignals> signals() {
        return silent ? Optional.empty() : super.signals();
      }

      @Override
      public Future<Integer> withdrawSteps(WithdrawSteps command) {
        return Collections.disjoint(command.stepIds(), locked)
            ? super.withdrawSteps(command)
            : Future.failedFuture(RunlaneException.unavailable(
                ErrorCode.STORAGE_UNAVAILABLE, null, "a task is locked by this test"));
      }
    };
  }

  /** One sweep of a dispatcher that is not deployed. */
  public void sweep(Runlane process) {
    done(new StepDispatcher(process.context(), dispatching).sweepOnce());
  }

  /** The tasks of a group, leased to a worker. */
  public List<ClaimedStepTask> take(String group) {
    return done(transport.claimStepTasks(
        new ClaimStepTasks(List.of(group), "worker", fleet.clock.now(), LEASE, 100)));
  }

  /** The only task of a group, leased to a worker. */
  public ClaimedStepTask takeOne(String group) {
    List<ClaimedStepTask> taken = take(group);
    if (taken.size() != 1) {
      throw new AssertionError("group " + group + " has " + taken.size() + " tasks: " + taken);
    }
    return taken.get(0);
  }

  RecordOutcome answer(ClaimedStepTask task, StepOutcome outcome) {
    return done(transport.recordStepResults(new RecordStepResults(
            List.of(new RecordStepResults.Ended(task.claim(), outcome, fleet.clock.now())),
            fleet.clock.now())))
        .get(0);
  }

  public RecordOutcome complete(ClaimedStepTask task, String json) {
    return answer(task, new StepOutcome.Completed(Json.ofChecked(json)));
  }

  public RecordOutcome fail(ClaimedStepTask task, StepError error) {
    return answer(task, new StepOutcome.Failed(error));
  }

  /** Puts a task there that no engine knows of. */
  public void dispatchForeign(String runId, String name) {
    done(transport.dispatchSteps(
        new DispatchSteps(List.of(StepTask.first(runId, 0, name, null)), fleet.clock.now())));
  }

  public void pass(Duration time) {
    fleet.pass(time);
  }

  public RunRecord run(Runlane runlane, String runId) {
    return fleet.run(runlane, runId);
  }

  public <T extends RunEvent> List<T> events(Runlane runlane, String runId, Class<T> type) {
    return fleet.events(runlane, runId).stream()
        .filter(type::isInstance)
        .map(type::cast)
        .toList();
  }

  /** A handler as simple as it can be. */
  public static Task<String> asking(Function<TaskContext, Future<TaskResult>> handler) {
    return Task.define("asking", String.class)
        .handler((payload, context) -> handler.apply(context));
  }
}
