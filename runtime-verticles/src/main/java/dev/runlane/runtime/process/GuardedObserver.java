package dev.runlane.runtime.process;

import dev.runlane.json.JsonLimits;
import dev.runlane.json.JsonValues;
import dev.runlane.run.FailureRecord;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunRecord;
import dev.runlane.runtime.host.RuntimeHost;
import dev.runlane.runtime.observe.AttemptObserver;
import dev.runlane.runtime.observe.AttemptOutcome;
import dev.runlane.runtime.observe.RefusedOutcome;
import dev.runlane.runtime.observe.RuntimeObserver;
import dev.runlane.timing.ObserverCalls;
import dev.runlane.transport.DeliveryMessage;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Wraps the application's observers: each is notified in turn, what one throws goes to the log and to nobody else.
 * Without observers a call costs a comparison and allocates nothing. For any thread.
 */
public final class GuardedObserver implements RuntimeObserver {
  private static final Logger LOG = LoggerFactory.getLogger(GuardedObserver.class);

  private final List<RuntimeObserver> observers;
  private final ObserverCalls calls;
  private final JsonLimits carriers;

  /** @param carriers limits of what an observer may have a run carry */
  public GuardedObserver(List<RuntimeObserver> observers, RuntimeHost host, JsonLimits carriers) {
    this.observers = List.copyOf(observers);
    this.carriers = carriers;
    calls = new ObserverCalls(LOG, "an observer of the runtime", host.timers(), host::execute);
  }

  @Override
  public @Nullable Map<String, String> runTriggered(
      String runId, String taskId, String queue, @Nullable Map<String, String> carrier) {
    return calls.<RuntimeObserver, Map<String, String>>through(
        observers, carrier, (observer, carried) -> {
          Map<String, String> added = observer.runTriggered(runId, taskId, queue, carried);
          return added == null || added.equals(carried)
              ? added
              : JsonValues.requireTexts("traceCarrier", added, carriers);
        });
  }

  @Override
  public void runCreated(RunRecord run) {
    if (!observers.isEmpty()) {
      calls.each(observers, observer -> observer.runCreated(run));
    }
  }

  @Override
  public AttemptObserver attemptStarted(RunRecord run) {
    if (observers.isEmpty()) {
      return AttemptObserver.NONE;
    }
    List<AttemptObserver> attempts = new ArrayList<>();
    calls.each(
        observers,
        observer -> attempts.add(Objects.requireNonNull(
            observer.attemptStarted(run), "the observer answered null for an attempt")));
    attempts.removeIf(AttemptObserver.NONE::equals);
    return attempts.isEmpty() ? AttemptObserver.NONE : new GuardedAttempt(attempts);
  }

  @Override
  public void runEnded(RunRecord run) {
    if (!observers.isEmpty()) {
      calls.each(observers, observer -> observer.runEnded(run));
    }
  }

  @Override
  public void wakeupPublished(DeliveryMessage wakeup) {
    if (!observers.isEmpty()) {
      calls.each(observers, observer -> observer.wakeupPublished(wakeup));
    }
  }

  @Override
  public void wakeupFailed(DeliveryMessage wakeup, FailureRecord failure, boolean deadLettered) {
    if (!observers.isEmpty()) {
      calls.each(observers, observer -> observer.wakeupFailed(wakeup, failure, deadLettered));
    }
  }

  @Override
  public void remoteStepEnded(
      RunRecord run, RunEvent.StepRequested request, RunEvent.StepCompleted result) {
    if (!observers.isEmpty()) {
      calls.each(observers, observer -> observer.remoteStepEnded(run, request, result));
    }
  }

  @Override
  public void heartbeatLate(RunRecord run, Duration late) {
    if (!observers.isEmpty()) {
      calls.each(observers, observer -> observer.heartbeatLate(run, late));
    }
  }

  @Override
  public void outcomeRefused(RefusedOutcome refused) {
    if (!observers.isEmpty()) {
      calls.each(observers, observer -> observer.outcomeRefused(refused));
    }
  }

  @Override
  public void refusalEnded(RefusedOutcome refused) {
    if (!observers.isEmpty()) {
      calls.each(observers, observer -> observer.refusalEnded(refused));
    }
  }

  @Override
  public void sweepEnded(String role, Duration took, @Nullable Throwable failure) {
    if (!observers.isEmpty()) {
      calls.each(observers, observer -> observer.sweepEnded(role, took, failure));
    }
  }

  @Override
  public void workerStarted(String workerId, Set<String> queues, int slots) {
    if (!observers.isEmpty()) {
      calls.each(observers, observer -> observer.workerStarted(workerId, queues, slots));
    }
  }

  @Override
  public void workerStopped(String workerId) {
    if (!observers.isEmpty()) {
      calls.each(observers, observer -> observer.workerStopped(workerId));
    }
  }

  private final class GuardedAttempt implements AttemptObserver {
    private final List<AttemptObserver> attempts;

    GuardedAttempt(List<AttemptObserver> attempts) {
      this.attempts = attempts;
    }

    @Override
    public Turn turn() {
      List<Turn> turns = new ArrayList<>();
      calls.each(
          attempts,
          observer -> turns.add(0, observer.turn())); // the first to begin is the last to end
      return () -> calls.each(turns, Turn::end);
    }

    @Override
    public void stepEnded(
        String name, Instant began, Instant ended, int tries, @Nullable FailureRecord failure) {
      calls.each(attempts, observer -> observer.stepEnded(name, began, ended, tries, failure));
    }

    @Override
    public void waits() {
      calls.each(attempts, AttemptObserver::waits);
    }

    @Override
    public void goesOn() {
      calls.each(attempts, AttemptObserver::goesOn);
    }

    @Override
    public void handled() {
      calls.each(attempts, AttemptObserver::handled);
    }

    @Override
    public void ended(AttemptOutcome outcome, @Nullable RunRecord run) {
      calls.each(attempts, observer -> observer.ended(outcome, run));
    }
  }
}
