package dev.runlane.runtime.create;

import dev.runlane.json.JsonLimits;
import dev.runlane.json.JsonValues;
import dev.runlane.operator.task.TriggerRules;
import dev.runlane.run.ContractDefaults;
import dev.runlane.run.IdempotencyTtl;
import dev.runlane.run.Identifiers;
import dev.runlane.run.Json;
import dev.runlane.run.QueuePolicy;
import dev.runlane.run.RunKeys;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunSource;
import dev.runlane.run.RunTags;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.observe.RuntimeObserver;
import dev.runlane.runtime.process.NewRun;
import dev.runlane.runtime.registry.RegisteredSchedule;
import dev.runlane.runtime.registry.RegisteredTask;
import dev.runlane.runtime.registry.Registry;
import dev.runlane.runtime.task.RunActionOptions;
import dev.runlane.runtime.task.TaskQueue;
import dev.runlane.runtime.task.TriggerOptions;
import dev.runlane.timing.Clock;
import dev.runlane.timing.Ids;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Checks and resolves what callers ask for. Every method throws {@code ValidationFailed} for what is invalid. */
public final class NewRuns {
  private static final IdempotencyTtl DEFAULT_TTL =
      IdempotencyTtl.of(ContractDefaults.IDEMPOTENCY_KEY_TTL);
  private static final Instant EARLIEST = Instant.EPOCH.minus(TriggerOptions.LONGEST_DELAY);

  private final Registry registry;
  private final Ids ids;
  private final Clock clock;
  private final JsonLimits metaLimits;
  private final RuntimeObserver observer;

  /** @param observer may add to what runs carry */
  public NewRuns(
      Registry registry, Ids ids, Clock clock, JsonLimits metaLimits, RuntimeObserver observer) {
    this.registry = registry;
    this.ids = ids;
    this.clock = clock;
    this.metaLimits = metaLimits;
    this.observer = observer;
  }

  /** A run for a caller's payload, which the task's codec made or checked. */
  public NewRun triggered(RegisteredTask<?> task, Json payload, TriggerOptions options) {
    return triggered(task, payload, task.keysOf(payload), options);
  }

  /** A run as a fire of the schedule makes it, which is none of its fires. */
  public NewRun firedByHand(RegisteredSchedule schedule, TriggerOptions options) {
    return triggered(schedule.task(), schedule.payload(), schedule.keys(), options);
  }

  private NewRun triggered(
      RegisteredTask<?> task, Json payload, RunKeys keys, TriggerOptions options) {
    String runId = options.getRunId().orElseGet(ids::runId);
    Identifiers.requireId("runId", runId);
    TaskQueue queue = options.getQueue().map(registry::require).orElse(task.queue());
    return new NewRun(
        runId,
        task.id(),
        queue.policy(),
        payload,
        runAt(options),
        keys(keys, task.task().idempotencyTtl(), options),
        RunSource.TRIGGER,
        options.getActor(),
        carried(runId, task.id(), queue.name(), options.getTraceCarrier().orElse(null)),
        meta(options.getMeta()),
        tags(task.tagsOf(payload), options),
        task.task().refusesOtherPayload());
  }

  /**
   * A run of a task that this runtime does not know: its keys and tags are the caller's alone.
   *
   * @param rules what a process that has the task said of its triggers
   * @param payload checked to be JSON
   */
  public NewRun triggered(
      String taskId, TriggerRules rules, QueuePolicy queue, Json payload, TriggerOptions options) {
    Identifiers.requireId("taskId", taskId);
    String runId = options.getRunId().orElseGet(ids::runId);
    Identifiers.requireId("runId", runId);
    IdempotencyTtl retained = Objects.requireNonNullElse(rules.idempotencyTtl(), DEFAULT_TTL);
    return new NewRun(
        runId,
        taskId,
        queue,
        payload,
        runAt(options),
        keys(RunKeys.NONE, retained, options),
        RunSource.TRIGGER,
        options.getActor(),
        carried(runId, taskId, queue.queue(), options.getTraceCarrier().orElse(null)),
        meta(options.getMeta()),
        tags(Map.of(), options),
        rules.refusesOtherPayload());
  }

  /** A run that repeats a terminal one, with its payload as the task sees it today. */
  public NewRun repeated(
      RunRecord of, RunSource source, Map<String, String> tags, RunActionOptions options) {
    RegisteredTask<?> task = registry.requireTask(of.taskId());
    Json payload = task.codec().check(of.payload().text());
    TaskQueue queue = registry
        .queue(of.queue())
        .orElseThrow(() -> RunlaneException.validationFailed(
            "run %s is of queue %s, which is not registered in this runtime", of.id(), of.queue()));
    return repeated(of, queue.policy(), payload, source, tags, options);
  }

  /** A run that repeats a terminal one of a task that this runtime does not know, as it was. */
  public NewRun repeated(
      RunRecord of,
      QueuePolicy queue,
      RunSource source,
      Map<String, String> tags,
      RunActionOptions options) {
    return repeated(of, queue, of.payload(), source, tags, options);
  }

  private NewRun repeated(
      RunRecord of,
      QueuePolicy queue,
      Json payload,
      RunSource source,
      Map<String, String> tags,
      RunActionOptions options) {
    Map<String, String> carrier = options
        .getTraceCarrier()
        .map(Optional::of)
        .orElse(Optional.ofNullable(of.traceCarrier()))
        .orElse(null);
    String runId = options.getNewRunId().orElseGet(ids::runId);
    Identifiers.requireId("newRunId", runId);
    return new NewRun(
        runId,
        of.taskId(),
        queue,
        payload,
        null,
        of.keys().withoutIdempotencyKey(),
        source,
        options.getActor(),
        carried(runId, of.taskId(), queue.queue(), carrier),
        meta(withReason(options)),
        tags,
        false);
  }

  /** A creation has no field for why somebody wanted it, so it stands with the details; a detail of that name stays. */
  public static Optional<Map<String, String>> withReason(RunActionOptions options) {
    return options
        .getReason()
        .map(reason -> {
          Map<String, String> details = new TreeMap<>(options.getMeta().orElse(Map.of()));
          details.putIfAbsent("reason", reason);
          return Optional.of(details);
        })
        .orElse(options.getMeta());
  }

  /** Those of the options stand before those that the task makes of the payload. */
  private static Map<String, String> tags(Map<String, String> made, TriggerOptions options) {
    Map<String, String> given = options.getTags();
    if (given.isEmpty()) {
      return made;
    }
    Map<String, String> all = new TreeMap<>(made);
    all.putAll(given);
    RunTags.require(all);
    return all;
  }

  /** Details as JSON, or null for none. */
  @Nullable
  public Json meta(Optional<Map<String, String>> meta) {
    return meta.map(TreeMap::new) // the order of Map.of differs between processes
        .map(JsonValues::object)
        .map(json -> JsonValues.parseObject("meta", json.text(), metaLimits))
        .orElse(null);
  }

  /** A trace carrier that can be stored, or null for none. */
  @Nullable
  public Map<String, String> carrier(Optional<Map<String, String>> carrier) {
    return carrier
        .map(given -> JsonValues.requireTexts("traceCarrier", given, metaLimits))
        .orElse(null);
  }

  private @Nullable Map<String, String> carried(
      String runId, String taskId, String queue, @Nullable Map<String, String> given) {
    return observer.runTriggered(runId, taskId, queue, carrier(Optional.ofNullable(given)));
  }

  private @Nullable Instant runAt(TriggerOptions options) {
    if (options.getRunAt().isPresent() && options.getDelay().isPresent()) {
      throw RunlaneException.validationFailed("a run has a delay or a runAt, but both were given");
    }
    Instant now = clock.now();
    Instant latest = now.plus(TriggerOptions.LONGEST_DELAY);
    Duration delay = options.getDelay().orElse(Duration.ZERO);
    if (delay.isNegative() || delay.compareTo(TriggerOptions.LONGEST_DELAY) > 0) {
      throw RunlaneException.validationFailed(
          "a delay must be between 0 and %s, but is %s", TriggerOptions.LONGEST_DELAY, delay);
    }
    if (options.getRunAt().isEmpty()) {
      return delay.isZero() ? null : now.plus(delay).truncatedTo(ChronoUnit.MICROS);
    }
    Instant runAt = options.getRunAt().get();
    if (runAt.isBefore(EARLIEST) || runAt.isAfter(latest)) {
      throw RunlaneException.validationFailed(
          "runAt must be between %s and %s, but is %s", EARLIEST, latest, runAt);
    }
    return runAt.truncatedTo(ChronoUnit.MICROS);
  }

  private static RunKeys keys(RunKeys made, IdempotencyTtl retained, TriggerOptions options) {
    RunKeys keys = made;
    keys = keys.withConcurrencyKey(options.getConcurrencyKey().orElse(keys.concurrencyKey()));
    keys = keys.withSingletonKey(options.getSingletonKey().orElse(keys.singletonKey()));
    String idempotencyKey = options.getIdempotencyKey().orElse(keys.idempotencyKey());
    Identifiers.requireKeyOrNull("concurrencyKey", keys.concurrencyKey());
    Identifiers.requireKeyOrNull("singletonKey", keys.singletonKey());
    Identifiers.requireKeyOrNull("idempotencyKey", idempotencyKey);
    if (idempotencyKey == null && options.getIdempotencyTtl().isPresent()) {
      throw RunlaneException.validationFailed("an idempotency TTL needs an idempotency key");
    }
    return idempotencyKey == null
        ? keys
        : keys.withIdempotencyKey(idempotencyKey, ttl(retained, options));
  }

  private static IdempotencyTtl ttl(IdempotencyTtl retained, TriggerOptions options) {
    IdempotencyTtl ttl = options.getIdempotencyTtl().orElse(retained);
    Duration retention = ttl.retention();
    if (retention != null
        && (retention.isNegative()
            || retention.isZero()
            || retention.compareTo(TriggerOptions.LONGEST_DELAY) > 0)) {
      throw RunlaneException.validationFailed(
          "an idempotency TTL must be positive and at most %s, but is %s",
          TriggerOptions.LONGEST_DELAY, retention);
    }
    return ttl;
  }
}
