package dev.runlane.runtime.observe;

import dev.runlane.run.FailureRecord;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunRecord;
import dev.runlane.transport.DeliveryMessage;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Is notified of what a runtime does, as it does it: the place where metrics and traces are connected, by {@code
 * RunlaneBuilder.observer}. It learns of what this process does, not of what others do with the same runs.
 *
 * <p>Every method may be called by any thread, event loops among them: it must return at once and must not block. What
 * it throws is logged, a few lines however often, and changes nothing for the run. Records and messages are those that
 * the runtime works with; payloads in them are the application's data.
 */
public interface RuntimeObserver {
  /**
   * A run is about to be created by a call of the application or of an operator, in the turn of that call: whatever is
   * current there is its caller's. The call may still fail, or find that another run owns the key.
   *
   * @param carrier what the caller gave for the run to carry, or null
   * @return what the run and its wakeups carry; the given one where there is nothing to add
   */
  default @Nullable Map<String, String> runTriggered(
      String runId, String taskId, String queue, @Nullable Map<String, String> carrier) {
    return carrier;
  }

  /**
   * A run was created by this process: by a trigger, a schedule, an operator who repeats one. In a transaction of the
   * caller it is notified of before the commit, which may not come; what {@code Runlane.prepare} made and somebody else
   * stored when {@code Runlane.committed} is called. A run that owned a key already is not notified of.
   */
  default void runCreated(RunRecord run) {}

  /**
   * An attempt has begun: this process leases the run. Its handler is called next, unless the worker is stopping or the
   * lease is over already.
   *
   * @param run as the claim left it, with its lease and the number of the attempt
   * @return who is notified of the rest of the attempt; not null
   */
  default AttemptObserver attemptStarted(RunRecord run) {
    return AttemptObserver.NONE;
  }

  /**
   * A remote step has its last result, or has failed without one, by what this process stored: in whichever process its
   * run was, is or will be.
   *
   * @param run as the result left it
   * @param request who was asked for what
   * @param result with the times of the try that gave it, the worker's by its own clock
   */
  default void remoteStepEnded(
      RunRecord run, RunEvent.StepRequested request, RunEvent.StepCompleted result) {}

  /** A run has ended for good by what this process stored, be it the outcome of an attempt or a cancellation. */
  default void runEnded(RunRecord run) {}

  /** A wakeup was taken by the transport. */
  default void wakeupPublished(DeliveryMessage wakeup) {}

  /**
   * A wakeup was not taken by the transport.
   *
   * @param deadLettered whether it is given up; else it is tried again later
   */
  default void wakeupFailed(DeliveryMessage wakeup, FailureRecord failure, boolean deadLettered) {}

  /**
   * A lease was renewed when less than a third of its duration was left, half of what is left usually.
   *
   * @param late how long after it was due
   */
  default void heartbeatLate(RunRecord run, Duration late) {}

  /**
   * The storage has refused what an attempt came to, or a step of it, for what somebody can mend: it is offered again.
   * Called for each refusal.
   *
   * @param refused with how often it was refused, 1 for the first time
   */
  default void outcomeRefused(RefusedOutcome refused) {}

  /** What was refused is not offered any more: it is stored, or given up, of which the end of the attempt tells. */
  default void refusalEnded(RefusedOutcome refused) {}

  /**
   * A sweep of a maintenance role has ended.
   *
   * @param role such as {@code dispatcher} or {@code outbox publisher}
   * @param took from its begin to its end
   * @param failure why it failed; null: it did not
   */
  default void sweepEnded(String role, Duration took, @Nullable Throwable failure) {}

  /**
   * A worker, or a consumer of wakeups, has begun to take runs.
   *
   * @param workerId owns the leases of its runs
   * @param queues the names of the queues it serves
   * @param slots the most handlers at the same time
   */
  default void workerStarted(String workerId, Set<String> queues, int slots) {}

  /** A worker has stopped, and what it began has ended or is left to its leases. */
  default void workerStopped(String workerId) {}
}
