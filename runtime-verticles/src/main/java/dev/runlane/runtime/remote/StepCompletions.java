package dev.runlane.runtime.remote;

import dev.runlane.run.Awaiting;
import dev.runlane.run.DeliveryIntent;
import dev.runlane.run.EventHeader;
import dev.runlane.run.Json;
import dev.runlane.run.Lease;
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
import io.vertx.core.Promise;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes results of remote steps into the histories of their runs, and wakes a run that waits for one. A step that
 * is not pending any more gets no second result. Results of one run are stored one after the other, those that came
 * meanwhile together: otherwise each would lose its race against all others.
 */
public final class StepCompletions {
  private static final Logger LOG = LoggerFactory.getLogger(StepCompletions.class);
  private static final int MOST_TRIES = 200;
  private static final int MOST_TOGETHER = 100;
  private static final long MOST_CHARACTERS = 1_000_000; // of the outputs, where there are several

  private final RuntimeContext context;
  private final RemoteSteps steps;
  private final FailureLog untold; // on the home context
  private final Map<String, Deque<Waiting>> waitingOf =
      new HashMap<>(); // by run, while results of it are stored; guarded by itself

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
    return open(runId, stepId).map(found -> found.stream().findFirst());
  }

  private Future<List<PendingStep>> open(String runId, @Nullable String stepId) {
    return steps
        .storage()
        .listPendingSteps(new ListPendingSteps(context.environment(), runId, stepId))
        .map(found -> found.stream().filter(step -> !step.runEnded()).toList());
  }

  /** Completes with whether the result was stored: false when the step has moved on. */
  Future<Boolean> complete(PendingStep step, Result result) {
    return find(step.runId(), step.stepId())
        .compose(found -> found.isPresent() && isSameAttempt(found.get().step(), step)
            ? complete(found.get(), result)
            : Future.succeededFuture(false));
  }

  /** The same for a step that was just found. */
  Future<Boolean> complete(OpenStep openStep, Result result) {
    Waiting waiting = new Waiting(openStep, result);
    Deque<Waiting> others;
    synchronized (waitingOf) {
      others = waitingOf.putIfAbsent(waiting.runId(), new ArrayDeque<>());
      if (others != null) {
        others.add(waiting);
      }
    }
    if (others == null) {
      store(new KnownRun(openStep.run()), List.of(waiting), newBudget());
    }
    return waiting.stored.future();
  }

  private RetryBudget newBudget() {
    return new RetryBudget(context.timers(), MOST_TRIES);
  }

  /** Stores what came meanwhile for the run; {@code known} is null where that may have changed in any way. */
  private void goOn(String runId, @Nullable KnownRun known) {
    List<Waiting> together = new ArrayList<>();
    synchronized (waitingOf) {
      Deque<Waiting> left = Objects.requireNonNull(waitingOf.get(runId));
      Waiting next = left.poll();
      if (next == null) {
        waitingOf.remove(runId);
        return;
      }
      boolean isAlone = next.isAlone;
      do {
        together.add(next);
        next = isAlone || together.size() == MOST_TOGETHER ? null : left.poll();
      } while (next != null);
    }
    if (known != null && together.stream().allMatch(each -> each.isPending(known))) {
      store(known, together, newBudget());
    } else {
      findAgain(runId, together, newBudget());
    }
  }

  /** Those that come next, before whatever else waits. */
  private void putBack(String runId, List<Waiting> those) {
    synchronized (waitingOf) {
      Deque<Waiting> left = Objects.requireNonNull(waitingOf.get(runId));
      for (int last = those.size() - 1; last >= 0; last--) {
        left.addFirst(those.get(last));
      }
    }
  }

  private void store(KnownRun known, List<Waiting> together, RetryBudget tries) {
    RunRecord run = known.run();
    EventHeader header = context.appends().header(run).withTrace(run.traceCarrier());
    List<RunEvent.StepCompleted> completed = new ArrayList<>();
    long characters = 0;
    for (Waiting each : together) {
      RunEvent.StepCompleted event = each.result.event(header, each.step());
      Json output = event.output();
      characters += output == null ? 0 : output.text().length();
      if ((!completed.isEmpty() && characters > MOST_CHARACTERS)
          || !known.ended().add(event.stepId())) {
        break;
      }
      completed.add(event);
    }
    putBack(run.id(), together.subList(completed.size(), together.size()));
    List<Waiting> those = together.subList(0, completed.size());
    List<RunEvent> events = new ArrayList<>(completed);
    if (isToWake(run)) {
      events.add(delivery(run, header));
    }
    append(run, events).onComplete(appended -> {
      if (appended.failed()) {
        refused(run.id(), those, tries, appended.cause());
        return;
      }
      AppendedRun stored = appended.result();
      for (int index = 0; index < those.size(); index++) {
        context
            .observer()
            .remoteStepEnded(stored.run(), those.get(index).step().request(), completed.get(index));
      }
      notifyOthers(stored);
      those.forEach(each -> each.stored.complete(true));
      goOn(run.id(), new KnownRun(stored.run(), known.ownSince(), known.ended()));
    });
  }

  /** A run that is leased may be known from its lease alone: it is not written under another one. */
  private Future<AppendedRun> append(RunRecord run, List<RunEvent> events) {
    Lease lease = run.lease();
    return lease == null
        ? context.appends().append(run, events)
        : context.appends().append(run, events, lease);
  }

  private void refused(String runId, List<Waiting> those, RetryBudget tries, Throwable failure) {
    boolean isConflict = failure instanceof RunlaneException typed
        && (typed.isConflict(StorageConflictKind.EVENT_SEQUENCE)
            || typed.isConflict(StorageConflictKind.LEASE_OWNERSHIP));
    boolean isOutage = failure instanceof RunlaneException typed && typed.isRetryable();
    if (isConflict && tries.tryNext()) { // each lost race is somebody else's step forward
      findAgain(runId, those, tries);
      return;
    }
    if (those.size() > 1 && !isConflict && !isOutage) { // one of them may be the cause
      those.forEach(each -> each.isAlone = true);
      putBack(runId, those);
    } else {
      those.forEach(each -> each.stored.fail(failure));
    }
    goOn(runId, null);
  }

  /** Stores those that are still pending. */
  private void findAgain(String runId, List<Waiting> those, RetryBudget tries) {
    String only = those.size() == 1 ? those.get(0).step().stepId() : null;
    context
        .storage()
        .getRun(new GetRun(context.environment(), runId))
        .compose(run -> run.isEmpty() || run.get().status().isTerminal()
            ? Future.succeededFuture(List.<OpenStep>of())
            : open(runId, only)
                .map(steps ->
                    steps.stream().map(step -> new OpenStep(run.get(), step)).toList()))
        .onComplete(found -> {
          if (found.failed()) {
            refused(runId, those, tries, found.cause());
          } else {
            storeOpen(runId, found.result(), those, tries);
          }
        });
  }

  private void storeOpen(
      String runId, List<OpenStep> found, List<Waiting> those, RetryBudget tries) {
    Map<String, PendingStep> open = found.stream()
        .map(OpenStep::step)
        .collect(Collectors.toMap(PendingStep::stepId, Function.identity()));
    List<Waiting> left = new ArrayList<>();
    for (Waiting each : those) {
      PendingStep step = open.get(each.step().stepId());
      if (step != null && isSameAttempt(step, each.step())) {
        left.add(each);
      } else {
        each.stored.complete(false);
      }
    }
    if (left.isEmpty()) {
      goOn(runId, null);
    } else {
      store(new KnownRun(found.get(0).run()), left, tries);
    }
  }

  private static boolean isSameAttempt(PendingStep now, PendingStep then) {
    return now.attempt() == then.attempt() && now.request().equals(then.request());
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

  /**
   * A run as it was read, or after appends of this process alone.
   *
   * @param ownSince its sequence when it was read: all events after it are of these appends
   * @param ended the steps that those have ended
   */
  private record KnownRun(RunRecord run, long ownSince, Set<String> ended) {
    private KnownRun(RunRecord read) {
      this(read, read.eventSequence(), new HashSet<>());
    }
  }

  /** A result, until it is stored. */
  private static final class Waiting {
    private final OpenStep openStep;
    private final Result result;
    private final Promise<Boolean> stored = Promise.promise();
    private boolean isAlone; // since others that were stored with it failed

    private Waiting(OpenStep openStep, Result result) {
      this.openStep = openStep;
      this.result = result;
    }

    private String runId() {
      return openStep.run().id();
    }

    private PendingStep step() {
      return openStep.step();
    }

    /** Whether its step is still pending unless somebody else has changed the run, so that an append loses its race. */
    private boolean isPending(KnownRun known) {
      return openStep.run().eventSequence() >= known.ownSince()
          && !known.ended().contains(step().stepId());
    }
  }

  /** Makes the event of a result. */
  interface Result {
    RunEvent.StepCompleted event(EventHeader header, PendingStep step);
  }
}
