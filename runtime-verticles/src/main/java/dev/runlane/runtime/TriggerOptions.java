package dev.runlane.runtime;

import dev.runlane.run.Actor;
import dev.runlane.run.ContractDefaults;
import dev.runlane.run.IdempotencyTtl;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What one trigger asks for. Nothing is checked here: the call that gets the options fails its future with
 * {@code ValidationFailed} before anything is stored.
 */
public final class TriggerOptions {
  /** The longest delay of a run = 36 500 days. */
  public static final Duration LONGEST_DELAY = Duration.ofDays(36_500);

  private @Nullable TaskQueue queue;
  private @Nullable Instant runAt;
  private @Nullable Duration delay;
  private @Nullable String idempotencyKey;
  private @Nullable IdempotencyTtl idempotencyTtl;
  private @Nullable String singletonKey;
  private @Nullable String concurrencyKey;
  private @Nullable String runId;
  private Actor actor = ContractDefaults.SYSTEM_ACTOR;
  private @Nullable Map<String, String> traceCarrier;
  private @Nullable Map<String, String> meta;
  private @Nullable DispatchMode dispatch;

  /** The task's queue and keys, at once, by the system. */
  public TriggerOptions() {}

  /** A copy. */
  public TriggerOptions(TriggerOptions other) {
    queue = other.queue;
    runAt = other.runAt;
    delay = other.delay;
    idempotencyKey = other.idempotencyKey;
    idempotencyTtl = other.idempotencyTtl;
    singletonKey = other.singletonKey;
    concurrencyKey = other.concurrencyKey;
    runId = other.runId;
    actor = other.actor;
    traceCarrier = other.traceCarrier;
    meta = other.meta;
    dispatch = other.dispatch;
  }

  /** The queue; empty: the task's. */
  public Optional<TaskQueue> getQueue() {
    return Optional.ofNullable(queue);
  }

  /** Sets a queue that is registered in the runtime. */
  public TriggerOptions setQueue(TaskQueue queue) {
    this.queue = queue;
    return this;
  }

  /** Not before this instant; empty: at once, or after the delay. */
  public Optional<Instant> getRunAt() {
    return Optional.ofNullable(runAt);
  }

  /** Sets the instant before which the run does not start; cut to microseconds. Excludes a delay. */
  public TriggerOptions setRunAt(Instant runAt) {
    this.runAt = runAt;
    return this;
  }

  /** How long the run waits first; empty: not at all. */
  public Optional<Duration> getDelay() {
    return Optional.ofNullable(delay);
  }

  /** Sets how long the run waits first: not negative, at most {@link #LONGEST_DELAY}. */
  public TriggerOptions setDelay(Duration delay) {
    this.delay = delay;
    return this;
  }

  /** The idempotency key; empty: what the task makes of the payload. */
  public Optional<String> getIdempotencyKey() {
    return Optional.ofNullable(idempotencyKey);
  }

  /** Sets the idempotency key: at most 512 bytes of UTF-8 without {@code ':'}. */
  public TriggerOptions setIdempotencyKey(String idempotencyKey) {
    this.idempotencyKey = idempotencyKey;
    return this;
  }

  /** How long the key is retained; empty: as the task says, 30 days where it says nothing. */
  public Optional<IdempotencyTtl> getIdempotencyTtl() {
    return Optional.ofNullable(idempotencyTtl);
  }

  /** Sets how long the key is retained; invalid without a key. */
  public TriggerOptions setIdempotencyTtl(IdempotencyTtl idempotencyTtl) {
    this.idempotencyTtl = idempotencyTtl;
    return this;
  }

  /** The singleton key; empty: what the task makes of the payload. */
  public Optional<String> getSingletonKey() {
    return Optional.ofNullable(singletonKey);
  }

  /** Sets the singleton key: at most one run of the task and key is active. */
  public TriggerOptions setSingletonKey(String singletonKey) {
    this.singletonKey = singletonKey;
    return this;
  }

  /** The concurrency key; empty: what the task makes of the payload. */
  public Optional<String> getConcurrencyKey() {
    return Optional.ofNullable(concurrencyKey);
  }

  /** Sets the partition of a bounded queue. */
  public TriggerOptions setConcurrencyKey(String concurrencyKey) {
    this.concurrencyKey = concurrencyKey;
    return this;
  }

  /** The run's id; empty: one is made. */
  public Optional<String> getRunId() {
    return Optional.ofNullable(runId);
  }

  /** Sets the run's id, for correlation with the outside. One that exists fails the call as a conflict. */
  public TriggerOptions setRunId(String runId) {
    this.runId = runId;
    return this;
  }

  /** Who asks. */
  public Actor getActor() {
    return actor;
  }

  /** Sets who asks; the system unless set. */
  public TriggerOptions setActor(Actor actor) {
    this.actor = actor;
    return this;
  }

  /** The trace the run belongs to; empty: none. */
  public Optional<Map<String, String>> getTraceCarrier() {
    return Optional.ofNullable(traceCarrier);
  }

  /** Sets the trace, such as a W3C {@code traceparent}; it comes back in every wakeup and attempt. */
  public TriggerOptions setTraceCarrier(Map<String, String> traceCarrier) {
    this.traceCarrier = Map.copyOf(traceCarrier);
    return this;
  }

  /** Details kept with the run; empty: none. */
  public Optional<Map<String, String>> getMeta() {
    return Optional.ofNullable(meta);
  }

  /** Sets details that are kept with the run, at most 16 KiB as JSON. */
  public TriggerOptions setMeta(Map<String, String> meta) {
    this.meta = Map.copyOf(meta);
    return this;
  }

  /** When the wakeup is published; empty: as the runtime's options say. */
  public Optional<DispatchMode> getDispatch() {
    return Optional.ofNullable(dispatch);
  }

  /** Sets when the wakeup is published. */
  public TriggerOptions setDispatch(DispatchMode dispatch) {
    this.dispatch = dispatch;
    return this;
  }
}
