package dev.runlane.storage.pg.jdbc;

import dev.runlane.json.JsonLimits;
import dev.runlane.json.JsonValues;
import dev.runlane.json.StorableText;
import dev.runlane.run.Actor;
import dev.runlane.run.ContractDefaults;
import dev.runlane.run.IdempotencyTtl;
import dev.runlane.run.Identifiers;
import dev.runlane.run.Json;
import dev.runlane.run.QueuePolicy;
import dev.runlane.run.RunKeys;
import dev.runlane.run.RunTags;
import dev.runlane.run.RunlaneException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A run that is wanted: a task by its id, its payload as JSON, and what else the run gets. Not for several threads at a
 * time. Setters check at once and throw {@link RunlaneException} of code {@code ValidationFailed}.
 *
 * <p>Keys and tags that a task makes of its payload are made in the runtime, which an application without Vert.x does
 * not have: they are set here.
 */
public final class JdbcTrigger {
  /** The longest delay of a run = 36 500 days. */
  public static final Duration LONGEST_DELAY = ContractDefaults.LONGEST_DURATION;

  private static final Instant EARLIEST = Instant.EPOCH.minus(LONGEST_DELAY);

  private final String taskId;
  private final Json payload;
  private QueuePolicy queue = QueuePolicy.unbounded(ContractDefaults.QUEUE);
  private RunKeys keys = RunKeys.NONE;
  private Actor actor = ContractDefaults.SYSTEM_ACTOR;
  private Map<String, String> tags = Map.of();
  private @Nullable String runId;
  private @Nullable Instant runAt;
  private @Nullable Json meta;
  private @Nullable Map<String, String> traceCarrier;
  private boolean notifying;

  private JdbcTrigger(String taskId, Json payload) {
    this.taskId = taskId;
    this.payload = payload;
  }

  /**
   * A run of a task with a payload, in queue {@code default}, at once.
   *
   * @param payload one JSON value of at most 1 MiB and 64 levels, as the task's payload class is written by Jackson
   */
  public static JdbcTrigger of(String taskId, String payload) {
    Identifiers.requireId("taskId", taskId);
    return new JdbcTrigger(
        taskId, JsonValues.parse("the payload of task " + taskId, payload, JsonLimits.PAYLOAD));
  }

  /** Sets the queue, with the limit that the workers' processes have for it. */
  public JdbcTrigger setQueue(QueuePolicy queue) {
    Identifiers.requireId("queue", queue.queue());
    this.queue = queue;
    return this;
  }

  /** Sets the run's id. One that exists fails the trigger as a conflict. */
  public JdbcTrigger setRunId(String runId) {
    Identifiers.requireId("runId", runId);
    this.runId = runId;
    return this;
  }

  /** Sets the instant before which the run does not start; cut to microseconds. */
  public JdbcTrigger setRunAt(Instant runAt) {
    if (runAt.isBefore(EARLIEST)) {
      throw RunlaneException.validationFailed(
          "runAt must not be before %s, but is %s", EARLIEST, runAt);
    }
    this.runAt = runAt.truncatedTo(ChronoUnit.MICROS);
    return this;
  }

  /** Sets the partition of a bounded queue. */
  public JdbcTrigger setConcurrencyKey(String key) {
    Identifiers.requireKeyOrNull("concurrencyKey", Objects.requireNonNull(key));
    keys = keys.withConcurrencyKey(key);
    return this;
  }

  /** Sets the key of which one run at most is active. */
  public JdbcTrigger setSingletonKey(String key) {
    Identifiers.requireKeyOrNull("singletonKey", Objects.requireNonNull(key));
    keys = keys.withSingletonKey(key);
    return this;
  }

  /** Sets the key under which one run at most is created, kept for 30 days. */
  public JdbcTrigger setIdempotencyKey(String key) {
    return setIdempotencyKey(key, IdempotencyTtl.of(ContractDefaults.IDEMPOTENCY_KEY_TTL));
  }

  /** Sets the key under which one run at most is created, and how long it is kept. */
  public JdbcTrigger setIdempotencyKey(String key, IdempotencyTtl ttl) {
    Identifiers.requireKeyOrNull("idempotencyKey", Objects.requireNonNull(key));
    Duration retention = ttl.retention();
    if (retention != null
        && (retention.isNegative()
            || retention.isZero()
            || retention.compareTo(LONGEST_DELAY) > 0)) {
      throw RunlaneException.validationFailed(
          "an idempotency TTL must be positive and at most %s, but is %s",
          LONGEST_DELAY, retention);
    }
    keys = keys.withIdempotencyKey(key, ttl);
    return this;
  }

  /** Sets what people find the run by: at most 16, a name of at most 64 bytes, a value of at most 256. */
  public JdbcTrigger setTags(Map<String, String> tags) {
    RunTags.require(tags);
    this.tags = new TreeMap<>(tags);
    return this;
  }

  /** Sets details that are kept with the run, at most 16 KiB as JSON. */
  public JdbcTrigger setMeta(Map<String, String> meta) {
    this.meta = JsonValues.parseObject(
        "meta", JsonValues.object(new TreeMap<>(meta)).text(), JsonLimits.META);
    return this;
  }

  /** Sets the trace that the run belongs to, such as a W3C {@code traceparent}, at most 16 KiB as JSON. */
  public JdbcTrigger setTraceCarrier(Map<String, String> traceCarrier) {
    JsonValues.parseObject("traceCarrier", JsonValues.object(traceCarrier).text(), JsonLimits.META);
    StorableText.require("traceCarrier", traceCarrier);
    this.traceCarrier = new TreeMap<>(traceCarrier);
    return this;
  }

  /** Sets who asks; the system unless set. */
  public JdbcTrigger setActor(Actor actor) {
    this.actor = Objects.requireNonNull(actor);
    return this;
  }

  /**
   * Notifies listening processes with the commit, so that they need not wait for the outbox publisher's next sweep, 1 s
   * at most. Postgres lets one notifying transaction commit at a time: for those that are few. Where the notification
   * fails, as on a schema before migration 16, the sweep finds the run.
   */
  public JdbcTrigger setNotifying(boolean notifying) {
    this.notifying = notifying;
    return this;
  }

  String taskId() {
    return taskId;
  }

  Json payload() {
    return payload;
  }

  QueuePolicy queue() {
    return queue;
  }

  RunKeys keys() {
    return keys;
  }

  Actor actor() {
    return actor;
  }

  Map<String, String> tags() {
    return tags;
  }

  Optional<String> runId() {
    return Optional.ofNullable(runId);
  }

  @Nullable
  Instant runAt() {
    return runAt;
  }

  @Nullable
  Json meta() {
    return meta;
  }

  @Nullable
  Map<String, String> traceCarrier() {
    return traceCarrier;
  }

  boolean isNotifying() {
    return notifying;
  }
}
