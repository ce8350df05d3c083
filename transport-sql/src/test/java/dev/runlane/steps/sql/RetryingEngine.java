package dev.runlane.steps.sql;

import dev.runlane.steps.StepTransport;
import dev.runlane.steps.delivery.StepDeliveryOptions;
import dev.runlane.steps.delivery.StepResultDelivery;
import dev.runlane.steps.delivery.StepResultReceiver;
import dev.runlane.steps.delivery.StepVerdict;
import dev.runlane.steps.result.ClaimedStepResult;
import dev.runlane.steps.result.StepOutcome;
import dev.runlane.steps.task.DispatchSteps;
import dev.runlane.steps.task.ListMissingSteps;
import dev.runlane.steps.task.StepTask;
import dev.runlane.timing.Clock;
import dev.runlane.timing.Timers;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/** An engine with a store in memory: retries what may be retried, and finds what got lost. */
final class RetryingEngine implements StepResultReceiver {
  private final Context context;
  private final StepTransport transport;
  private final StepResultDelivery delivery;
  private final Map<String, StepTask> pending = new HashMap<>(); // touched on the context
  private final Set<String> dispatching = new HashSet<>(); // runs; touched on the context
  private final long sweep;
  final Map<String, StepOutcome> settled = new ConcurrentHashMap<>();
  volatile int found; // steps that had neither task nor result

  RetryingEngine(Vertx vertx, StepTransport transport, Duration lease) {
    this.context = vertx.getOrCreateContext();
    this.transport = transport;
    this.delivery = new StepResultDelivery(
        transport,
        this,
        "engine",
        new StepDeliveryOptions().setLongestPause(Duration.ofMillis(100)).setLease(lease),
        Clock.system(),
        Timers.of(vertx));
    this.sweep =
        vertx.setPeriodic(lease.toMillis(), timer -> context.runOnContext(turn -> findMissing()));
  }

  Future<Void> start(List<StepTask> steps) {
    context.runOnContext(turn -> delivery.start());
    return dispatch(steps);
  }

  Future<Void> dispatch(List<StepTask> steps) {
    return on(() -> {
      steps.forEach(step -> {
        pending.put(step.runId(), step);
        dispatching.add(step.runId());
      });
      return transport
          .dispatchSteps(new DispatchSteps(steps, Clock.system().now()))
          .onComplete(answered -> steps.forEach(step -> dispatching.remove(step.runId())))
          .mapEmpty();
    });
  }

  Future<Void> stop() {
    context.owner().cancelTimer(sweep);
    return on(delivery::stop);
  }

  private Future<Void> on(Supplier<Future<Void>> call) {
    Promise<Void> promise = Promise.promise();
    context.runOnContext(turn -> call.get().onComplete(promise));
    return promise.future();
  }

  /** What is being dispatched, or was settled while it was looked for, has not got lost. */
  private void findMissing() {
    List<String> ids = pending.values().stream()
        .filter(step -> !dispatching.contains(step.runId()))
        .map(StepTask::stepId)
        .toList();
    transport.listMissingSteps(new ListMissingSteps(ids)).onSuccess(missing -> {
      List<StepTask> again = pending.values().stream()
          .filter(step -> missing.contains(step.stepId()))
          .toList();
      found += again.size();
      transport.dispatchSteps(new DispatchSteps(again, Clock.system().now()));
    });
  }

  @Override
  public Future<Set<String>> knownRuns(Set<String> runIds) {
    Set<String> known = new HashSet<>(runIds);
    known.removeIf(runId -> !pending.containsKey(runId) && !settled.containsKey(runId));
    return Future.succeededFuture(known);
  }

  @Override
  public Future<StepVerdict> receive(ClaimedStepResult claimed) {
    String runId = claimed.result().runId();
    StepTask step = pending.get(runId);
    if (step == null) {
      return Future.succeededFuture(StepVerdict.settle()); // late or doubled
    }
    if (claimed.result().outcome() instanceof StepOutcome.Failed failed
        && failed.error().mayBeRetried()) {
      StepTask next = step.next();
      pending.put(runId, next);
      return Future.succeededFuture(StepVerdict.settleAndDispatch(next));
    }
    pending.remove(runId);
    if (settled.put(runId, claimed.result().outcome()) != null) {
      throw new AssertionError("step " + step.stepId() + " was settled twice");
    }
    return Future.succeededFuture(StepVerdict.settle());
  }
}
