package dev.runlane.runtime.task;

import dev.runlane.options.OptionChecks;
import dev.runlane.run.ContractDefaults;
import dev.runlane.run.IdempotencyTtl;
import dev.runlane.run.Identifiers;
import dev.runlane.run.Json;
import dev.runlane.run.RunlaneException;
import java.lang.invoke.MethodType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A deployed definition: a {@link TaskDescription} and the handler that does its work. Immutable once built; to change
 * behaviour, deploy another definition under the same id.
 *
 * @param <P> the payload, anything Jackson can read and write
 */
public final class Task<P> extends TaskDescription<P> {
  private final AttemptBody<P> body;

  Task(TaskDescription<P> description, AttemptBody<P> body) {
    super(description);
    this.body = body;
  }

  /**
   * Begins a definition; a handler ends it, or {@link Definition#description()}. Throws
   * {@code ConfigurationInvalid} for a malformed id.
   *
   * @param id stable, such as {@code orders.charge}; stored with every run
   * @param payloadType what the handler gets, never null; {@code Void} for tasks without payload, whose
   *     payload is always null
   */
  public static <P> Definition<P> define(String id, Class<P> payloadType) {
    return new Definition<>(OptionChecks.requireId("a task's id", id), boxed(payloadType));
  }

  /** Values of a primitive type come as objects. */
  @SuppressWarnings("unchecked") // int.class is a Class<Integer>
  private static <P> Class<P> boxed(Class<P> type) {
    return (Class<P>) MethodType.methodType(type).wrap().returnType();
  }

  /** The handler. */
  public AttemptBody<P> body() {
    return body;
  }

  /** The two ways to write a handler, distinguished when an attempt begins. */
  public sealed interface AttemptBody<P> {
    /** Called on the event loop. */
    record OnEventLoop<P>(TaskHandler<P> handler) implements AttemptBody<P> {}

    /** Called on a thread that it may block. */
    record Blocking<P>(BlockingTaskHandler<P> handler) implements AttemptBody<P> {}
  }

  /**
   * A task that has no handler yet. Every setter checks at once and throws {@code ConfigurationInvalid}.
   *
   * @param <P> the payload
   */
  public static final class Definition<P> {
    final String id;
    final Class<P> payloadType;

    @Nullable
    Json payloadSchema;

    @Nullable
    TaskQueue queue;

    RetryPolicy retry = RetryPolicy.NONE;

    @Nullable
    Function<P, String> idempotencyKey;

    IdempotencyTtl idempotencyTtl = IdempotencyTtl.of(ContractDefaults.IDEMPOTENCY_KEY_TTL);
    boolean refusesOtherPayload;

    @Nullable
    Function<P, String> singletonKey;

    @Nullable
    Function<P, String> concurrencyKey;

    final Map<String, Function<P, @Nullable String>> tags = new LinkedHashMap<>();
    final List<Schedule> schedules = new ArrayList<>();

    @Nullable
    Duration attemptTimeout;

    int maxLostAttempts = ContractDefaults.MAX_LOST_ATTEMPTS;

    private Definition(String id, Class<P> payloadType) {
      this.id = id;
      this.payloadType = payloadType;
    }

    /**
     * Payloads must satisfy this JSON Schema (draft 2020-12 unless it names another), checked before
     * anything is stored and again before the handler runs. Needs the schema validator on the class path;
     * a runtime with the task refuses to be built without it or with a malformed schema.
     */
    public Definition<P> payloadSchema(String jsonSchema) {
      payloadSchema = Json.ofChecked(jsonSchema);
      return this;
    }

    /** The queue of its runs. */
    public Definition<P> queue(TaskQueue queue) {
      this.queue = queue;
      return this;
    }

    /** How often it is tried; once, unless set. */
    public Definition<P> retry(RetryPolicy retry) {
      this.retry = retry;
      return this;
    }

    /**
     * At most one run is created for each key while the key is owned, 30 days unless said otherwise. A fire of a
     * schedule has a payload that is the same each time: its run has such a key only if that is owned no longer than
     * the run is active.
     */
    public Definition<P> idempotencyKey(Function<P, String> key) {
      idempotencyKey = key;
      return this;
    }

    /** The same with a retention, counted from the run's creation. */
    public Definition<P> idempotencyKey(Function<P, String> key, IdempotencyTtl ttl) {
      if (ttl.retention() != null) {
        OptionChecks.requirePositive("the idempotency TTL of task " + id, ttl.retention());
      }
      idempotencyKey = key;
      idempotencyTtl = ttl;
      return this;
    }

    /**
     * An idempotency key that is given again with another payload is refused: the call fails with {@code
     * ValidationFailed}, reason {@code idempotency_mismatch} and {@code ownerRunId} in its meta, and stores nothing.
     * Otherwise the key's run is the answer, and {@link TriggerResult#samePayload()} says so. Payloads are compared as
     * it says. Counts for keys of the task and of {@link TriggerOptions} alike, however many ask at once; not for
     * singleton keys, whose runs are expected to differ, nor for fires of schedules, where nobody is there to refuse.
     */
    public Definition<P> refuseOtherPayload() {
      refusesOtherPayload = true;
      return this;
    }

    /** At most one run of each key is active. */
    public Definition<P> singletonKey(Function<P, String> key) {
      singletonKey = key;
      return this;
    }

    /** The partition of a bounded queue that a run counts in. */
    public Definition<P> concurrencyKey(Function<P, String> key) {
      concurrencyKey = key;
      return this;
    }

    /**
     * A tag of its runs, beside those added before: people find them by it. Where the function answers null, a run
     * has none of the name. The limits are those of {@link TriggerOptions#setTags}; a payload that breaks them is
     * refused.
     */
    public Definition<P> tag(String name, Function<P, @Nullable String> value) {
      if (tags.putIfAbsent(name, value) != null) {
        throw RunlaneException.configurationInvalid("task %s has tag %s twice", id, name);
      }
      if (tags.size() > ContractDefaults.MAX_TAGS) {
        throw RunlaneException.configurationInvalid(
            "task %s has more than %d tags", id, ContractDefaults.MAX_TAGS);
      }
      Identifiers.fault(name, ContractDefaults.MAX_TAG_NAME_BYTES).ifPresent(fault -> {
        throw RunlaneException.configurationInvalid("the name of a tag of task %s %s", id, fault);
      });
      return this;
    }

    /** Runs the task by itself, beside the schedules added before. */
    public Definition<P> schedule(Schedule schedule) {
      schedules.add(schedule);
      return this;
    }

    /**
     * After this time the signal fires, and {@code ContractDefaults.ATTEMPT_TIMEOUT_GRACE} later the attempt fails. A
     * blocking handler that had to wait this long for a thread is not called, and its run is released without a
     * failure.
     */
    public Definition<P> attemptTimeout(Duration timeout) {
      attemptTimeout = OptionChecks.requirePositive("the attempt timeout of task " + id, timeout);
      return this;
    }

    /**
     * Attempts that may be lost with their worker, one after the other = 5; one more fails the run with reason
     * {@code crash_loop}. The count begins anew when the run gets on: when a step is recorded, and when an attempt
     * ends with a release or a failure. Where the storage cannot read a run's history, it never does.
     */
    public Definition<P> maxLostAttempts(int most) {
      maxLostAttempts = OptionChecks.requireAtLeast(0, "maxLostAttempts of task " + id, most);
      return this;
    }

    /** The task, with a handler that answers with a future and never blocks. */
    public Task<P> handler(TaskHandler<P> handler) {
      return description().handler(handler);
    }

    /** The task, with a handler that may block. */
    public Task<P> blockingHandler(BlockingTaskHandler<P> handler) {
      return description().blockingHandler(handler);
    }

    /** What is defined, for processes that only trigger it, and for others to give it a handler. */
    public TaskDescription<P> description() {
      long distinct = schedules.stream().map(Schedule::id).distinct().count();
      if (distinct != schedules.size()) {
        throw RunlaneException.configurationInvalid(
            "the schedules of task %s must have different ids", id);
      }
      return new TaskDescription<>(this);
    }
  }
}
