package dev.runlane.jobs.queue.options;

import static dev.runlane.options.OptionTypes.choices;
import static dev.runlane.options.OptionTypes.duration;
import static dev.runlane.options.OptionTypes.whole;

import dev.runlane.jobs.StoreEventType;
import dev.runlane.jobs.store.JobChecks;
import dev.runlane.json.JsonLimits;
import dev.runlane.options.Option;
import dev.runlane.options.OptionSet;
import dev.runlane.options.OptionValues;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/** What all queues and workers of a process share. Setters throw {@code ConfigurationInvalid}. */
public final class JobsOptions extends OptionValues<JobsOptions> {
  /** Outcomes sent to the store in one call = 256. */
  public static final int DEFAULT_OUTCOME_BATCH = 256;

  /** Calls with outcomes at the same time = 2. */
  public static final int DEFAULT_OUTCOME_CALLS = 2;

  /** How long an outcome is sent again while the store cannot be reached, or refuses it = 5 min. */
  public static final Duration DEFAULT_OUTCOME_TIMEOUT = Duration.ofMinutes(5);

  /** Events that wait to be published = 10 000. */
  public static final int DEFAULT_PENDING_EVENTS = 10_000;

  /** Jobs that are waited for or observed at the same time = 100 000. */
  public static final int DEFAULT_WATCHED_JOBS = 100_000;

  /** How often a job that is waited for is read where no event came = 5 s. */
  public static final Duration DEFAULT_WATCH_INTERVAL = Duration.ofSeconds(5);

  /** How often what retention has made due is removed = 60 s. */
  public static final Duration DEFAULT_RETENTION_INTERVAL = Duration.ofMinutes(1);

  /** Threads of blocking handlers on a JVM without virtual threads = 64. */
  public static final int DEFAULT_BLOCKING_THREADS = 64;

  private static final OptionSet OPTIONS = OptionSet.of("the job queue");
  private static final Option<Integer> OUTCOME_BATCH =
      OPTIONS.add("outcomeBatch", DEFAULT_OUTCOME_BATCH, whole(1, JobChecks.MOST_ENTRIES));
  private static final Option<Integer> OUTCOME_CALLS =
      OPTIONS.add("outcomeCalls", DEFAULT_OUTCOME_CALLS, whole(1));
  private static final Option<Duration> OUTCOME_TIMEOUT =
      OPTIONS.add("outcomeTimeout", DEFAULT_OUTCOME_TIMEOUT, duration());
  private static final Option<Integer> PENDING_EVENTS =
      OPTIONS.add("pendingEvents", DEFAULT_PENDING_EVENTS, whole(1));
  private static final Option<Set<StoreEventType>> PUBLISHED_EVENTS = OPTIONS.add(
      "publishedEvents",
      Set.of(StoreEventType.values()),
      choices(List.of(StoreEventType.values()), StoreEventType::value));
  private static final Option<Integer> WATCHED_JOBS =
      OPTIONS.add("watchedJobs", DEFAULT_WATCHED_JOBS, whole(1));
  private static final Option<Duration> WATCH_INTERVAL =
      OPTIONS.add("watchInterval", DEFAULT_WATCH_INTERVAL, duration());
  private static final Option<Duration> RETENTION_INTERVAL =
      OPTIONS.add("retentionInterval", DEFAULT_RETENTION_INTERVAL, duration());
  private static final Option<Integer> BLOCKING_THREADS =
      OPTIONS.add("blockingThreads", DEFAULT_BLOCKING_THREADS, whole(1));
  private static final Option<Integer> MAX_PAYLOAD_BYTES = OPTIONS.add(
      "maxPayloadBytes", JsonLimits.PAYLOAD.maxBytes(), whole(1, JsonLimits.MOST_BYTES));

  /** The defaults. */
  public JobsOptions() {
    super(OPTIONS);
  }

  /** A copy. */
  public JobsOptions(JobsOptions other) {
    super(other);
  }

  /** Options from JSON, durations as {@code "30s"}. An unknown key is {@code ConfigurationInvalid}. */
  public JobsOptions(JsonObject json) {
    super(OPTIONS, json);
  }

  /** Most outcomes in one call of the store. */
  public int getOutcomeBatch() {
    return get(OUTCOME_BATCH);
  }

  /** Sets the most outcomes in one call of the store, at most {@value JobChecks#MOST_ENTRIES}. */
  public JobsOptions setOutcomeBatch(int outcomeBatch) {
    return set(OUTCOME_BATCH, outcomeBatch);
  }

  /** Most calls with outcomes at the same time. */
  public int getOutcomeCalls() {
    return get(OUTCOME_CALLS);
  }

  /** Sets the most calls with outcomes at the same time; outcomes that come meanwhile are gathered. */
  public JobsOptions setOutcomeCalls(int outcomeCalls) {
    return set(OUTCOME_CALLS, outcomeCalls);
  }

  /** How long an outcome is sent again while the store cannot be reached, or refuses it for what can be mended. */
  public Duration getOutcomeTimeout() {
    return get(OUTCOME_TIMEOUT);
  }

  /** Sets how long an outcome is sent again; after that it is dropped and the job's lock runs out. */
  public JobsOptions setOutcomeTimeout(Duration outcomeTimeout) {
    return set(OUTCOME_TIMEOUT, outcomeTimeout);
  }

  /** Most events that wait to be published. */
  public int getPendingEvents() {
    return get(PENDING_EVENTS);
  }

  /** Sets the most events that wait to be published; beyond it the oldest are dropped, as events are hints. */
  public JobsOptions setPendingEvents(int pendingEvents) {
    return set(PENDING_EVENTS, pendingEvents);
  }

  /** The events that queues and workers of this process tell through the store; all unless said otherwise. */
  public Set<StoreEventType> getPublishedEvents() {
    return get(PUBLISHED_EVENTS);
  }

  /**
   * Sets the events that are published. One that is left out reaches neither observers nor those who wait for a job,
   * who then find out at the next {@link #getWatchInterval()}; without {@code job:waiting} workers of other processes
   * wait for their next poll, without {@code job:cancelled} running handlers learn of it late.
   */
  public JobsOptions setPublishedEvents(Set<StoreEventType> publishedEvents) {
    return set(PUBLISHED_EVENTS, publishedEvents);
  }

  /** Most jobs that are waited for or observed at the same time. */
  public int getWatchedJobs() {
    return get(WATCHED_JOBS);
  }

  /** Sets the most jobs that are waited for or observed at the same time; one more fails. */
  public JobsOptions setWatchedJobs(int watchedJobs) {
    return set(WATCHED_JOBS, watchedJobs);
  }

  /**
   * How often a job that is waited for or observed is read where no event came. So it is the first time; then less and
   * less often, in the end after twelve times the pause.
   */
  public Duration getWatchInterval() {
    return get(WATCH_INTERVAL);
  }

  /** Sets how often a job that is waited for is read where no event came. */
  public JobsOptions setWatchInterval(Duration watchInterval) {
    return set(WATCH_INTERVAL, watchInterval);
  }

  /** How often jobs are removed whose options' age has passed. */
  public Duration getRetentionInterval() {
    return get(RETENTION_INTERVAL);
  }

  /** Sets how often jobs are removed whose options' age has passed; a process with a worker does so. */
  public JobsOptions setRetentionInterval(Duration retentionInterval) {
    return set(RETENTION_INTERVAL, retentionInterval);
  }

  /** Threads of blocking handlers on a JVM without virtual threads. */
  public int getBlockingThreads() {
    return get(BLOCKING_THREADS);
  }

  /** Sets the threads of blocking handlers, which only JVMs before 21 use. */
  public JobsOptions setBlockingThreads(int blockingThreads) {
    return set(BLOCKING_THREADS, blockingThreads);
  }

  /** Most bytes of a payload and of a return value. */
  public int getMaxPayloadBytes() {
    return get(MAX_PAYLOAD_BYTES);
  }

  /** Sets the most bytes of a payload and of a return value, in UTF-8. */
  public JobsOptions setMaxPayloadBytes(int maxPayloadBytes) {
    return set(MAX_PAYLOAD_BYTES, maxPayloadBytes);
  }
}
