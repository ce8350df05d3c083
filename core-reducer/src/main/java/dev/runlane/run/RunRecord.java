package dev.runlane.run;

import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The projection of all events of one run. Only {@link RunReducer} makes new states; a storage builds
 * one from what it stored.
 *
 * @param id the run
 * @param environment its scope
 * @param taskId the task whose handler runs
 * @param queue the queue it waits in
 * @param payload the handler's input
 * @param status where it is in its life
 * @param eventSequence sequence of the last event, at least 1
 * @param counters what happened how often
 * @param runAt not before this instant; null until something sets it
 * @param keys concurrency, idempotency and singleton key
 * @param source where it comes from
 * @param traceCarrier the trace it belongs to, or null
 * @param meta a JSON object from its creation, or null
 * @param lease present exactly while it is running or asked to cancel
 * @param reservation capacity held for it, or null; it may have expired
 * @param awaiting what a released run awaits beside its due time, or null
 * @param failure the last failure, or null
 * @param output the result of a succeeded run, or null
 * @param createdAt when its first event occurred
 * @param updatedAt when its last event occurred
 * @param startedAt when its latest attempt began, or null
 * @param finishedAt when it became terminal, or null
 */
public record RunRecord(
    String id,
    Environment environment,
    String taskId,
    String queue,
    Json payload,
    RunStatus status,
    long eventSequence,
    RunCounters counters,
    @Nullable Instant runAt,
    RunKeys keys,
    RunSource source,
    @Nullable Map<String, String> traceCarrier,
    @Nullable Json meta,
    @Nullable Lease lease,
    @Nullable DispatchReservation reservation,
    @Nullable Awaiting awaiting,
    @Nullable FailureRecord failure,
    @Nullable Json output,
    Instant createdAt,
    Instant updatedAt,
    @Nullable Instant startedAt,
    @Nullable Instant finishedAt) {
  /** Copies the trace carrier and refuses null where it is not meant. */
  public RunRecord {
    Objects.requireNonNull(id);
    Objects.requireNonNull(environment);
    Objects.requireNonNull(taskId);
    Objects.requireNonNull(queue);
    Objects.requireNonNull(payload);
    Objects.requireNonNull(status);
    Objects.requireNonNull(counters);
    Objects.requireNonNull(keys);
    Objects.requireNonNull(source);
    Objects.requireNonNull(createdAt);
    Objects.requireNonNull(updatedAt);
    traceCarrier = traceCarrier == null ? null : Map.copyOf(traceCarrier);
  }

  /** Whether {@code token} proves ownership of this run's lease. */
  public boolean isLeasedWith(String token) {
    return lease != null && lease.token().equals(token);
  }

  /** Whether the run holds a dispatch reservation that has not expired at {@code now}. */
  public boolean hasLiveReservationAt(Instant now) {
    return reservation != null && !reservation.isExpiredAt(now);
  }

  /**
   * Whether the run takes a slot of its bounded queue at {@code now}: it is running or asked to cancel,
   * even if its lease has expired, or it holds a live reservation.
   */
  public boolean occupiesSlotAt(Instant now) {
    return status.isLeased() || hasLiveReservationAt(now);
  }

  RunRecordBuilder toBuilder() {
    return new RunRecordBuilder(this);
  }
}
