package dev.runlane.jobs.queue.options;

import static dev.runlane.options.OptionTypes.duration;
import static dev.runlane.options.OptionTypes.durationOrZero;
import static dev.runlane.options.OptionTypes.flag;
import static dev.runlane.options.OptionTypes.object;
import static dev.runlane.options.OptionTypes.text;
import static dev.runlane.options.OptionTypes.whole;

import dev.runlane.jobs.RateLimit;
import dev.runlane.jobs.store.JobChecks;
import dev.runlane.options.Option;
import dev.runlane.options.OptionChecks;
import dev.runlane.options.OptionSet;
import dev.runlane.options.OptionType;
import dev.runlane.options.OptionValues;
import dev.runlane.run.RunlaneException;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.Optional;

/** What one worker does. Setters throw {@code ConfigurationInvalid} for values out of range. */
public final class JobWorkerOptions extends OptionValues<JobWorkerOptions> {
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

  /** How long a handler may continue after its signal = 5 s. */
  public static final Duration DEFAULT_SIGNAL_GRACE = Duration.ofSeconds(5);

  private static final OptionSet OPTIONS = OptionSet.of("a job worker");
  private static final Option<Integer> CONCURRENCY =
      OPTIONS.add("concurrency", DEFAULT_CONCURRENCY, whole(1));
  private static final Option<Integer> MAX_GLOBAL_CONCURRENCY =
      OPTIONS.add("maxGlobalConcurrency", null, whole(1));
  private static final Option<RateLimit> LIMITER = OPTIONS.add("limiter", null, limit());
  private static final Option<Duration> LOCK_DURATION =
      OPTIONS.add("lockDuration", DEFAULT_LOCK_DURATION, duration());
  private static final Option<Duration> STALLED_INTERVAL =
      OPTIONS.add("stalledInterval", DEFAULT_STALLED_INTERVAL, duration());
  private static final Option<Boolean> AUTO_START = OPTIONS.add("autoStart", true, flag());
  private static final Option<Boolean> LIFO = OPTIONS.add("lifo", false, flag());
  private static final Option<String> JOB_NAME = OPTIONS.add("jobName", null, name());
  private static final Option<Integer> BATCH_SIZE =
      OPTIONS.add("batchSize", DEFAULT_BATCH_SIZE, whole(1));
  private static final Option<Integer> GROUP_CONCURRENCY =
      OPTIONS.add("groupConcurrency", null, whole(1));
  private static final Option<RateLimit> GROUP_LIMITER = OPTIONS.add("groupLimiter", null, limit());
  private static final Option<Duration> POLL_INTERVAL =
      OPTIONS.add("pollInterval", null, duration());
  private static final Option<Duration> DRAIN_TIMEOUT =
      OPTIONS.add("drainTimeout", DEFAULT_DRAIN_TIMEOUT, duration());
  private static final Option<Duration> SIGNAL_GRACE =
      OPTIONS.add("signalGrace", DEFAULT_SIGNAL_GRACE, duration());
  private static final Option<String> WORKER_ID = OPTIONS.add("workerId", null, name());

  /** The defaults. */
  public JobWorkerOptions() {
    super(OPTIONS);
  }

  /** A copy. */
  public JobWorkerOptions(JobWorkerOptions other) {
    super(other);
  }

  /**
   * Options from JSON, durations as {@code "30s"}, limiters as {@code {"max":10,"duration":"1s"}}. An unknown key
   * is {@code ConfigurationInvalid}.
   */
  public JobWorkerOptions(JsonObject json) {
    super(OPTIONS, json);
  }

  /** The most handlers at the same time. */
  public int getConcurrency() {
    return get(CONCURRENCY);
  }

  /**
   * Sets the most handlers at the same time; a batch counts as one. While outcomes are being stored, as many jobs
   * again may be held, so that slots do not wait for the store.
   */
  public JobWorkerOptions setConcurrency(int concurrency) {
    return set(CONCURRENCY, concurrency);
  }

  /** The most active jobs of the queue over all workers; empty: no limit. */
  public Optional<Integer> getMaxGlobalConcurrency() {
    return find(MAX_GLOBAL_CONCURRENCY);
  }

  /** Sets the most active jobs of the queue over all workers that say so, in all processes; never exceeded. */
  public JobWorkerOptions setMaxGlobalConcurrency(int maxGlobalConcurrency) {
    return set(MAX_GLOBAL_CONCURRENCY, maxGlobalConcurrency);
  }

  /** The most hand-outs in a sliding window over all workers of the queue; empty: no limit. */
  public Optional<RateLimit> getLimiter() {
    return find(LIMITER);
  }

  /** Sets the most hand-outs in a sliding window over all workers that say so, in all processes. */
  public JobWorkerOptions setLimiter(RateLimit limiter) {
    return set(LIMITER, limiter);
  }

  /** How long a lock lasts without renewal. */
  public Duration getLockDuration() {
    return get(LOCK_DURATION);
  }

  /** Sets how long a lock lasts; it is renewed at a third. After a crash a job is run again that much later. */
  public JobWorkerOptions setLockDuration(Duration lockDuration) {
    return set(LOCK_DURATION, lockDuration);
  }

  /** How often jobs of lost workers are looked for. */
  public Duration getStalledInterval() {
    return get(STALLED_INTERVAL);
  }

  /** Sets how often jobs of lost workers, in any process, are looked for. */
  public JobWorkerOptions setStalledInterval(Duration stalledInterval) {
    return set(STALLED_INTERVAL, stalledInterval);
  }

  /** Whether a worker begins to work when it is made. */
  public boolean isAutoStart() {
    return get(AUTO_START);
  }

  /**
   * Sets whether a worker begins to work when it is made, or waits for
   * {@link dev.runlane.jobs.queue.JobWorker#start()}.
   */
  public JobWorkerOptions setAutoStart(boolean autoStart) {
    return set(AUTO_START, autoStart);
  }

  /** Whether the last of equal priority goes first. */
  public boolean isLifo() {
    return get(LIFO);
  }

  /** Sets whether the last of equal priority goes first. */
  public JobWorkerOptions setLifo(boolean lifo) {
    return set(LIFO, lifo);
  }

  /** The only name of jobs that it takes; empty: any. */
  public Optional<String> getJobName() {
    return find(JOB_NAME);
  }

  /** Sets the only name of jobs that it takes. */
  public JobWorkerOptions setJobName(String jobName) {
    return set(JOB_NAME, jobName);
  }

  /** The most jobs of one batch. */
  public int getBatchSize() {
    return get(BATCH_SIZE);
  }

  /** Sets the most jobs of one batch; means nothing to a handler of single jobs. */
  public JobWorkerOptions setBatchSize(int batchSize) {
    return set(BATCH_SIZE, batchSize);
  }

  /** The most active jobs of one group over all workers; empty: no limit. */
  public Optional<Integer> getGroupConcurrency() {
    return find(GROUP_CONCURRENCY);
  }

  /** Sets the most active jobs of one group over all workers that say so; groups are then served in turn. */
  public JobWorkerOptions setGroupConcurrency(int groupConcurrency) {
    return set(GROUP_CONCURRENCY, groupConcurrency);
  }

  /** The most hand-outs of one group to this worker in a sliding window; empty: no limit. */
  public Optional<RateLimit> getGroupLimiter() {
    return find(GROUP_LIMITER);
  }

  /** Sets the most hand-outs of one group to this worker in a sliding window. Jobs without a group are free. */
  public JobWorkerOptions setGroupLimiter(RateLimit groupLimiter) {
    return set(GROUP_LIMITER, groupLimiter);
  }

  /** How long an idle worker waits before it looks for jobs unasked; empty: 5 s, or 1 s without shared events. */
  public Optional<Duration> getPollInterval() {
    return find(POLL_INTERVAL);
  }

  /** Sets how long an idle worker waits before it looks for jobs unasked: the net below the events. */
  public JobWorkerOptions setPollInterval(Duration pollInterval) {
    return set(POLL_INTERVAL, pollInterval);
  }

  /** How long closing waits for running handlers. */
  public Duration getDrainTimeout() {
    return get(DRAIN_TIMEOUT);
  }

  /** Sets how long closing waits for running handlers before they are asked to give up. */
  public JobWorkerOptions setDrainTimeout(Duration drainTimeout) {
    return set(DRAIN_TIMEOUT, drainTimeout);
  }

  /** How long a handler may continue after the signal that its time is over or that the worker stops. */
  public Duration getSignalGrace() {
    return get(SIGNAL_GRACE);
  }

  /** Sets how long a handler may continue after it was notified that its time is over or that the worker stops. */
  public JobWorkerOptions setSignalGrace(Duration signalGrace) {
    return set(SIGNAL_GRACE, signalGrace);
  }

  /** The id it has locks under; empty: one is made. */
  public Optional<String> getWorkerId() {
    return find(WORKER_ID);
  }

  /** Sets the id it has locks under, which should be its alone. */
  public JobWorkerOptions setWorkerId(String workerId) {
    return set(WORKER_ID, workerId);
  }

  private static OptionType<RateLimit> limit() {
    String range = "`max` and `duration` of a window";
    return object(range, json -> new Limit(json).limit(), limit -> new Limit(limit).toJson())
        .checked(range, (name, limit) -> {
          OptionChecks.requireAtLeast(1, name + ".max", limit.max());
          OptionChecks.requirePositive(name + ".duration", limit.duration());
          return limit;
        });
  }

  private static OptionType<String> name() {
    String range = "text of 1 to %s characters".formatted(JobChecks.MOST_CHARACTERS);
    return text().checked(range, (name, text) -> {
      int characters = text.codePointCount(0, text.length());
      if (characters < 1 || characters > JobChecks.MOST_CHARACTERS) {
        throw RunlaneException.configurationInvalid(
            "%s must have 1 to %d characters, but has %d",
            name, JobChecks.MOST_CHARACTERS, characters);
      }
      return text;
    });
  }

  /** A rate limit in JSON. */
  private static final class Limit extends OptionValues<Limit> {
    private static final OptionSet OPTIONS = OptionSet.of("a limiter");
    private static final Option<Integer> MAX = OPTIONS.add("max", 0, whole(0));
    private static final Option<Duration> DURATION =
        OPTIONS.add("duration", Duration.ZERO, durationOrZero());

    Limit(JsonObject json) {
      super(OPTIONS, json);
    }

    Limit(RateLimit limit) {
      super(OPTIONS);
      set(MAX, limit.max());
      set(DURATION, limit.duration());
    }

    RateLimit limit() {
      return new RateLimit(get(MAX), get(DURATION));
    }
  }
}
