package dev.runlane.simulation.history;

import dev.runlane.run.Awaiting;
import dev.runlane.run.FailureRecord;
import dev.runlane.run.Json;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunStatus;
import dev.runlane.simulation.history.Violation.Rule;
import dev.runlane.storage.read.RunEventRecord;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Holds each field of a stored run to the events it comes from, without the reducer, which may be what is wrong. */
final class FieldRules {
  private final RunHistory history;
  private final List<Violation> found;
  private @Nullable Map<String, String> trace;
  private @Nullable Instant startedAt;
  private @Nullable Instant finishedAt;
  private @Nullable RunStatus end;
  private @Nullable FailureRecord failure;
  private @Nullable Json output;
  private @Nullable Instant runAt;
  private @Nullable Awaiting awaiting;

  FieldRules(RunHistory history, List<Violation> found) {
    this.history = history;
    this.found = found;
  }

  /** Of a history that begins as it must; the others are found by other rules. */
  void check() {
    List<RunEventRecord> rows = history.events();
    if (rows.isEmpty() || !(rows.get(0).event() instanceof RunEvent.Created created)) {
      return;
    }
    trace = created.header().traceCarrier();
    runAt = created.runAt();
    rows.forEach(row -> note(row.event()));
    RunRecord run = history.stored();
    RunEventRecord last = rows.get(rows.size() - 1);
    compare("sequence", run.eventSequence(), last.sequence());
    compare("environment", run.environment(), created.header().environment());
    compare("task", run.taskId(), created.taskId());
    compare("queue", run.queue(), created.queue());
    compare("payload", run.payload(), created.payload());
    compare("keys", run.keys(), created.keys());
    compare("source", run.source(), created.source());
    compare("meta", run.meta(), created.header().meta());
    compare("trace", run.traceCarrier(), trace);
    compare("failure", run.failure(), failure);
    compare("output", run.output(), output);
    compare("creation", run.createdAt(), created.header().occurredAt());
    compare("update", run.updatedAt(), last.event().header().occurredAt());
    compare("start", run.startedAt(), startedAt);
    compare("end", run.finishedAt(), finishedAt);
    compare("end as", run.status().isTerminal() ? run.status() : null, end);
    compare("due time", run.runAt(), runAt);
    compare("wait", run.awaiting(), awaiting);
    compare("lease", run.lease() != null, run.status().isLeased());
    compare("slot at the end", end == null ? null : run.reservation(), null);
  }

  private void note(RunEvent event) {
    Instant at = event.header().occurredAt();
    if (event instanceof RunEvent.StepCompleted && awaiting == Awaiting.STEPS) {
      runAt = at;
    } else if (isEntered(event)) {
      awaiting = null;
    }
    if (event instanceof RunEvent.DeliveryRequested requested) {
      runAt = requested.delivery().availableAt();
      trace = firstPresent(
          requested.delivery().traceCarrier(), firstPresent(event.header().traceCarrier(), trace));
    } else if (event instanceof RunEvent.Started) {
      startedAt = at;
      failure = null;
    } else if (event instanceof RunEvent.RetryScheduled retry) {
      failure = retry.failure();
      runAt = retry.retryAt();
    } else if (event instanceof RunEvent.Released released) {
      runAt = released.resumeAt();
      awaiting = released.awaiting();
    } else if (event instanceof RunEvent.Failed failed) {
      ends(RunStatus.FAILED, at, failed.failure());
    } else if (event instanceof RunEvent.Succeeded succeeded) {
      ends(RunStatus.SUCCEEDED, at, null);
      output = succeeded.output();
    } else if (event instanceof RunEvent.Cancelled) {
      ends(RunStatus.CANCELLED, at, null);
    }
  }

  /** Whether a run enters a status by it, and so awaits nothing any more. */
  private static boolean isEntered(RunEvent event) {
    return event instanceof RunEvent.DeliveryRequested
        || event instanceof RunEvent.LeaseClaimed
        || event instanceof RunEvent.CancellationRequested
        || event instanceof RunEvent.Cancelled
        || OutcomeAttempt.of(event).isPresent();
  }

  private void ends(RunStatus as, Instant at, @Nullable FailureRecord with) {
    end = as;
    finishedAt = at;
    failure = with;
  }

  private static @Nullable Map<String, String> firstPresent(
      @Nullable Map<String, String> carrier, @Nullable Map<String, String> fallback) {
    return carrier == null ? fallback : carrier;
  }

  private void compare(String field, @Nullable Object stored, @Nullable Object said) {
    if (!Objects.equals(stored, said)) {
      found.add(new Violation(
          Rule.FIELDS,
          history.runId(),
          "its " + field + " is " + stored + ", and by its events " + said));
    }
  }
}
