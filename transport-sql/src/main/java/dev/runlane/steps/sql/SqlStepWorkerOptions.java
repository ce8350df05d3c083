package dev.runlane.steps.sql;

import dev.runlane.options.OptionChecks;
import dev.runlane.run.RunlaneException;
import dev.runlane.steps.StepChecks;
import dev.runlane.timing.Durations;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What one {@link SqlStepWorker} does. Setters throw {@code ConfigurationInvalid} for values out of range. */
public final class SqlStepWorkerOptions {
  /** Handlers at the same time = {@value}. */
  public static final int DEFAULT_CONCURRENCY = 16;

  /** The age at which a lease may be taken over = 30 s. */
  public static final Duration DEFAULT_LEASE = Duration.ofSeconds(30);

  /** The wait after a look that found something = 20 ms. */
  public static final Duration DEFAULT_SHORTEST_PAUSE = Duration.ofMillis(20);

  /** The longest wait between looks while no signals are heard = 500 ms. */
  public static final Duration DEFAULT_LONGEST_PAUSE = Duration.ofMillis(500);

  /** The longest wait between looks while signals are heard = 5 s. */
  public static final Duration DEFAULT_LONGEST_PAUSE_WITH_SIGNALS = Duration.ofSeconds(5);

  /** How long stopping waits for handlers = 10 s. */
  public static final Duration DEFAULT_DRAIN_TIMEOUT = Duration.ofSeconds(10);

  private static final int MOST_CONCURRENCY = 5_000;

  private static final Set<String> KEYS = Set.of(
      "groups",
      "partition",
      "workerId",
      "concurrency",
      "lease",
      "shortestPause",
      "longestPause",
      "longestPauseWithSignals",
      "drainTimeout");

  private List<String> groups = List.of();
  private @Nullable String partition;
  private @Nullable String workerId;
  private int concurrency = DEFAULT_CONCURRENCY;
  private Duration lease = DEFAULT_LEASE;
  private Duration shortestPause = DEFAULT_SHORTEST_PAUSE;
  private Duration longestPause = DEFAULT_LONGEST_PAUSE;
  private Duration longestPauseWithSignals = DEFAULT_LONGEST_PAUSE_WITH_SIGNALS;
  private Duration drainTimeout = DEFAULT_DRAIN_TIMEOUT;

  /** The defaults. */
  public SqlStepWorkerOptions() {}

  /** A copy. */
  public SqlStepWorkerOptions(SqlStepWorkerOptions other) {
    groups = other.groups;
    partition = other.partition;
    workerId = other.workerId;
    concurrency = other.concurrency;
    lease = other.lease;
    shortestPause = other.shortestPause;
    longestPause = other.longestPause;
    longestPauseWithSignals = other.longestPauseWithSignals;
    drainTimeout = other.drainTimeout;
  }

  /** Options from JSON, durations as {@code "30s"}. An unknown key is {@code ConfigurationInvalid}. */
  public SqlStepWorkerOptions(JsonObject json) {
    OptionChecks.requireKnown("a step worker", json, KEYS);
    OptionChecks.textList(json, "groups", this::setGroups);
    OptionChecks.text(json, "partition", this::setPartition);
    OptionChecks.text(json, "workerId", this::setWorkerId);
    OptionChecks.integer(json, "concurrency", this::setConcurrency);
    OptionChecks.duration(json, "lease", this::setLease);
    OptionChecks.duration(json, "shortestPause", this::setShortestPause);
    OptionChecks.duration(json, "longestPause", this::setLongestPause);
    OptionChecks.duration(json, "longestPauseWithSignals", this::setLongestPauseWithSignals);
    OptionChecks.duration(json, "drainTimeout", this::setDrainTimeout);
  }

  /** The JSON form, which the constructor that takes one turns back into equal options. */
  public JsonObject toJson() {
    JsonObject json = new JsonObject()
        .put("groups", new JsonArray(groups))
        .put("concurrency", concurrency)
        .put("lease", Durations.format(lease))
        .put("shortestPause", Durations.format(shortestPause))
        .put("longestPause", Durations.format(longestPause))
        .put("longestPauseWithSignals", Durations.format(longestPauseWithSignals))
        .put("drainTimeout", Durations.format(drainTimeout));
    if (partition != null) {
      json.put("partition", partition);
    }
    return workerId == null ? json : json.put("workerId", workerId);
  }

  /** The groups it polls; empty: those of its handlers' names. */
  public List<String> getGroups() {
    return groups;
  }

  /** Sets the groups it polls; none: those of its handlers' names, in its partition. */
  public SqlStepWorkerOptions setGroups(List<String> groups) {
    this.groups = List.copyOf(groups);
    return this;
  }

  /** The partition of the groups that come from handlers' names; empty: none. */
  public Optional<String> getPartition() {
    return Optional.ofNullable(partition);
  }

  /** Sets the partition of the groups that come from handlers' names. */
  public SqlStepWorkerOptions setPartition(String partition) {
    this.partition = partition;
    return this;
  }

  /** What people see as owner of its leases; empty: an id is made. */
  public Optional<String> getWorkerId() {
    return Optional.ofNullable(workerId);
  }

  /** Sets what people see as owner of its leases: 1 to 128 characters. Workers may share one. */
  public SqlStepWorkerOptions setWorkerId(String workerId) {
    if (workerId.isEmpty() || workerId.length() > StepChecks.MOST_OWNER_CHARACTERS) {
      throw RunlaneException.configurationInvalid(
          "workerId must have 1 to %d characters, but has %d",
          StepChecks.MOST_OWNER_CHARACTERS, workerId.length());
    }
    this.workerId = workerId;
    return this;
  }

  /** Handlers at the same time. As many results again may wait to be recorded. */
  public int getConcurrency() {
    return concurrency;
  }

  /** Sets how many handlers run at the same time, 1 to 5 000; no more tasks are claimed than may run. */
  public SqlStepWorkerOptions setConcurrency(int concurrency) {
    if (concurrency < 1 || concurrency > MOST_CONCURRENCY) {
      throw RunlaneException.configurationInvalid(
          "concurrency must be between 1 and %d, but is %d", MOST_CONCURRENCY, concurrency);
    }
    this.concurrency = concurrency;
    return this;
  }

  /** The age at which a lease may be taken over. */
  public Duration getLease() {
    return lease;
  }

  /**
   * Sets the age at which a lease may be taken over. All workers of a group need the same, in whatever
   * language: one that thinks leases shorter takes over tasks that are being run. Leases are renewed at a
   * third of it, at the latest every 5 s.
   */
  public SqlStepWorkerOptions setLease(Duration lease) {
    this.lease = OptionChecks.requireMillis("lease", lease);
    return this;
  }

  /** The wait after a look that found something. */
  public Duration getShortestPause() {
    return shortestPause;
  }

  /**
   * Sets the wait after a look that found something; it doubles with each that finds nothing. While no signals are
   * heard, a quarter of it is the first wait after a step has ended.
   */
  public SqlStepWorkerOptions setShortestPause(Duration shortestPause) {
    this.shortestPause = OptionChecks.requireMillis("shortestPause", shortestPause);
    return this;
  }

  /** The longest wait between looks while no signals are heard. */
  public Duration getLongestPause() {
    return longestPause;
  }

  /** Sets the longest wait between looks while no signals are heard. */
  public SqlStepWorkerOptions setLongestPause(Duration longestPause) {
    this.longestPause = OptionChecks.requireMillis("longestPause", longestPause);
    return this;
  }

  /** The longest wait between looks while signals are heard. */
  public Duration getLongestPauseWithSignals() {
    return longestPauseWithSignals;
  }

  /** Sets the longest wait between looks while signals are heard: what writers that send none cost. */
  public SqlStepWorkerOptions setLongestPauseWithSignals(Duration longestPauseWithSignals) {
    this.longestPauseWithSignals =
        OptionChecks.requireMillis("longestPauseWithSignals", longestPauseWithSignals);
    return this;
  }

  /** How long stopping waits for handlers. */
  public Duration getDrainTimeout() {
    return drainTimeout;
  }

  /** Sets how long stopping waits for handlers; tasks that still run then stay leased until that passes. */
  public SqlStepWorkerOptions setDrainTimeout(Duration drainTimeout) {
    this.drainTimeout = OptionChecks.requireMillis("drainTimeout", drainTimeout);
    return this;
  }
}
