package dev.runlane.runtime;

import static dev.runlane.runtime.Fleet.done;

import dev.runlane.lane.Lanes;
import dev.runlane.run.Json;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunRecord;
import dev.runlane.steps.ClaimStepTasks;
import dev.runlane.steps.ClaimedStepTask;
import dev.runlane.steps.DispatchSteps;
import dev.runlane.steps.RecordOutcome;
import dev.runlane.steps.RecordStepResults;
import dev.runlane.steps.StepDeliveryOptions;
import dev.runlane.steps.StepError;
import dev.runlane.steps.StepOutcome;
import dev.runlane.steps.StepResultDelivery;
import dev.runlane.steps.StepTask;
import dev.runlane.steps.StepTransport;
import dev.runlane.storage.memory.MemoryStepTransport;
import io.vertx.core.Future;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** Processes and workers of steps on one storage and one step transport, in one thread and in virtual time. */
final class RemoteFleet {
  static final Duration LEASE = Duration.ofSeconds(30);

  final Fleet fleet = new Fleet();
  final MemoryStepTransport transport = new MemoryStepTransport();
  boolean silent; // processes hear no signals of the transport
  final StepDispatcherOptions dispatching = new StepDispatcherOptions();

  /** A started process without roles. */
  Runlane process(Task<?>... tasks) {
    return process(List.of(TaskQueue.of("default").asDefault()), tasks);
  }

  Runlane process(Task<?> task, RunlaneOptions options) {
    return process(List.of(TaskQueue.of("default").asDefault()), options, task);
  }

  Runlane process(List<TaskQueue> queues, Task<?>... tasks) {
    return process(queues, new RunlaneOptions(), tasks);
  }

  private Runlane process(List<TaskQueue> queues, RunlaneOptions options, Task<?>... tasks) {
    fleet.faults = new Faults(fleet.storage);
    Runlane runlane = Runlane.builder(
            RuntimeHost.singleThread(fleet.timers),
            Lanes.create(fleet.faults.storage(), fleet.transport))
        .stepTransport(silent ? withoutSignals() : transport)
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
  void work(Runlane process) {
    done(process.worker(new WorkerOptions()));
    dispatch(process);
    deliver(process);
  }

  void dispatch(Runlane process) {
    RuntimeContext context = process.context();
    new RoleLoop(
            context,
            "step dispatcher",
            new StepDispatcher(context, dispatching),
            dispatching,
            context.host()::execute)
        .start();
  }

  void deliver(Runlane process) {
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
    StepResultVerticle.expectAfterDispatches(context, delivery, context.host()::execute);
  }

  private StepTransport withoutSignals() {
    return (StepTransport) Proxy.newProxyInstance(
        StepTransport.class.getClassLoader(),
        new Class<?>[] {StepTransport.class},
        (proxy, method, arguments) -> method.getName().equals("signals")
            ? Optional.empty()
            : method.invoke(transport, arguments));
  }

  /** One sweep of a dispatcher that is not deployed. */
  void sweep(Runlane process) {
    done(new StepDispatcher(process.context(), dispatching).sweepOnce());
  }

  /** The tasks of a group, leased to a worker. */
  List<ClaimedStepTask> take(String group) {
    return done(transport.claimStepTasks(
        new ClaimStepTasks(List.of(group), "worker", fleet.clock.now(), LEASE, 100)));
  }

  /** The only task of a group, leased to a worker. */
  ClaimedStepTask takeOne(String group) {
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

  RecordOutcome complete(ClaimedStepTask task, String json) {
    return answer(task, new StepOutcome.Completed(Json.ofChecked(json)));
  }

  RecordOutcome fail(ClaimedStepTask task, StepError error) {
    return answer(task, new StepOutcome.Failed(error));
  }

  /** Puts a task there that no engine knows of. */
  void dispatchForeign(String runId, String name) {
    done(transport.dispatchSteps(
        new DispatchSteps(List.of(StepTask.first(runId, 0, name, null)), fleet.clock.now())));
  }

  void pass(Duration time) {
    fleet.pass(time);
  }

  RunRecord run(Runlane runlane, String runId) {
    return fleet.run(runlane, runId);
  }

  <T extends RunEvent> List<T> events(Runlane runlane, String runId, Class<T> type) {
    return fleet.events(runlane, runId).stream()
        .filter(type::isInstance)
        .map(type::cast)
        .toList();
  }

  /** A handler as simple as it can be. */
  static Task<String> asking(Function<TaskContext, Future<TaskResult>> handler) {
    return Task.define("asking", String.class)
        .handler((payload, context) -> handler.apply(context));
  }
}
