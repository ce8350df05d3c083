package dev.runlane.runtime.operate;

import dev.runlane.run.Awaiting;
import dev.runlane.run.EventHeader;
import dev.runlane.run.FailureRecord;
import dev.runlane.run.Json;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunEventType;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunStatus;
import dev.runlane.runtime.operate.RunExplanation.Code;
import dev.runlane.runtime.operate.RunExplanation.Reason;
import dev.runlane.runtime.process.RuntimeContext;
import dev.runlane.runtime.steps.StepEnds;
import dev.runlane.storage.read.ListRunEvents;
import dev.runlane.storage.read.RunEventFilter;
import dev.runlane.storage.read.RunEventSort;
import dev.runlane.storage.read.SortDirection;
import io.vertx.core.Future;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Says what a run's history knows of it, by its last event of each kind: three reads of one row. */
final class HistoryReasons {
  private static final RunEventSort BACKWARDS =
      new RunEventSort(RunEventSort.Field.SEQUENCE, SortDirection.DESC);
  private static final Set<RunEventType> ENDS_WITHOUT_FAILURE =
      Set.of(RunEventType.STARTED, RunEventType.RELEASED, RunEventType.RETRY_SCHEDULED);
  private static final Set<RunEventType> FAILURES =
      Set.of(RunEventType.RETRY_SCHEDULED, RunEventType.FAILED);
  private static final Set<RunEventType> HEARTBEATS =
      Set.of(RunEventType.LEASE_CLAIMED, RunEventType.LEASE_HEARTBEAT);

  private final RuntimeContext context;

  HistoryReasons(RuntimeContext context) {
    this.context = context;
  }

  /** Why it was released, if that was the last that happened; which attempt it is in; its last failure. */
  Future<List<Reason>> of(RunRecord run) {
    return last(run, run.status().isTerminal() ? Set.of() : ENDS_WITHOUT_FAILURE)
        .compose(end -> last(run, run.counters().failures() == 0 ? Set.of() : FAILURES)
            .map(failure -> {
              List<Reason> reasons = new ArrayList<>();
              if (end.orElse(null) instanceof RunEvent.Released released && run.lease() == null) {
                reasons.add(released(run, released));
              }
              attempt(run).ifPresent(reasons::add);
              failure.flatMap(HistoryReasons::failure).ifPresent(reasons::add);
              return List.copyOf(reasons);
            }));
  }

  /** With which the owner of the lease last extended it, or took it; empty without a lease. */
  Future<Optional<EventHeader>> lastHeartbeat(RunRecord run) {
    return last(run, run.lease() == null ? Set.of() : HEARTBEATS)
        .map(last -> last.map(event -> event.header()));
  }

  private Future<Optional<RunEvent>> last(RunRecord run, Set<RunEventType> types) {
    return types.isEmpty() || (run.counters().attempts() == 0 && run.lease() == null)
        ? Future.succeededFuture(Optional.empty())
        : context
            .storage()
            .listRunEvents(new ListRunEvents(
                run.environment(),
                new RunEventFilter(run.id(), types, null, null),
                BACKWARDS,
                1,
                null))
            .map(page -> page.data().stream().findFirst().map(row -> row.event()));
  }

  private static Reason released(RunRecord run, RunEvent.Released event) {
    Instant at = event.header().occurredAt();
    Map<String, String> details = new HashMap<>(Map.of("releasedAt", at.toString()));
    Json meta = event.header().meta();
    if (meta != null) {
      details.put("meta", meta.text());
    }
    if (run.awaiting() == Awaiting.STEPS) {
      details.put("awaiting", Awaiting.STEPS.value());
      return new Reason(
          Code.RELEASED, "It was released at %s to wait for its steps.".formatted(at), details);
    }
    String reason = event.reason();
    if (reason == null) {
      return new Reason(
          Code.RELEASED, "It was released at %s by its handler.".formatted(at), details);
    }
    details.put("reason", reason);
    String why = StepEnds.NON_DETERMINISTIC.equals(reason)
        ? ": its handler asks for other steps than are recorded, which a deployment that asks as recorded heals"
        : "";
    return new Reason(
        Code.RELEASED,
        "It was released at %s for the reason %s%s%s."
            .formatted(at, reason, why, meta == null ? "" : " " + meta.text()),
        details);
  }

  /** Attempts that were lost or released do not count against those that the task allows. */
  private Optional<Reason> attempt(RunRecord run) {
    int begun = run.counters().attempts();
    if (begun == 0) {
      return Optional.empty();
    }
    int failures = run.counters().failures();
    int attempt = run.status() == RunStatus.FAILED ? Math.max(1, failures) : failures + 1;
    Optional<Integer> most =
        context.registry().task(run.taskId()).map(task -> task.task().retry().maxAttempts());
    Map<String, String> details = new HashMap<>(Map.of(
        "attempt", String.valueOf(attempt),
        "begun", String.valueOf(begun),
        "failures", String.valueOf(failures),
        "releases", String.valueOf(run.counters().releases())));
    most.ifPresent(attempts -> details.put("maxAttempts", String.valueOf(attempts)));
    String which = run.status().isTerminal() ? "It ended with" : "It is at";
    return Optional.of(new Reason(
        Code.ATTEMPT,
        "%s attempt %s%s%s."
            .formatted(
                which,
                attempt,
                most.map(m -> " of " + m).orElse(""),
                begun == attempt
                    ? ""
                    : "; its handler was begun %s, released and lost attempts among them"
                        .formatted(begun == 1 ? "once" : begun + " times")),
        details));
  }

  private static Optional<Reason> failure(RunEvent event) {
    FailureRecord failure;
    if (event instanceof RunEvent.RetryScheduled retry) {
      failure = retry.failure();
    } else if (event instanceof RunEvent.Failed failed) {
      failure = failed.failure();
    } else {
      return Optional.empty();
    }
    Instant at = event.header().occurredAt();
    Map<String, String> details = new HashMap<>(Map.of(
        "failedAt", at.toString(),
        "code", failure.code().value(),
        "message", failure.message(),
        "retryable", String.valueOf(failure.retryable())));
    Json meta = failure.meta();
    if (meta != null) {
      details.put("meta", meta.text());
    }
    return Optional.of(new Reason(
        Code.LAST_FAILURE,
        "It last failed at %s: %s, %s%s"
            .formatted(
                at,
                failure.code().value(),
                failure.message(),
                meta == null ? "" : " " + meta.text()),
        details));
  }
}
