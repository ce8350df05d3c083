package dev.runlane.run;

import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Copies a record with the fields that one event changes. */
final class RunRecordBuilder {
  private final RunRecord before;
  private RunStatus status;
  private long eventSequence;
  private RunCounters counters;
  private @Nullable Instant runAt;
  private @Nullable Map<String, String> traceCarrier;
  private @Nullable Lease lease;
  private @Nullable DispatchReservation reservation;
  private @Nullable Awaiting awaiting;
  private @Nullable FailureRecord failure;
  private @Nullable Json output;
  private Instant updatedAt;
  private @Nullable Instant startedAt;
  private @Nullable Instant finishedAt;

  RunRecordBuilder(RunRecord before) {
    this.before = before;
    this.status = before.status();
    this.eventSequence = before.eventSequence();
    this.counters = before.counters();
    this.runAt = before.runAt();
    this.traceCarrier = before.traceCarrier();
    this.lease = before.lease();
    this.reservation = before.reservation();
    this.awaiting = before.awaiting();
    this.failure = before.failure();
    this.output = before.output();
    this.updatedAt = before.updatedAt();
    this.startedAt = before.startedAt();
    this.finishedAt = before.finishedAt();
  }

  /** A status that is left or begun anew: whatever the run awaited, it awaits no more. */
  RunRecordBuilder status(RunStatus value) {
    status = value;
    awaiting = null;
    return this;
  }

  RunRecordBuilder awaiting(@Nullable Awaiting value) {
    awaiting = value;
    return this;
  }

  RunRecordBuilder eventSequence(long value) {
    eventSequence = value;
    return this;
  }

  RunRecordBuilder counters(RunCounters value) {
    counters = value;
    return this;
  }

  RunRecordBuilder runAt(Instant value) {
    runAt = value;
    return this;
  }

  RunRecordBuilder traceCarrier(@Nullable Map<String, String> value) {
    traceCarrier = value;
    return this;
  }

  RunRecordBuilder lease(Lease value) {
    lease = value;
    return this;
  }

  RunRecordBuilder noLease() {
    lease = null;
    return this;
  }

  RunRecordBuilder reservation(@Nullable DispatchReservation value) {
    reservation = value;
    return this;
  }

  RunRecordBuilder noReservation() {
    reservation = null;
    return this;
  }

  RunRecordBuilder failure(FailureRecord value) {
    failure = value;
    return this;
  }

  RunRecordBuilder noFailure() {
    failure = null;
    return this;
  }

  RunRecordBuilder output(@Nullable Json value) {
    output = value;
    return this;
  }

  RunRecordBuilder updatedAt(Instant value) {
    updatedAt = value;
    return this;
  }

  RunRecordBuilder startedAt(Instant value) {
    startedAt = value;
    return this;
  }

  RunRecordBuilder finishedAt(Instant value) {
    finishedAt = value;
    return this;
  }

  RunRecord build() {
    return new RunRecord(
        before.id(),
        before.environment(),
        before.taskId(),
        before.queue(),
        before.payload(),
        status,
        eventSequence,
        counters,
        runAt,
        before.keys(),
        before.source(),
        traceCarrier,
        before.meta(),
        lease,
        reservation,
        awaiting,
        failure,
        output,
        before.createdAt(),
        updatedAt,
        startedAt,
        finishedAt);
  }
}
