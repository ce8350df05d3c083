package dev.runlane.jobs.queue;

import dev.runlane.jobs.JobChecks;
import dev.runlane.jobs.StoreEventType;
import dev.runlane.json.JsonLimits;
import dev.runlane.options.OptionChecks;
import dev.runlane.run.RunlaneException;
import dev.runlane.timing.Durations;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** What all queues and workers of a process share. Setters throw {@code ConfigurationInvalid}. */
public final class JobsOptions {
  /** Outcomes sent to the store in one call = 256. */
  public static final int DEFAULT_OUTCOME_BATCH = 256;

  /** Calls with outcomes at the same time = 2. */
  public static final int DEFAULT_OUTCOME_CALLS = 2;

  /** How long an outcome is sent again while the store cannot be reached = 5 min. */
  public static final Duration DEFAULT_OUTCOME_TIMEOUT = Duration.ofMinutes(5);

  /** Events that wait to be told = 10 000. */
  public static final int DEFAULT_PENDING_EVENTS = 10_000;

  /** Jobs that are waited for or observed at the same time = 100 000. */
  public static final int DEFAULT_WATCHED_JOBS = 100_000;

  /** How often a job that is waited for is read where no event came = 5 s. */
  public static final Duration DEFAULT_WATCH_INTERVAL = Duration.ofSeconds(5);

  /** How often what retention has made due is removed = 60 s. */
  public static final Duration DEFAULT_RETENTION_INTERVAL = Duration.ofMinutes(1);

  /** Threads of blocking handlers on a JVM without virtual threads = 64. */
  public static final int DEFAULT_BLOCKING_THREADS = 64;

  private static final Set<String> KEYS = Set.of(
      "outcomeBatch",
      "outcomeCalls",
      "outcomeTimeout",
      "pendingEvents",
      "publishedEvents",
      "watchedJobs",
      "watchInterval",
      "retentionInterval",
      "blockingThreads",
      "maxPayloadBytes");

  private int outcomeBatch = DEFAULT_OUTCOME_BATCH;
  private int outcomeCalls = DEFAULT_OUTCOME_CALLS;
  private Duration outcomeTimeout = DEFAULT_OUTCOME_TIMEOUT;
  private int pendingEvents = DEFAULT_PENDING_EVENTS;
  private Set<StoreEventType> publishedEvents = Set.of(StoreEventType.values());
  private int watchedJobs = DEFAULT_WATCHED_JOBS;
  private Duration watchInterval = DEFAULT_WATCH_INTERVAL;
  private Duration retentionInterval = DEFAULT_RETENTION_INTERVAL;
  private int blockingThreads = DEFAULT_BLOCKING_THREADS;
  private int maxPayloadBytes = JsonLimits.PAYLOAD.maxBytes();

  /** The defaults. */
  public JobsOptions() {}

  /** A copy. */
  public JobsOptions(JobsOptions other) {
    outcomeBatch = other.outcomeBatch;
    outcomeCalls = other.outcomeCalls;
    outcomeTimeout = other.outcomeTimeout;
    pendingEvents = other.pendingEvents;
    publishedEvents = other.publishedEvents;
    watchedJobs = other.watchedJobs;
    watchInterval = other.watchInterval;
    retentionInterval = other.retentionInterval;
    blockingThreads = other.blockingThreads;
    maxPayloadBytes = other.maxPayloadBytes;
  }

  /** Options from JSON, durations as {@code "30s"}. An unknown key is {@code ConfigurationInvalid}. */
  public JobsOptions(JsonObject json) {
    OptionChecks.requireKnown("the job queue", json, KEYS);
    OptionChecks.integer(json, "outcomeBatch", this::setOutcomeBatch);
    OptionChecks.integer(json, "outcomeCalls", this::setOutcomeCalls);
    OptionChecks.duration(json, "outcomeTimeout", this::setOutcomeTimeout);
    OptionChecks.integer(json, "pendingEvents", this::setPendingEvents);
    OptionChecks.textList(json, "publishedEvents", this::setPublishedEventNames);
    OptionChecks.integer(json, "watchedJobs", this::setWatchedJobs);
    OptionChecks.duration(json, "watchInterval", this::setWatchInterval);
    OptionChecks.duration(json, "retentionInterval", this::setRetentionInterval);
    OptionChecks.integer(json, "blockingThreads", this::setBlockingThreads);
    OptionChecks.integer(json, "maxPayloadBytes", this::setMaxPayloadBytes);
  }

  /** The JSON form, which the constructor that takes one turns back into equal options. */
  public JsonObject toJson() {
    return new JsonObject()
        .put("outcomeBatch", outcomeBatch)
        .put("outcomeCalls", outcomeCalls)
        .put("outcomeTimeout", Durations.format(outcomeTimeout))
        .put("pendingEvents", pendingEvents)
        .put(
            "publishedEvents",
            new JsonArray(Arrays.stream(StoreEventType.values())
                .filter(publishedEvents::contains)
                .map(StoreEventType::value)
                .toList()))
        .put("watchedJobs", watchedJobs)
        .put("watchInterval", Durations.format(watchInterval))
        .put("retentionInterval", Durations.format(retentionInterval))
        .put("blockingThreads", blockingThreads)
        .put("maxPayloadBytes", maxPayloadBytes);
  }

  /** Most outcomes in one call of the store. */
  public int getOutcomeBatch() {
    return outcomeBatch;
  }

  /** Sets the most outcomes in one call of the store, at most {@value JobChecks#MOST_ENTRIES}. */
  public JobsOptions setOutcomeBatch(int outcomeBatch) {
    OptionChecks.requireAtLeast(1, "outcomeBatch", outcomeBatch);
    if (outcomeBatch > JobChecks.MOST_ENTRIES) {
      throw RunlaneException.configurationInvalid(
          "outcomeBatch must be at most %d, but is %d", JobChecks.MOST_ENTRIES, outcomeBatch);
    }
    this.outcomeBatch = outcomeBatch;
    return this;
  }

  /** Most calls with outcomes at the same time. */
  public int getOutcomeCalls() {
    return outcomeCalls;
  }

  /** Sets the most calls with outcomes at the same time; outcomes that come meanwhile are gathered. */
  public JobsOptions setOutcomeCalls(int outcomeCalls) {
    this.outcomeCalls = OptionChecks.requireAtLeast(1, "outcomeCalls", outcomeCalls);
    return this;
  }

  /** How long an outcome is sent again while the store cannot be reached. */
  public Duration getOutcomeTimeout() {
    return outcomeTimeout;
  }

  /** Sets how long an outcome is sent again; after that it is dropped and the job's lock runs out. */
  public JobsOptions setOutcomeTimeout(Duration outcomeTimeout) {
    this.outcomeTimeout = OptionChecks.requireMillis("outcomeTimeout", outcomeTimeout);
    return this;
  }

  /** Most events that wait to be told. */
  public int getPendingEvents() {
    return pendingEvents;
  }

  /** Sets the most events that wait to be told; beyond it the oldest are dropped, as events are hints. */
  public JobsOptions setPendingEvents(int pendingEvents) {
    this.pendingEvents = OptionChecks.requireAtLeast(1, "pendingEvents", pendingEvents);
    return this;
  }

  /** The events that queues and workers of this process tell through the store; all unless said otherwise. */
  public Set<StoreEventType> getPublishedEvents() {
    return publishedEvents;
  }

  /**
   * Sets the events that are told. One that is left out reaches neither observers nor those who wait for a job, who
   * then find out at the next {@link #getWatchInterval()}; without {@code job:waiting} workers of other processes
   * wait for their next poll, without {@code job:cancelled} running handlers learn of it late.
   */
  public JobsOptions setPublishedEvents(Set<StoreEventType> publishedEvents) {
    this.publishedEvents = Set.copyOf(publishedEvents);
    return this;
  }

  /** Most jobs that are waited for or observed at the same time. */
  public int getWatchedJobs() {
    return watchedJobs;
  }

  /** Sets the most jobs that are waited for or observed at the same time; one more fails. */
  public JobsOptions setWatchedJobs(int watchedJobs) {
    this.watchedJobs = OptionChecks.requireAtLeast(1, "watchedJobs", watchedJobs);
    return this;
  }

  /** How often a job that is waited for is read where no event came. */
  public Duration getWatchInterval() {
    return watchInterval;
  }

  /** Sets how often a job that is waited for is read where no event came. */
  public JobsOptions setWatchInterval(Duration watchInterval) {
    this.watchInterval = OptionChecks.requireMillis("watchInterval", watchInterval);
    return this;
  }

  /** How often jobs are removed whose options' age has passed. */
  public Duration getRetentionInterval() {
    return retentionInterval;
  }

  /** Sets how often jobs are removed whose options' age has passed; a process with a worker does so. */
  public JobsOptions setRetentionInterval(Duration retentionInterval) {
    this.retentionInterval = OptionChecks.requireMillis("retentionInterval", retentionInterval);
    return this;
  }

  /** Threads of blocking handlers on a JVM without virtual threads. */
  public int getBlockingThreads() {
    return blockingThreads;
  }

  /** Sets the threads of blocking handlers, which only JVMs before 21 use. */
  public JobsOptions setBlockingThreads(int blockingThreads) {
    this.blockingThreads = OptionChecks.requireAtLeast(1, "blockingThreads", blockingThreads);
    return this;
  }

  /** Most bytes of a payload and of a return value. */
  public int getMaxPayloadBytes() {
    return maxPayloadBytes;
  }

  /** Sets the most bytes of a payload and of a return value, in UTF-8. */
  public JobsOptions setMaxPayloadBytes(int maxPayloadBytes) {
    this.maxPayloadBytes = OptionChecks.requireAtLeast(1, "maxPayloadBytes", maxPayloadBytes);
    return this;
  }

  private void setPublishedEventNames(List<String> names) {
    Set<StoreEventType> types = EnumSet.noneOf(StoreEventType.class);
    for (String name : names) {
      types.add(StoreEventType.ofValue(name)
          .orElseThrow(() -> RunlaneException.configurationInvalid("no event is named %s", name)));
    }
    setPublishedEvents(types);
  }
}
