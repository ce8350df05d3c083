package dev.runlane.runtime.attempt;

import dev.runlane.json.JsonValues;
import dev.runlane.run.Awaiting;
import dev.runlane.run.DeliveryIntent;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.EventHeader;
import dev.runlane.run.FailureRecord;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunStatus;
import dev.runlane.runtime.task.SignalReason;
import dev.runlane.runtime.task.TaskDescription;
import dev.runlane.runtime.task.TaskQueue;
import dev.runlane.timing.Randomness;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Which events record the end of an attempt. Asked again with the newest record after each lost race, so it
 * remembers nothing.
 *
 * @param task the task, for its retry policy
 * @param queue the run's queue
 * @param end how the attempt ended
 * @param signals why its signal fired; empty if it did not
 */
record OutcomeRules(
    TaskDescription<?> task, TaskQueue queue, AttemptEnd end, Set<SignalReason> signals) {
  /** The reason in the meta of a failure that stands for a timeout. */
  static final String ATTEMPT_TIMEOUT = "attempt_timeout";

  /** The reason in the meta of a failure after too many lost attempts. */
  static final String CRASH_LOOP = "crash_loop";

  /** The reason of a release by a worker that stops. */
  static final String WORKER_STOPPING = "worker_stopping";

  /** The reason of a release of a run whose blocking handler had no thread. */
  static final String NO_THREAD = "no_thread";

  OutcomeRules {
    signals = Set.copyOf(signals);
  }

  /** The failure of an attempt that took too long. */
  static AttemptEnd timedOut() {
    return new AttemptEnd.Failed(failure("The attempt took too long.", true, ATTEMPT_TIMEOUT));
  }

  /** The failure of a run whose attempts keep being lost with their worker. */
  static AttemptEnd crashLoop(int lostAttempts) {
    return new AttemptEnd.Failed(
        failure(lostAttempts + " attempts were lost with their worker.", false, CRASH_LOOP));
  }

  /**
   * The events to append to {@code run}, whose current attempt this is.
   *
   * @param at when they occur
   * @param randomness for the jitter of a retry
   */
  List<RunEvent> events(RunRecord run, Instant at, Randomness randomness) {
    EventHeader header =
        EventHeader.bySystem(run.environment(), run.id(), at).withTrace(run.traceCarrier());
    int attempt = run.counters().attempts();
    if (run.status() == RunStatus.CANCELLATION_REQUESTED) {
      return List.of(
          end instanceof AttemptEnd.Failed failed
              ? new RunEvent.Failed(header, attempt, failed.failure())
              : new RunEvent.Cancelled(header, null));
    }
    if (end instanceof AttemptEnd.Done done) {
      return List.of(new RunEvent.Succeeded(header, attempt, done.output()));
    }
    if (end instanceof AttemptEnd.Released released) {
      return List.of(new RunEvent.Released(
          header.withMeta(released.meta()),
          attempt,
          at.plus(released.delay()).truncatedTo(ChronoUnit.MICROS),
          released.reason()));
    }
    if (end instanceof AttemptEnd.Suspended suspended) {
      return List.of(
          new RunEvent.Released(header, attempt, suspended.resumeAt(), null, Awaiting.STEPS));
    }
    if (end instanceof AttemptEnd.GaveUp gaveUp) {
      return gaveUp(run, header, gaveUp.failure(), randomness);
    }
    return failed(run, header, ((AttemptEnd.Failed) end).failure(), randomness);
  }

  private List<RunEvent> gaveUp(
      RunRecord run, EventHeader header, FailureRecord own, Randomness randomness) {
    if (signals.contains(SignalReason.WORKER_STOPPING)) {
      return handedBack(run, header);
    }
    return signals.contains(SignalReason.ATTEMPT_TIMEOUT)
        ? failed(run, header, ((AttemptEnd.Failed) timedOut()).failure(), randomness)
        : failed(run, header, own, randomness);
  }

  /** Somebody else goes on at once; a bounded queue's dispatcher reserves before it wakes anybody. */
  private List<RunEvent> handedBack(RunRecord run, EventHeader header) {
    Instant at = header.occurredAt();
    RunEvent released =
        new RunEvent.Released(header, run.counters().attempts(), at, WORKER_STOPPING);
    if (queue.policy().isBounded()) {
      return List.of(released);
    }
    return List.of(
        released,
        new RunEvent.DeliveryRequested(
            header,
            new DeliveryIntent(
                run.environment(), run.id(), run.queue(), at, at, null, run.traceCarrier())));
  }

  private List<RunEvent> failed(
      RunRecord run, EventHeader header, FailureRecord failure, Randomness randomness) {
    int attempt = run.counters().attempts();
    int failuresBefore = run.counters().failures();
    if (!failure.retryable() || !task.retry().allowsRetryAfter(failuresBefore)) {
      return List.of(new RunEvent.Failed(header, attempt, failure));
    }
    Instant retryAt = header
        .occurredAt()
        .plus(task.retry().backoff().delay(failuresBefore + 1, randomness))
        .truncatedTo(ChronoUnit.MICROS);
    return List.of(new RunEvent.RetryScheduled(header, attempt, failure, retryAt));
  }

  private static FailureRecord failure(String message, boolean retryable, String reason) {
    return new FailureRecord(
        ErrorCode.TASK_FAILED, message, retryable, JsonValues.object(Map.of("reason", reason)));
  }
}
