package dev.runlane.run;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A fact about one run: appended once, never changed. A new type of event fails to compile wherever
 * it is not handled, because every reader is a {@link Visitor}.
 */
public sealed interface RunEvent {
  /** What every event says: run, actor, time, trace, meta. */
  EventHeader header();

  /** The stable name of the event's type. */
  RunEventType type();

  /** Calls the visitor's method for this type and returns its result. */
  <R> R accept(Visitor<R> visitor);

  /**
   * The run exists. The only valid first event, and valid nowhere else.
   *
   * @param header what every event says
   * @param taskId the task whose handler runs
   * @param queue the queue the run waits in
   * @param payload the handler's input
   * @param runAt not before this instant; null: at once
   * @param keys concurrency, idempotency and singleton key
   * @param source where the run comes from
   * @param tags what people find it by, in the order of names; see {@link RunTags}
   */
  record Created(
      EventHeader header,
      String taskId,
      String queue,
      Json payload,
      @Nullable Instant runAt,
      RunKeys keys,
      RunSource source,
      Map<String, String> tags)
      implements RunEvent {
    /** Copies the tags, refuses null and cuts the instant to microseconds. */
    public Created {
      Objects.requireNonNull(header);
      Objects.requireNonNull(taskId);
      Objects.requireNonNull(queue);
      Objects.requireNonNull(payload);
      Objects.requireNonNull(keys);
      Objects.requireNonNull(source);
      runAt = runAt == null ? null : runAt.truncatedTo(ChronoUnit.MICROS);
      tags = RunTags.copyOf(tags);
    }

    /** A run without tags. */
    public Created(
        EventHeader header,
        String taskId,
        String queue,
        Json payload,
        @Nullable Instant runAt,
        RunKeys keys,
        RunSource source) {
      this(header, taskId, queue, payload, runAt, keys, source, Map.of());
    }

    /** The same with these tags. */
    public Created withTags(Map<String, String> other) {
      return new Created(header, taskId, queue, payload, runAt, keys, source, other);
    }

    @Override
    public RunEventType type() {
      return RunEventType.CREATED;
    }

    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.created(this);
    }
  }

  /**
   * Somebody should wake a worker for the run; storage makes an outbox message of it.
   *
   * @param header what every event says
   * @param delivery the wakeup that is wanted
   */
  record DeliveryRequested(EventHeader header, DeliveryIntent delivery) implements RunEvent {
    /** Refuses null. */
    public DeliveryRequested {
      Objects.requireNonNull(header);
      Objects.requireNonNull(delivery);
    }

    @Override
    public RunEventType type() {
      return RunEventType.DELIVERY_REQUESTED;
    }

    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.deliveryRequested(this);
    }
  }

  /**
   * A worker owns the run.
   *
   * @param header what every event says
   * @param lease the ownership
   */
  record LeaseClaimed(EventHeader header, Lease lease) implements RunEvent {
    /** Refuses null. */
    public LeaseClaimed {
      Objects.requireNonNull(header);
      Objects.requireNonNull(lease);
    }

    @Override
    public RunEventType type() {
      return RunEventType.LEASE_CLAIMED;
    }

    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.leaseClaimed(this);
    }
  }

  /**
   * The owner is alive.
   *
   * @param header what every event says
   * @param lease the same ownership with a later end
   */
  record LeaseHeartbeat(EventHeader header, Lease lease) implements RunEvent {
    /** Refuses null. */
    public LeaseHeartbeat {
      Objects.requireNonNull(header);
      Objects.requireNonNull(lease);
    }

    @Override
    public RunEventType type() {
      return RunEventType.LEASE_HEARTBEAT;
    }

    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.leaseHeartbeat(this);
    }
  }

  /**
   * An attempt began.
   *
   * @param header what every event says
   * @param attempt 1 for the first try; grows by one
   */
  record Started(EventHeader header, int attempt) implements RunEvent {
    /** Refuses null. */
    public Started {
      Objects.requireNonNull(header);
    }

    @Override
    public RunEventType type() {
      return RunEventType.STARTED;
    }

    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.started(this);
    }
  }

  /**
   * The attempt and with it the run succeeded.
   *
   * @param header what every event says
   * @param attempt the current attempt
   * @param output the handler's result, or null
   */
  record Succeeded(
      EventHeader header, int attempt, @Nullable Json output) implements RunEvent {
    /** Refuses null. */
    public Succeeded {
      Objects.requireNonNull(header);
    }

    @Override
    public RunEventType type() {
      return RunEventType.SUCCEEDED;
    }

    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.succeeded(this);
    }
  }

  /**
   * The attempt and with it the run failed.
   *
   * @param header what every event says
   * @param attempt the current attempt
   * @param failure why
   */
  record Failed(EventHeader header, int attempt, FailureRecord failure) implements RunEvent {
    /** Refuses null. */
    public Failed {
      Objects.requireNonNull(header);
      Objects.requireNonNull(failure);
    }

    @Override
    public RunEventType type() {
      return RunEventType.FAILED;
    }

    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.failed(this);
    }
  }

  /**
   * The attempt failed and another one follows.
   *
   * @param header what every event says
   * @param attempt the current attempt
   * @param failure why
   * @param retryAt not before this instant
   */
  record RetryScheduled(EventHeader header, int attempt, FailureRecord failure, Instant retryAt)
      implements RunEvent {
    /** Refuses null and cuts the instant to microseconds. */
    public RetryScheduled {
      Objects.requireNonNull(header);
      Objects.requireNonNull(failure);
      retryAt = retryAt.truncatedTo(ChronoUnit.MICROS);
    }

    @Override
    public RunEventType type() {
      return RunEventType.RETRY_SCHEDULED;
    }

    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.retryScheduled(this);
    }
  }

  /**
   * The attempt gave the run back to continue later; no failure.
   *
   * @param header what every event says
   * @param attempt the current attempt
   * @param resumeAt not before this instant
   * @param reason why, in the handler's words, or null
   * @param awaiting what makes the run due before that instant, or null: nothing does
   */
  record Released(
      EventHeader header,
      int attempt,
      Instant resumeAt,
      @Nullable String reason,
      @Nullable Awaiting awaiting)
      implements RunEvent {
    /** Refuses null and cuts the instant to microseconds. */
    public Released {
      Objects.requireNonNull(header);
      resumeAt = resumeAt.truncatedTo(ChronoUnit.MICROS);
    }

    /** A release that nothing but time ends. */
    public Released(EventHeader header, int attempt, Instant resumeAt, @Nullable String reason) {
      this(header, attempt, resumeAt, reason, null);
    }

    @Override
    public RunEventType type() {
      return RunEventType.RELEASED;
    }

    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.released(this);
    }
  }

  /**
   * The handler asked for a step, or for a sleep; both have a position in the run and one result.
   *
   * @param header what every event says
   * @param stepId {@code <runId>:<position>}, see {@link StepIds}
   * @param name the step's name; with the position its identity
   * @param group which workers do it; null: the owner of the run
   * @param input what they get, or null
   * @param attempt 1 for the first request; one that follows a forgotten result keeps counting, from the
   *     attempts that led to it
   * @param dueAt when a sleep ends; null: this is no sleep
   * @param dispatch how workers elsewhere are asked for it; null: nobody else is asked
   */
  record StepRequested(
      EventHeader header,
      String stepId,
      String name,
      @Nullable String group,
      @Nullable Json input,
      int attempt,
      @Nullable Instant dueAt,
      @Nullable StepDispatch dispatch)
      implements RunEvent {
    /** Refuses null and cuts the instant to microseconds. */
    public StepRequested {
      Objects.requireNonNull(header);
      Objects.requireNonNull(stepId);
      Objects.requireNonNull(name);
      dueAt = dueAt == null ? null : dueAt.truncatedTo(ChronoUnit.MICROS);
    }

    /** A step that no worker elsewhere is asked for. */
    public StepRequested(
        EventHeader header,
        String stepId,
        String name,
        @Nullable String group,
        @Nullable Json input,
        int attempt,
        @Nullable Instant dueAt) {
      this(header, stepId, name, group, input, attempt, dueAt, null);
    }

    /** Whether a worker elsewhere is asked for it, so that a storage keeps a pending step. */
    public boolean isRemote() {
      return dispatch != null;
    }

    @Override
    public RunEventType type() {
      return RunEventType.STEP_REQUESTED;
    }

    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.stepRequested(this);
    }
  }

  /**
   * A step has its result.
   *
   * @param header what every event says
   * @param stepId the step
   * @param tries how often its work was begun to get there; 0 for a sleep
   * @param startedAt when the work was first begun, for a remote step that of the last try by its worker's
   *     clock; null where nobody knows and for a sleep
   * @param output its result, or null
   * @param failure why it failed; null: it completed
   * @param dispatchedAt when a worker elsewhere was asked for the last try: up to {@code startedAt} it waited
   *     in the queue of its group. Null where nobody was asked
   */
  record StepCompleted(
      EventHeader header,
      String stepId,
      int tries,
      @Nullable Instant startedAt,
      @Nullable Json output,
      @Nullable FailureRecord failure,
      @Nullable Instant dispatchedAt)
      implements RunEvent {
    /** Refuses null and cuts the instants to microseconds. */
    public StepCompleted {
      Objects.requireNonNull(header);
      Objects.requireNonNull(stepId);
      startedAt = startedAt == null ? null : startedAt.truncatedTo(ChronoUnit.MICROS);
      dispatchedAt = dispatchedAt == null ? null : dispatchedAt.truncatedTo(ChronoUnit.MICROS);
    }

    /** A result of a step that no worker elsewhere was asked for. */
    public StepCompleted(
        EventHeader header,
        String stepId,
        int tries,
        @Nullable Instant startedAt,
        @Nullable Json output,
        @Nullable FailureRecord failure) {
      this(header, stepId, tries, startedAt, output, failure, null);
    }

    /** Whether it failed for good. */
    public boolean isFailed() {
      return failure != null;
    }

    @Override
    public RunEventType type() {
      return RunEventType.STEP_COMPLETED;
    }

    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.stepCompleted(this);
    }
  }

  /**
   * The owner of the running run is asked to stop.
   *
   * @param header what every event says
   * @param reason why, or null
   */
  record CancellationRequested(EventHeader header, @Nullable String reason) implements RunEvent {
    /** Refuses null. */
    public CancellationRequested {
      Objects.requireNonNull(header);
    }

    @Override
    public RunEventType type() {
      return RunEventType.CANCELLATION_REQUESTED;
    }

    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.cancellationRequested(this);
    }
  }

  /**
   * The run will never run again.
   *
   * @param header what every event says
   * @param reason why, or null
   */
  record Cancelled(EventHeader header, @Nullable String reason) implements RunEvent {
    /** Refuses null. */
    public Cancelled {
      Objects.requireNonNull(header);
    }

    @Override
    public RunEventType type() {
      return RunEventType.CANCELLED;
    }

    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.cancelled(this);
    }
  }

  /**
   * One method per type of event.
   *
   * @param <R> what the visitor makes of an event
   */
  interface Visitor<R> {
    /** Handles {@link Created}. */
    R created(Created event);

    /** Handles {@link DeliveryRequested}. */
    R deliveryRequested(DeliveryRequested event);

    /** Handles {@link LeaseClaimed}. */
    R leaseClaimed(LeaseClaimed event);

    /** Handles {@link LeaseHeartbeat}. */
    R leaseHeartbeat(LeaseHeartbeat event);

    /** Handles {@link Started}. */
    R started(Started event);

    /** Handles {@link Succeeded}. */
    R succeeded(Succeeded event);

    /** Handles {@link Failed}. */
    R failed(Failed event);

    /** Handles {@link RetryScheduled}. */
    R retryScheduled(RetryScheduled event);

    /** Handles {@link Released}. */
    R released(Released event);

    /** Handles {@link StepRequested}. */
    R stepRequested(StepRequested event);

    /** Handles {@link StepCompleted}. */
    R stepCompleted(StepCompleted event);

    /** Handles {@link CancellationRequested}. */
    R cancellationRequested(CancellationRequested event);

    /** Handles {@link Cancelled}. */
    R cancelled(Cancelled event);
  }
}
