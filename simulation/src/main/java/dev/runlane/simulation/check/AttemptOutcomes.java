package dev.runlane.simulation.check;

import dev.runlane.json.VertxJson;
import dev.runlane.run.Awaiting;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.FailureRecord;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.task.SignalReason;
import dev.runlane.runtime.task.TaskResult;
import dev.runlane.simulation.fleet.Catalogue;
import dev.runlane.simulation.fleet.Fleet;
import dev.runlane.simulation.fleet.HandlerCall;
import dev.runlane.simulation.history.OutcomeAttempt;
import dev.runlane.simulation.history.RunHistory;
import dev.runlane.simulation.history.Violation;
import dev.runlane.simulation.history.Violation.Rule;
import dev.runlane.simulation.world.VirtualTime;
import dev.runlane.storage.read.RunEventRecord;
import io.vertx.core.AsyncResult;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Holds the outcome of every attempt to what its handler returned or threw: success, release, failure or retry, how
 * long the pause is, and that a failure which its signal may have caused is none.
 */
final class AttemptOutcomes {
  private static final String WORKER_STOPPING = "worker_stopping";
  private static final String ATTEMPT_TIMEOUT = "attempt_timeout";

  /** What a call that is never answered may last, and the pause before the next. */
  private static final long OUTAGE_OVER = VirtualTime.micros(Duration.ofSeconds(14));

  private final Fleet fleet;
  private final Map<String, Map<Integer, HandlerCall>> calls = new HashMap<>();
  private final Duration clocksDiffer;
  private final List<Violation> found;

  AttemptOutcomes(Fleet fleet, Duration clocksDiffer, List<Violation> found) {
    this.fleet = fleet;
    fleet.calls().forEach(call -> calls
        .computeIfAbsent(call.run(), first -> new HashMap<>())
        .put(call.attempt(), call));
    this.clocksDiffer = clocksDiffer;
    this.found = found;
  }

  void check(RunHistory history) {
    Map<Integer, HandlerCall> own = calls.getOrDefault(history.runId(), Map.of());
    boolean isAsked = false;
    int failures = 0;
    int attempt = 0;
    Instant leaseEnd = Instant.MIN;
    for (RunEventRecord row : history.events()) {
      RunEvent event = row.event();
      if (event instanceof RunEvent.LeaseClaimed || event instanceof RunEvent.DeliveryRequested) {
        checkNotLost(own.get(attempt), leaseEnd);
        leaseEnd = Instant.MIN;
      }
      if (event instanceof RunEvent.LeaseClaimed claimed) {
        leaseEnd = claimed.lease().expiresAt();
      } else if (event instanceof RunEvent.LeaseHeartbeat renewed) {
        leaseEnd = renewed.lease().expiresAt();
      } else if (event instanceof RunEvent.Started started) {
        attempt = started.attempt();
      } else if (event instanceof RunEvent.CancellationRequested) {
        isAsked = true;
      } else if (OutcomeAttempt.of(event).isPresent()
          || (event instanceof RunEvent.Cancelled && isLeased(event, leaseEnd))) {
        checkPolicy(event, isAsked, failures);
        HandlerCall call = own.get(attempt);
        if (call != null && !isMadeOf(call, history.stored().taskId(), event, isAsked)) {
          broken(event, "its handler " + said(call) + (isAsked ? ", asked to cancel" : ""));
        }
        failures += failureOf(event) == null ? 0 : 1;
        leaseEnd = Instant.MIN;
      }
    }
    if (history.stored().taskId().equals(Catalogue.STEPPED) && failures > 1) {
      found.add(new Violation(
          Rule.OUTCOME, history.runId(), "it failed " + failures + " times, stumbling in one"));
    }
  }

  /** An outage loses no outcome of a process that goes on, where it is over long enough before the lease is. */
  private void checkNotLost(@Nullable HandlerCall call, Instant leaseEnd) {
    if (call == null || leaseEnd.equals(Instant.MIN) || !fleet.keepsOutcomes(call.life())) {
      return;
    }
    long until = VirtualTime.micros(Duration.between(VirtualTime.START, leaseEnd));
    long from = until - OUTAGE_OVER;
    if (call.result() != null
        && call.returnedAt() < from
        && call.signal() != SignalReason.LEASE_LOST
        && fleet.isWithoutFault(from - OUTAGE_OVER, until + OUTAGE_OVER)) {
      found.add(new Violation(
          Rule.OUTCOME,
          call.run(),
          "attempt " + call.attempt() + " in " + call.life() + " has none when its lease ends at "
              + leaseEnd + ": its handler " + said(call)));
    }
  }

  /** Whether the owner's lease lasts for sure, so that nobody else ends a run that is asked to cancel. */
  private boolean isLeased(RunEvent event, Instant leaseEnd) {
    return event.header().occurredAt().plus(clocksDiffer).isBefore(leaseEnd);
  }

  private void checkPolicy(RunEvent event, boolean isAsked, int failures) {
    boolean isLast = failures + 1 >= Catalogue.MOST_FAILURES;
    if (event instanceof RunEvent.Failed failed
        && !isAsked
        && !isLast
        && failed.failure().retryable()) {
      broken(event, "it may be retried");
    } else if (event instanceof RunEvent.RetryScheduled retry
        && (isLast
            || !retry.failure().retryable()
            || !retry
                .retryAt()
                .equals(Catalogue.retryAt(event.header().occurredAt(), failures + 1)))) {
      broken(event, "retried at " + retry.retryAt() + " after " + failures + " failures before");
    }
  }

  private static boolean isMadeOf(HandlerCall call, String task, RunEvent event, boolean isAsked) {
    if (isOfItself(call, task, event)) {
      return true;
    }
    AsyncResult<TaskResult> answer = call.result();
    if (answer == null) {
      return false;
    }
    Throwable cause = answer.cause();
    if (cause != null) {
      return call.signal() != SignalReason.LEASE_LOST && isFailedBy(cause, call, event, isAsked);
    }
    TaskResult result = answer.result();
    if (task.equals(Catalogue.BRANCHING) && isFailure(event, ErrorCode.VALIDATION_FAILED, false)) {
      return true; // what cannot be stored
    }
    if (result == null) {
      return isFailure(event, ErrorCode.TASK_FAILED, true);
    }
    if (isAsked) {
      return event instanceof RunEvent.Cancelled;
    }
    return result instanceof TaskResult.Release release
        ? event instanceof RunEvent.Released released && isReleasedBy(release, released)
        : event instanceof RunEvent.Succeeded;
  }

  /** Whether the runtime made it without an answer of the handler. */
  private static boolean isOfItself(HandlerCall call, String task, RunEvent event) {
    if (Catalogue.hasSteps(task)) {
      return event instanceof RunEvent.Cancelled
          || (event instanceof RunEvent.Released released
              && (released.awaiting() == Awaiting.STEPS || task.equals(Catalogue.BRANCHING)))
          || isFailure(event, ErrorCode.STORAGE_UNAVAILABLE, true);
    }
    return task.equals(Catalogue.ENDLESS)
        && isTimeout(event)
        && (call.result() == null
            || call.returnedAt() - call.beganAt() >= Catalogue.TIMED_OUT_MICROS);
  }

  private static boolean isFailedBy(
      Throwable cause, HandlerCall call, RunEvent event, boolean isAsked) {
    if (!(cause instanceof RunlaneException known)) {
      return isFailure(event, ErrorCode.TASK_FAILED, true);
    }
    if (known.code() != ErrorCode.OPERATION_CANCELLED) {
      return isFailure(event, known.code(), known.isRetryable());
    }
    if (isAsked) {
      return event instanceof RunEvent.Cancelled;
    }
    boolean isHandedBack = event instanceof RunEvent.Released released
        && WORKER_STOPPING.equals(released.reason())
        && released.resumeAt().equals(event.header().occurredAt());
    if (call.signal() == null) {
      return isFailure(event, known.code(), known.isRetryable());
    }
    return isHandedBack || (call.signal() == SignalReason.ATTEMPT_TIMEOUT && isTimeout(event));
  }

  private static boolean isReleasedBy(TaskResult.Release release, RunEvent.Released event) {
    Duration pause = Duration.between(event.header().occurredAt(), event.resumeAt());
    return pause.minus(release.delay()).abs().toNanos() < 1_000
        && Objects.equals(event.reason(), release.reason())
        && (event.header().meta() == null) == release.meta().isEmpty();
  }

  private static boolean isTimeout(RunEvent event) {
    FailureRecord failure = failureOf(event);
    return failure != null
        && failure.meta() != null
        && ATTEMPT_TIMEOUT.equals(VertxJson.object(failure.meta()).getString("reason"));
  }

  private static boolean isFailure(RunEvent event, ErrorCode code, boolean isRetryable) {
    FailureRecord failure = failureOf(event);
    return failure != null && failure.code() == code && failure.retryable() == isRetryable;
  }

  private static @Nullable FailureRecord failureOf(RunEvent event) {
    if (event instanceof RunEvent.Failed failed) {
      return failed.failure();
    }
    return event instanceof RunEvent.RetryScheduled retry ? retry.failure() : null;
  }

  private static String said(HandlerCall call) {
    AsyncResult<TaskResult> answer = call.result();
    String what = answer == null
        ? "never returned"
        : answer.failed() ? "failed with " + answer.cause() : "returned " + answer.result();
    return what + (call.signal() == null ? "" : ", told " + call.signal());
  }

  private void broken(RunEvent event, String why) {
    found.add(new Violation(
        Rule.OUTCOME,
        event.header().runId(),
        event.type().value() + " at " + event.header().occurredAt() + ": " + why));
  }
}
