package dev.runlane.runtime.remote;

import dev.runlane.run.Awaiting;
import dev.runlane.run.DeliveryIntent;
import dev.runlane.run.EventHeader;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunStatus;
import dev.runlane.run.RunlaneException;
import dev.runlane.run.StorageConflictKind;
import dev.runlane.runtime.process.RemoteSteps;
import dev.runlane.runtime.process.RetryBudget;
import dev.runlane.runtime.process.RuntimeContext;
import dev.runlane.storage.read.GetRun;
import dev.runlane.storage.run.AppendedRun;
import dev.runlane.storage.step.ListPendingSteps;
import dev.runlane.storage.step.PendingStep;
import dev.runlane.timing.FailureLog;
import io.vertx.core.AsyncResult;
import io.vertx.core.Future;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes results of remote steps into the histories of their runs, and wakes a run that waits for one. A step that
 * is not pending any more gets no second result.
 */
public final class StepCompletions {
  private static final Logger LOG = LoggerFactory.getLogger(StepCompletions.class);
  private static final int MOST_TRIES = 200; // each lost race is somebody else's step forward

  private final RuntimeContext context;
  private final RemoteSteps steps;
  private final FailureLog untold; // on the home context

  StepCompletions(RuntimeContext context, RemoteSteps steps) {
    this.context = context;
    this.steps = steps;
    untold = new FailureLog(LOG, "telling owners of runs of results", context.timers());
  }

  private Future<Optional<OpenStep>> find(String runId, String stepId) {
    return context
        .storage()
        .getRun(new GetRun(context.environment(), runId))
        .compose(run -> run.isEmpty()
            ? Future.succeededFuture(Optional.<OpenStep>empty())
            : find(run.get(), stepId));
  }

  /**
   * The step as it is with its run, which was read a moment ago; empty when it is not pending, or its run has ended.
   * The run is read before the step: whatever happens to the step afterwards makes the run's sequence stale, so that
   * an append is a race lost.
   */
  Future<Optional<OpenStep>> find(RunRecord run, String stepId) {
    return run.status().isTerminal()
        ? Future.succeededFuture(Optional.empty())
        : pending(run.id(), stepId).map(step -> step.map(found -> new OpenStep(run, found)));
  }

  /** The step as it is, or empty when it is not pending, or its run has ended. */
  Future<Optional<PendingStep>> pending(String runId, String stepId) {
    return steps
        .storage()
        .listPendingSteps(new ListPendingSteps(context.environment(), runId, stepId))
        .map(found -> found.stream().filter(step -> !step.runEnded()).findFirst());
  }

  /** Completes with whether the result was stored: false when the step has moved on. */
  Future<Boolean> complete(PendingStep step, Result result) {
    return complete(step, result, new RetryBudget(context.timers(), MOST_TRIES));
  }

  /** The same for a step that was just found. */
  Future<Boolean> complete(OpenStep openStep, Result result) {
    return append(
        openStep.run(), openStep.step(), result, new RetryBudget(context.timers(), MOST_TRIES));
  }

  private Future<Boolean> complete(PendingStep step, Result result, RetryBudget tries) {
    return find(step.runId(), step.stepId())
        .compose(found -> found.isPresent()
                && found.get().step().attempt() == step.attempt()
                && found.get().step().request().equals(step.request())
            ? append(found.get().run(), step, result, tries)
            : Future.succeededFuture(false));
  }

  private Future<Boolean> append(
      RunRecord run, PendingStep step, Result result, RetryBudget tries) {
    EventHeader header = context.appends().header(run).withTrace(run.traceCarrier());
    List<RunEvent> events = new ArrayList<>();
    RunEvent.StepCompleted completed = result.event(header, step);
    events.add(completed);
    if (isToWake(run)) {
      events.add(delivery(run, header));
    }
    return context.appends().append(run, events).transform((stored, failure) -> {
      if (failure == null) {
        context.observer().remoteStepEnded(stored.run(), step.request(), completed);
        notifyOthers(stored);
        return Future.succeededFuture(true);
      }
      return failure instanceof RunlaneException conflict
              && conflict.isConflict(StorageConflictKind.EVENT_SEQUENCE)
              && tries.tryNext()
          ? complete(step, result, tries)
          : Future.failedFuture(failure);
    });
  }

  /** Runs of bounded queues are reserved a slot first, by the dispatcher; those of unknown queues are found by it. */
  private boolean isToWake(RunRecord run) {
    return run.status() == RunStatus.RELEASED
        && run.awaiting() == Awaiting.STEPS
        && context
            .registry()
            .queue(run.queue())
            .filter(queue -> !queue.policy().isBounded())
            .isPresent();
  }

  private static RunEvent delivery(RunRecord run, EventHeader header) {
    Instant at = header.occurredAt();
    return new RunEvent.DeliveryRequested(
        header,
        new DeliveryIntent(
            run.environment(), run.id(), run.queue(), at, at, null, run.traceCarrier()));
  }

  private void notifyOthers(AppendedRun stored) {
    RunRecord run = stored.run();
    if (run.status().isLeased()) {
      context.host().execute(() -> {
        if (!context.leases().changed(stored)) {
          notifyOwner(run);
        }
      });
    } else {
      context.notifications().dispatchChanged(run.queue());
      context.notifications().workAvailable(run.queue());
    }
  }

  /** Another process, which finds out by itself when it wants to release the run. */
  private void notifyOwner(RunRecord run) {
    context.storage().cancellations().ifPresent(others -> others
        .notifyRunOwner(run.environment(), run.id())
        .onComplete(told -> context.host().execute(() -> logTold(run, told))));
  }

  private void logTold(RunRecord run, AsyncResult<Void> told) {
    if (told.succeeded()) {
      untold.succeeded();
    } else {
      untold.failed(told.cause(), "that of run " + run.id() + " finds out by itself");
    }
  }

  /**
   * A pending step and its run, read in the order that makes an append to the run safe.
   *
   * @param run the run
   * @param step its step
   */
  record OpenStep(RunRecord run, PendingStep step) {}

  /** Makes the event of a result. */
  interface Result {
    RunEvent.StepCompleted event(EventHeader header, PendingStep step);
  }
}
