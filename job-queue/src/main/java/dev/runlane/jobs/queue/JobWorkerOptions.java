package dev.runlane.jobs.queue;

import dev.runlane.jobs.JobChecks;
import dev.runlane.jobs.RateLimit;
import dev.runlane.options.OptionChecks;
import dev.runlane.run.RunlaneException;
import dev.runlane.timing.Durations;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** What one worker does. Setters throw {@code ConfigurationInvalid} for values out of range. */
public final class JobWorkerOptions {
  /** Handlers at the same time = 1. */
  public static final int DEFAULT_CONCURRENCY = 1;

  /** How long a lock lasts without renewal = 30 s. */
  public static final Duration DEFAULT_LOCK_DURATION = Duration.ofSeconds(30);

  /** How often jobs of lost workers are looked for = 30 s. */
  public static final Duration DEFAULT_STALLED_INTERVAL = Duration.ofSeconds(30);

  /** Jobs of one batch = 10. */
  public static final int DEFAULT_BATCH_SIZE = 10;

  /** How long closing waits for running handlers = 30 s. */
  public static final Duration DEFAULT_DRAIN_TIMEOUT = Duration.ofSeconds(30);

  /** How long a handler may go on after its signal = 5 s. */
  public static final Duration DEFAULT_SIGNAL_GRACE = Duration.ofSeconds(5);

  private static final Set<String> KEYS = Set.of(
      "concurrency",
      "maxGlobalConcurrency",
      "limiter",
      "lockDuration",
      "stalledInterval",
      "autoStart",
      "lifo",
      "jobName",
      "batchSize",
      "groupConcurrency",
      "groupLimiter",
      "pollInterval",
      "drainTimeout",
      "signalGrace",
      "workerId");
  private static final Set<String> LIMITER_KEYS = Set.of("max", "duration");

  private int concurrency = DEFAULT_CONCURRENCY;
  private @Nullable Integer maxGlobalConcurrency;
  private @Nullable RateLimit limiter;
  private Duration lockDuration = DEFAULT_LOCK_DURATION;
  private Duration stalledInterval = DEFAULT_STALLED_INTERVAL;
  private boolean autoStart = true;
  private boolean lifo;
  private @Nullable String jobName;
  private int batchSize = DEFAULT_BATCH_SIZE;
  private @Nullable Integer groupConcurrency;
  private @Nullable RateLimit groupLimiter;
  private @Nullable Duration pollInterval;
  private Duration drainTimeout = DEFAULT_DRAIN_TIMEOUT;
  private Duration signalGrace = DEFAULT_SIGNAL_GRACE;
  private @Nullable String workerId;

  /** The defaults. */
  public JobWorkerOptions() {}

  /** A copy. */
  public JobWorkerOptions(JobWorkerOptions other) {
    concurrency = other.concurrency;
    maxGlobalConcurrency = other.maxGlobalConcurrency;
    limiter = other.limiter;
    lockDuration = other.lockDuration;
    stalledInterval = other.stalledInterval;
    autoStart = other.autoStart;
    lifo = other.lifo;
    jobName = other.jobName;
    batchSize = other.batchSize;
    groupConcurrency = other.groupConcurrency;
    groupLimiter = other.groupLimiter;
    pollInterval = other.pollInterval;
    drainTimeout = other.drainTimeout;
    signalGrace = other.signalGrace;
    workerId = other.workerId;
  }

  /**
   * Options from JSON, durations as {@code "30s"}, limiters as {@code {"max":10,"duration":"1s"}}. An unknown key
   * is {@code ConfigurationInvalid}.
   */
  public JobWorkerOptions(JsonObject json) {
    OptionChecks.requireKnown("a job worker", json, KEYS);
    OptionChecks.integer(json, "concurrency", this::setConcurrency);
    OptionChecks.integer(json, "maxGlobalConcurrency", this::setMaxGlobalConcurrency);
    limiter(json, "limiter", this::setLimiter);
    OptionChecks.duration(json, "lockDuration", this::setLockDuration);
    OptionChecks.duration(json, "stalledInterval", this::setStalledInterval);
    OptionChecks.flag(json, "autoStart", this::setAutoStart);
    OptionChecks.flag(json, "lifo", this::setLifo);
    OptionChecks.text(json, "jobName", this::setJobName);
    OptionChecks.integer(json, "batchSize", this::setBatchSize);
    OptionChecks.integer(json, "groupConcurrency", this::setGroupConcurrency);
    limiter(json, "groupLimiter", this::setGroupLimiter);
    OptionChecks.duration(json, "pollInterval", this::setPollInterval);
    OptionChecks.duration(json, "drainTimeout", this::setDrainTimeout);
    OptionChecks.duration(json, "signalGrace", this::setSignalGrace);
    OptionChecks.text(json, "workerId", this::setWorkerId);
  }

  /** The JSON form, which the constructor that takes one turns back into equal options. */
  public JsonObject toJson() {
    JsonObject json = new JsonObject()
        .put("concurrency", concurrency)
        .put("lockDuration", Durations.format(lockDuration))
        .put("stalledInterval", Durations.format(stalledInterval))
        .put("autoStart", autoStart)
        .put("lifo", lifo)
        .put("batchSize", batchSize)
        .put("drainTimeout", Durations.format(drainTimeout))
        .put("signalGrace", Durations.format(signalGrace));
    put(json, "maxGlobalConcurrency", maxGlobalConcurrency);
    put(json, "limiter", json(limiter));
    put(json, "jobName", jobName);
    put(json, "groupConcurrency", groupConcurrency);
    put(json, "groupLimiter", json(groupLimiter));
    put(json, "pollInterval", pollInterval == null ? null : Durations.format(pollInterval));
    put(json, "workerId", workerId);
    return json;
  }

  /** The most handlers at the same time. */
  public int getConcurrency() {
    return concurrency;
  }

  /**
   * Sets the most handlers at the same time; a batch counts as one. While outcomes are being stored, as many jobs
   * again may be held, so that slots do not wait for the store.
   */
  public JobWorkerOptions setConcurrency(int concurrency) {
    this.concurrency = OptionChecks.requireAtLeast(1, "concurrency", concurrency);
    return this;
  }

  /** The most active jobs of the queue over all workers; empty: no limit. */
  public Optional<Integer> getMaxGlobalConcurrency() {
    return Optional.ofNullable(maxGlobalConcurrency);
  }

  /** Sets the most active jobs of the queue over all workers that say so, in all processes; never exceeded. */
  public JobWorkerOptions setMaxGlobalConcurrency(int maxGlobalConcurrency) {
    this.maxGlobalConcurrency =
        OptionChecks.requireAtLeast(1, "maxGlobalConcurrency", maxGlobalConcurrency);
    return this;
  }

  /** The most hand-outs in a sliding window over all workers of the queue; empty: no limit. */
  public Optional<RateLimit> getLimiter() {
    return Optional.ofNullable(limiter);
  }

  /** Sets the most hand-outs in a sliding window over all workers that say so, in all processes. */
  public JobWorkerOptions setLimiter(RateLimit limiter) {
    this.limiter = requireLimiter("limiter", limiter);
    return this;
  }

  /** How long a lock lasts without renewal. */
  public Duration getLockDuration() {
    return lockDuration;
  }

  /** Sets how long a lock lasts; it is renewed at a third. After a crash a job is run again that much later. */
  public JobWorkerOptions setLockDuration(Duration lockDuration) {
    this.lockDuration = OptionChecks.requireMillis("lockDuration", lockDuration);
    return this;
  }

  /** How often jobs of lost workers are looked for. */
  public Duration getStalledInterval() {
    return stalledInterval;
  }

  /** Sets how often jobs of lost workers, in any process, are looked for. */
  public JobWorkerOptions setStalledInterval(Duration stalledInterval) {
    this.stalledInterval = OptionChecks.requireMillis("stalledInterval", stalledInterval);
    return this;
  }

  /** Whether a worker begins to work when it is made. */
  public boolean isAutoStart() {
    return autoStart;
  }

  /** Sets whether a worker begins to work when it is made, or waits for {@link JobWorker#start()}. */
  public JobWorkerOptions setAutoStart(boolean autoStart) {
    this.autoStart = autoStart;
    return this;
  }

  /** Whether the last of equal priority goes first. */
  public boolean isLifo() {
    return lifo;
  }

  /** Sets whether the last of equal priority goes first. */
  public JobWorkerOptions setLifo(boolean lifo) {
    this.lifo = lifo;
    return this;
  }

  /** The only name of jobs that it takes; empty: any. */
  public Optional<String> getJobName() {
    return Optional.ofNullable(jobName);
  }

  /** Sets the only name of jobs that it takes. */
  public JobWorkerOptions setJobName(String jobName) {
    this.jobName = requireText("jobName", jobName);
    return this;
  }

  /** The most jobs of one batch. */
  public int getBatchSize() {
    return batchSize;
  }

  /** Sets the most jobs of one batch; means nothing to a handler of single jobs. */
  public JobWorkerOptions setBatchSize(int batchSize) {
    this.batchSize = OptionChecks.requireAtLeast(1, "batchSize", batchSize);
    return this;
  }

  /** The most active jobs of one group over all workers; empty: no limit. */
  public Optional<Integer> getGroupConcurrency() {
    return Optional.ofNullable(groupConcurrency);
  }

  /** Sets the most active jobs of one group over all workers that say so; groups are then served in turn. */
  public JobWorkerOptions setGroupConcurrency(int groupConcurrency) {
    this.groupConcurrency = OptionChecks.requireAtLeast(1, "groupConcurrency", groupConcurrency);
    return this;
  }

  /** The most hand-outs of one group to this worker in a sliding window; empty: no limit. */
  public Optional<RateLimit> getGroupLimiter() {
    return Optional.ofNullable(groupLimiter);
  }

  /** Sets the most hand-outs of one group to this worker in a sliding window. Jobs without a group are free. */
  public JobWorkerOptions setGroupLimiter(RateLimit groupLimiter) {
    this.groupLimiter = requireLimiter("groupLimiter", groupLimiter);
    return this;
  }

  /** How long an idle worker waits before it looks for jobs unasked; empty: 5 s, or 1 s without shared events. */
  public Optional<Duration> getPollInterval() {
    return Optional.ofNullable(pollInterval);
  }

  /** Sets how long an idle worker waits before it looks for jobs unasked: the net below the events. */
  public JobWorkerOptions setPollInterval(Duration pollInterval) {
    this.pollInterval = OptionChecks.requireMillis("pollInterval", pollInterval);
    return this;
  }

  /** How long closing waits for running handlers. */
  public Duration getDrainTimeout() {
    return drainTimeout;
  }

  /** Sets how long closing waits for running handlers before they are told to give up. */
  public JobWorkerOptions setDrainTimeout(Duration drainTimeout) {
    this.drainTimeout = OptionChecks.requireMillis("drainTimeout", drainTimeout);
    return this;
  }

  /** How long a handler may go on after it was told that its time is over or that the worker stops. */
  public Duration getSignalGrace() {
    return signalGrace;
  }

  /** Sets how long a handler may go on after it was told that its time is over or that the worker stops. */
  public JobWorkerOptions setSignalGrace(Duration signalGrace) {
    this.signalGrace = OptionChecks.requireMillis("signalGrace", signalGrace);
    return this;
  }

  /** The id it has locks under; empty: one is made. */
  public Optional<String> getWorkerId() {
    return Optional.ofNullable(workerId);
  }

  /** Sets the id it has locks under, which should be its alone. */
  public JobWorkerOptions setWorkerId(String workerId) {
    this.workerId = requireText("workerId", workerId);
    return this;
  }

  private static RateLimit requireLimiter(String what, RateLimit limiter) {
    OptionChecks.requireAtLeast(1, what + ".max", limiter.max());
    OptionChecks.requireMillis(what + ".duration", limiter.duration());
    return limiter;
  }

  private static String requireText(String what, String text) {
    int characters = text.codePointCount(0, text.length());
    if (characters < 1 || characters > JobChecks.MOST_CHARACTERS) {
      throw RunlaneException.configurationInvalid(
          "%s must have 1 to %d characters, but has %d",
          what, JobChecks.MOST_CHARACTERS, characters);
    }
    return text;
  }

  private static void limiter(JsonObject json, String key, Consumer<RateLimit> setter) {
    OptionChecks.object(json, key, object -> {
      OptionChecks.requireKnown(key, object, LIMITER_KEYS);
      int[] max = new int[1];
      Duration[] duration = {Duration.ZERO};
      OptionChecks.integer(object, "max", value -> max[0] = value);
      OptionChecks.duration(object, "duration", value -> duration[0] = value);
      setter.accept(new RateLimit(max[0], duration[0]));
    });
  }

  private static @Nullable JsonObject json(@Nullable RateLimit limiter) {
    return limiter == null
        ? null
        : new JsonObject()
            .put("max", limiter.max())
            .put("duration", Durations.format(limiter.duration()));
  }

  private static void put(JsonObject json, String key, @Nullable Object value) {
    if (value != null) {
      json.put(key, value);
    }
  }
}
