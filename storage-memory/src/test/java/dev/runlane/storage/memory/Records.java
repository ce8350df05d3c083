package dev.runlane.storage.memory;

import dev.runlane.run.Awaiting;
import dev.runlane.run.Json;
import dev.runlane.run.Lease;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunKeys;
import dev.runlane.run.RunRecord;
import dev.runlane.storage.run.AppendRunEvents;
import java.time.Instant;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Copies with one thing changed, as only broken adapters make them. */
final class Records {
  private Records() {}

  static RunRecord withSequence(RunRecord run, long eventSequence) {
    return copy(run, run.payload(), run.keys(), run.lease(), eventSequence);
  }

  static RunRecord withLease(RunRecord run, @Nullable Lease lease) {
    return copy(run, run.payload(), run.keys(), lease, run.eventSequence());
  }

  static RunRecord withPayload(RunRecord run, Json payload) {
    return copy(run, payload, run.keys(), run.lease(), run.eventSequence());
  }

  static RunRecord withKeys(RunRecord run, RunKeys keys) {
    return copy(run, run.payload(), keys, run.lease(), run.eventSequence());
  }

  /** The creation as if it had these keys. */
  static AppendRunEvents withKeys(AppendRunEvents creation, RunKeys keys) {
    return with(
        creation,
        event -> event instanceof RunEvent.Created created
            ? new RunEvent.Created(
                created.header(),
                created.taskId(),
                created.queue(),
                created.payload(),
                created.runAt(),
                keys,
                created.source())
            : event,
        withKeys(creation.projectedRun(), keys));
  }

  /** The append with other events in the place of its own and the same projection. */
  static AppendRunEvents withEvents(AppendRunEvents append, UnaryOperator<RunEvent> change) {
    return with(append, change, append.projectedRun());
  }

  private static AppendRunEvents with(
      AppendRunEvents append, UnaryOperator<RunEvent> change, RunRecord projected) {
    return new AppendRunEvents(
        append.environment(),
        append.runId(),
        append.expectedSequence(),
        append.events().stream().map(change).toList(),
        projected,
        append.queuePolicy(),
        append.now(),
        append.claimOutboxFor());
  }

  /** The run as if it awaited something else, or were due at another time. */
  static RunRecord waiting(RunRecord run, @Nullable Awaiting awaiting, @Nullable Instant runAt) {
    return new RunRecord(
        run.id(),
        run.environment(),
        run.taskId(),
        run.queue(),
        run.payload(),
        run.status(),
        run.eventSequence(),
        run.counters(),
        runAt,
        run.keys(),
        run.source(),
        run.traceCarrier(),
        run.meta(),
        run.lease(),
        run.reservation(),
        awaiting,
        run.failure(),
        run.output(),
        run.createdAt(),
        run.updatedAt(),
        run.startedAt(),
        run.finishedAt());
  }

  private static RunRecord copy(
      RunRecord run, Json payload, RunKeys keys, @Nullable Lease lease, long eventSequence) {
    return new RunRecord(
        run.id(),
        run.environment(),
        run.taskId(),
        run.queue(),
        payload,
        run.status(),
        eventSequence,
        run.counters(),
        run.runAt(),
        keys,
        run.source(),
        run.traceCarrier(),
        run.meta(),
        lease,
        run.reservation(),
        run.awaiting(),
        run.failure(),
        run.output(),
        run.createdAt(),
        run.updatedAt(),
        run.startedAt(),
        run.finishedAt());
  }
}
