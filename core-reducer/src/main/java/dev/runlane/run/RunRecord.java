package dev.runlane.run;

import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The projection of all events of one run. Only {@link RunReducer} makes new states; a storage builds
 * one from what it stored, with a {@link Builder}, so that a field it knows nothing of costs it nothing.
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

  /** Begins as {@code creation} leaves a run: queued, at sequence 1, and nothing has happened yet. */
  public static Builder builder(RunEvent.Created creation) {
    EventHeader header = creation.header();
    return new RunRecord(
            header.runId(),
            header.environment(),
            creation.taskId(),
            creation.queue(),
            creation.payload(),
            RunStatus.QUEUED,
            ContractDefaults.NEW_EVENT_SEQUENCE + 1,
            RunCounters.ZERO,
            creation.runAt(),
            creation.keys(),
            creation.source(),
            header.traceCarrier(),
            header.meta(),
            null,
            null,
            null,
            null,
            null,
            header.occurredAt(),
            header.occurredAt(),
            null,
            null)
        .toBuilder();
  }

  /** Begins with all of this record. */
  public Builder toBuilder() {
    return new Builder(this);
  }

  /** Makes records field by field; task, queue, source, meta and time of creation stay as it began. */
  public static final class Builder {
    private final RunRecord before;
    private String id;
    private Environment environment;
    private Json payload;
    private RunStatus status;
    private long eventSequence;
    private RunCounters counters;
    private @Nullable Instant runAt;
    private RunKeys keys;
    private @Nullable Map<String, String> traceCarrier;
    private @Nullable Lease lease;
    private @Nullable DispatchReservation reservation;
    private @Nullable Awaiting awaiting;
    private @Nullable FailureRecord failure;
    private @Nullable Json output;
    private Instant updatedAt;
    private @Nullable Instant startedAt;
    private @Nullable Instant finishedAt;

    private Builder(RunRecord before) {
      this.before = before;
      id = before.id;
      environment = before.environment;
      payload = before.payload;
      status = before.status;
      eventSequence = before.eventSequence;
      counters = before.counters;
      runAt = before.runAt;
      keys = before.keys;
      traceCarrier = before.traceCarrier;
      lease = before.lease;
      reservation = before.reservation;
      awaiting = before.awaiting;
      failure = before.failure;
      output = before.output;
      updatedAt = before.updatedAt;
      startedAt = before.startedAt;
      finishedAt = before.finishedAt;
    }

    /** Sets {@link RunRecord#id()}. */
    public Builder id(String value) {
      id = value;
      return this;
    }

    /** Sets {@link RunRecord#environment()}. */
    public Builder environment(Environment value) {
      environment = value;
      return this;
    }

    /** Sets {@link RunRecord#payload()}. */
    public Builder payload(Json value) {
      payload = value;
      return this;
    }

    /** Sets {@link RunRecord#status()}. */
    public Builder status(RunStatus value) {
      status = value;
      return this;
    }

    /** Sets {@link RunRecord#eventSequence()}. */
    public Builder eventSequence(long value) {
      eventSequence = value;
      return this;
    }

    /** Sets {@link RunRecord#counters()}. */
    public Builder counters(RunCounters value) {
      counters = value;
      return this;
    }

    /** Sets {@link RunRecord#runAt()}. */
    public Builder runAt(@Nullable Instant value) {
      runAt = value;
      return this;
    }

    /** Sets {@link RunRecord#keys()}. */
    public Builder keys(RunKeys value) {
      keys = value;
      return this;
    }

    /** Sets {@link RunRecord#traceCarrier()}. */
    public Builder traceCarrier(@Nullable Map<String, String> value) {
      traceCarrier = value;
      return this;
    }

    /** Sets {@link RunRecord#lease()}. */
    public Builder lease(@Nullable Lease value) {
      lease = value;
      return this;
    }

    /** Sets {@link RunRecord#reservation()}. */
    public Builder reservation(@Nullable DispatchReservation value) {
      reservation = value;
      return this;
    }

    /** Sets {@link RunRecord#awaiting()}. */
    public Builder awaiting(@Nullable Awaiting value) {
      awaiting = value;
      return this;
    }

    /** Sets {@link RunRecord#failure()}. */
    public Builder failure(@Nullable FailureRecord value) {
      failure = value;
      return this;
    }

    /** Sets {@link RunRecord#output()}. */
    public Builder output(@Nullable Json value) {
      output = value;
      return this;
    }

    /** Sets {@link RunRecord#updatedAt()}. */
    public Builder updatedAt(Instant value) {
      updatedAt = value;
      return this;
    }

    /** Sets {@link RunRecord#startedAt()}. */
    public Builder startedAt(@Nullable Instant value) {
      startedAt = value;
      return this;
    }

    /** Sets {@link RunRecord#finishedAt()}. */
    public Builder finishedAt(@Nullable Instant value) {
      finishedAt = value;
      return this;
    }

    /** The record. */
    public RunRecord build() {
      return new RunRecord(
          id,
          environment,
          before.taskId,
          before.queue,
          payload,
          status,
          eventSequence,
          counters,
          runAt,
          keys,
          before.source,
          traceCarrier,
          before.meta,
          lease,
          reservation,
          awaiting,
          failure,
          output,
          before.createdAt,
          updatedAt,
          startedAt,
          finishedAt);
    }
  }
}
