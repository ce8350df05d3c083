package dev.runlane.runtime.task;

import dev.runlane.operator.task.TriggerRules;
import dev.runlane.run.IdempotencyTtl;
import dev.runlane.run.Json;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What a task is, apart from its handler: an id, the type of its payload and rules. A runtime that has only the
 * description triggers runs of it and fires its schedules, and claims none of them; where the work is done, {@link
 * #handler} makes the {@link Task} of it. {@link Task#define} begins one. Immutable.
 *
 * @param <P> the payload, anything Jackson can read and write
 */
public sealed class TaskDescription<P> permits Task {
  private final String id;
  private final Class<P> payloadType;
  private final @Nullable Json payloadSchema;
  private final @Nullable TaskQueue queue;
  private final RetryPolicy retry;
  private final @Nullable Function<P, String> idempotencyKey;
  private final IdempotencyTtl idempotencyTtl;
  private final boolean refusesOtherPayload;
  private final @Nullable Function<P, String> singletonKey;
  private final @Nullable Function<P, String> concurrencyKey;
  private final Map<String, Function<P, @Nullable String>> tags;
  private final List<Schedule> schedules;
  private final @Nullable Duration attemptTimeout;
  private final int maxLostAttempts;
  private final TaskDescription<P> description;

  TaskDescription(Task.Definition<P> definition) {
    id = definition.id;
    payloadType = definition.payloadType;
    payloadSchema = definition.payloadSchema;
    queue = definition.queue;
    retry = definition.retry;
    idempotencyKey = definition.idempotencyKey;
    idempotencyTtl = definition.idempotencyTtl;
    refusesOtherPayload = definition.refusesOtherPayload;
    singletonKey = definition.singletonKey;
    concurrencyKey = definition.concurrencyKey;
    tags = Collections.unmodifiableMap(new LinkedHashMap<>(definition.tags));
    schedules = List.copyOf(definition.schedules);
    attemptTimeout = definition.attemptTimeout;
    maxLostAttempts = definition.maxLostAttempts;
    description = this;
  }

  TaskDescription(TaskDescription<P> other) {
    id = other.id;
    payloadType = other.payloadType;
    payloadSchema = other.payloadSchema;
    queue = other.queue;
    retry = other.retry;
    idempotencyKey = other.idempotencyKey;
    idempotencyTtl = other.idempotencyTtl;
    refusesOtherPayload = other.refusesOtherPayload;
    singletonKey = other.singletonKey;
    concurrencyKey = other.concurrencyKey;
    tags = other.tags;
    schedules = other.schedules;
    attemptTimeout = other.attemptTimeout;
    maxLostAttempts = other.maxLostAttempts;
    description = other.description;
  }

  /** This, or what a task was made of: what runs are triggered by wherever the handler is. */
  public TaskDescription<P> description() {
    return description;
  }

  /** The task, with a handler that answers with a future and never blocks. */
  public Task<P> handler(TaskHandler<P> handler) {
    return new Task<>(description, new Task.AttemptBody.OnEventLoop<>(handler));
  }

  /** The task, with a handler that may block. */
  public Task<P> blockingHandler(BlockingTaskHandler<P> handler) {
    return new Task<>(description, new Task.AttemptBody.Blocking<>(handler));
  }

  /** Stable, and unique in a runtime. */
  public String id() {
    return id;
  }

  /** What the handler gets. */
  public Class<P> payloadType() {
    return payloadType;
  }

  /** The JSON Schema every payload must satisfy, if one is attached. */
  public Optional<Json> payloadSchema() {
    return Optional.ofNullable(payloadSchema);
  }

  /** The queue of its runs; empty for the runtime's default. */
  public Optional<TaskQueue> queue() {
    return Optional.ofNullable(queue);
  }

  /** How often it is tried. */
  public RetryPolicy retry() {
    return retry;
  }

  /** When it runs by itself. */
  public List<Schedule> schedules() {
    return schedules;
  }

  /** How long one attempt may take from the call of its handler on; empty: as long as it likes. */
  public Optional<Duration> attemptTimeout() {
    return Optional.ofNullable(attemptTimeout);
  }

  /** Attempts that may be lost with their worker, one after the other, before the run fails as a crash loop. */
  public int maxLostAttempts() {
    return maxLostAttempts;
  }

  /** Makes the key from a payload, where runs of this task have one. */
  public Optional<Function<P, String>> idempotencyKey() {
    return Optional.ofNullable(idempotencyKey);
  }

  /** How long the key is kept once its run has ended. */
  public IdempotencyTtl idempotencyTtl() {
    return idempotencyTtl;
  }

  /** Whether a key that is given again with another payload is refused. */
  public boolean refusesOtherPayload() {
    return refusesOtherPayload;
  }

  /** Makes the key of which one run at most is active, from a payload. */
  public Optional<Function<P, String>> singletonKey() {
    return Optional.ofNullable(singletonKey);
  }

  /** Makes the key that shares a queue's limit, from a payload. */
  public Optional<Function<P, String>> concurrencyKey() {
    return Optional.ofNullable(concurrencyKey);
  }

  /** Makes the values of tags from a payload, by their names; null: a run of this payload has none of the name. */
  public Map<String, Function<P, @Nullable String>> tags() {
    return tags;
  }

  /** What other processes are told of its triggers. */
  public TriggerRules triggerRules() {
    return new TriggerRules(idempotencyTtl, refusesOtherPayload, List.copyOf(tags.keySet()));
  }

  @Override
  public String toString() {
    return "Task[" + id + "]";
  }
}
