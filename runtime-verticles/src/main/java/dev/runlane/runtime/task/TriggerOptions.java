package dev.runlane.runtime.task;

import static dev.runlane.options.OptionTypes.choice;
import static dev.runlane.options.OptionTypes.text;
import static dev.runlane.options.OptionTypes.textMap;

import dev.runlane.options.Option;
import dev.runlane.options.OptionSet;
import dev.runlane.options.OptionValues;
import dev.runlane.run.Actor;
import dev.runlane.run.ContractDefaults;
import dev.runlane.run.IdempotencyTtl;
import dev.runlane.runtime.host.DispatchMode;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The options of one trigger. Setters check nothing: the call that gets the options fails its future with
 * {@code ValidationFailed} before anything is stored.
 */
public final class TriggerOptions extends OptionValues<TriggerOptions> {
  /** The longest delay of a run = 36 500 days. */
  public static final Duration LONGEST_DELAY = ContractDefaults.LONGEST_DURATION;

  private static final OptionSet OPTIONS = OptionSet.of("a trigger");
  private static final Option<TaskQueue> QUEUE =
      OPTIONS.add("queue", null, ActionOptionTypes.QUEUE);
  private static final Option<Instant> RUN_AT =
      OPTIONS.add("runAt", null, ActionOptionTypes.INSTANT);
  private static final Option<Duration> DELAY =
      OPTIONS.add("delay", null, ActionOptionTypes.DURATION);
  private static final Option<String> IDEMPOTENCY_KEY = OPTIONS.add("idempotencyKey", null, text());
  private static final Option<IdempotencyTtl> IDEMPOTENCY_TTL =
      OPTIONS.add("idempotencyTtl", null, ActionOptionTypes.IDEMPOTENCY_TTL);
  private static final Option<String> SINGLETON_KEY = OPTIONS.add("singletonKey", null, text());
  private static final Option<String> CONCURRENCY_KEY = OPTIONS.add("concurrencyKey", null, text());
  private static final Option<String> RUN_ID = OPTIONS.add("runId", null, text());
  private static final Option<Actor> ACTOR =
      OPTIONS.add("actor", ContractDefaults.SYSTEM_ACTOR, ActionOptionTypes.ACTOR);
  private static final Option<Map<String, String>> TRACE_CARRIER =
      OPTIONS.add("traceCarrier", null, textMap());
  private static final Option<Map<String, String>> META = OPTIONS.add("meta", null, textMap());
  private static final Option<Map<String, String>> TAGS = OPTIONS.add("tags", null, textMap());
  private static final Option<DispatchMode> DISPATCH =
      OPTIONS.add("dispatch", null, choice(List.of(DispatchMode.values()), DispatchMode::value));

  /** The task's queue and keys, at once, by the system. */
  public TriggerOptions() {
    super(OPTIONS);
  }

  /** A copy. */
  public TriggerOptions(TriggerOptions other) {
    super(other);
  }

  /** Options from JSON. Throws {@code ConfigurationInvalid} on an unknown key or a malformed value. */
  public TriggerOptions(JsonObject json) {
    super(OPTIONS, json);
  }

  /** The queue; empty: the task's. */
  public Optional<TaskQueue> getQueue() {
    return find(QUEUE);
  }

  /** Sets a queue that is registered in the runtime. */
  public TriggerOptions setQueue(TaskQueue queue) {
    return set(QUEUE, queue);
  }

  /** Not before this instant; empty: at once, or after the delay. */
  public Optional<Instant> getRunAt() {
    return find(RUN_AT);
  }

  /** Sets the instant before which the run does not start; cut to microseconds. Excludes a delay. */
  public TriggerOptions setRunAt(Instant runAt) {
    return set(RUN_AT, runAt);
  }

  /** How long the run waits first; empty: not at all. */
  public Optional<Duration> getDelay() {
    return find(DELAY);
  }

  /** Sets how long the run waits first: not negative, at most {@link #LONGEST_DELAY}. */
  public TriggerOptions setDelay(Duration delay) {
    return set(DELAY, delay);
  }

  /** The idempotency key; empty: what the task makes of the payload. */
  public Optional<String> getIdempotencyKey() {
    return find(IDEMPOTENCY_KEY);
  }

  /** Sets the idempotency key: at most 512 bytes of UTF-8 without {@code ':'}. */
  public TriggerOptions setIdempotencyKey(String idempotencyKey) {
    return set(IDEMPOTENCY_KEY, idempotencyKey);
  }

  /** How long the key is retained; empty: as the task says, 30 days where it says nothing. */
  public Optional<IdempotencyTtl> getIdempotencyTtl() {
    return find(IDEMPOTENCY_TTL);
  }

  /** Sets how long the key is retained; invalid without a key. */
  public TriggerOptions setIdempotencyTtl(IdempotencyTtl idempotencyTtl) {
    return set(IDEMPOTENCY_TTL, idempotencyTtl);
  }

  /** The singleton key; empty: what the task makes of the payload. */
  public Optional<String> getSingletonKey() {
    return find(SINGLETON_KEY);
  }

  /** Sets the singleton key: at most one run of the task and key is active. */
  public TriggerOptions setSingletonKey(String singletonKey) {
    return set(SINGLETON_KEY, singletonKey);
  }

  /** The concurrency key; empty: what the task makes of the payload. */
  public Optional<String> getConcurrencyKey() {
    return find(CONCURRENCY_KEY);
  }

  /** Sets the partition of a bounded queue. */
  public TriggerOptions setConcurrencyKey(String concurrencyKey) {
    return set(CONCURRENCY_KEY, concurrencyKey);
  }

  /** The run's id; empty: one is made. */
  public Optional<String> getRunId() {
    return find(RUN_ID);
  }

  /** Sets the run's id, for correlation with the outside. One that exists fails the call as a conflict. */
  public TriggerOptions setRunId(String runId) {
    return set(RUN_ID, runId);
  }

  /** Who triggers the run. */
  public Actor getActor() {
    return get(ACTOR);
  }

  /** Sets who asks; the system unless set. */
  public TriggerOptions setActor(Actor actor) {
    return set(ACTOR, actor);
  }

  /** The trace the run belongs to; empty: none. */
  public Optional<Map<String, String>> getTraceCarrier() {
    return find(TRACE_CARRIER);
  }

  /** Sets the trace, such as a W3C {@code traceparent}; it comes back in every wakeup and attempt. */
  public TriggerOptions setTraceCarrier(Map<String, String> traceCarrier) {
    return set(TRACE_CARRIER, traceCarrier);
  }

  /** Details kept with the run; empty: none. */
  public Optional<Map<String, String>> getMeta() {
    return find(META);
  }

  /** Sets details that are kept with the run, at most 16 KiB as JSON. */
  public TriggerOptions setMeta(Map<String, String> meta) {
    return set(META, meta);
  }

  /** What people find the run by; empty: only what the task makes of the payload. */
  public Map<String, String> getTags() {
    return find(TAGS).orElse(Map.of());
  }

  /**
   * Sets tags beside those that the task makes of the payload, and before them where they have one name: at most 16
   * in all, a name of at most 64 bytes of UTF-8 without {@code ':'}, a value of at most 256. Runs without tags cost
   * nothing for it.
   */
  public TriggerOptions setTags(Map<String, String> tags) {
    return set(TAGS, tags);
  }

  /** When the wakeup is published; empty: as the runtime's options say. */
  public Optional<DispatchMode> getDispatch() {
    return find(DISPATCH);
  }

  /** Sets when the wakeup is published. */
  public TriggerOptions setDispatch(DispatchMode dispatch) {
    return set(DISPATCH, dispatch);
  }
}
