package dev.runlane.steps.sql.worker;

import static dev.runlane.options.OptionTypes.duration;
import static dev.runlane.options.OptionTypes.text;
import static dev.runlane.options.OptionTypes.texts;
import static dev.runlane.options.OptionTypes.whole;

import dev.runlane.options.Option;
import dev.runlane.options.OptionSet;
import dev.runlane.options.OptionValues;
import dev.runlane.run.RunlaneException;
import dev.runlane.steps.StepChecks;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** What one {@link SqlStepWorker} does. Setters throw {@code ConfigurationInvalid} for values out of range. */
public final class SqlStepWorkerOptions extends OptionValues<SqlStepWorkerOptions> {
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

  private static final OptionSet OPTIONS = OptionSet.of("a step worker");
  private static final Option<List<String>> GROUPS = OPTIONS.add("groups", List.of(), texts());
  private static final Option<String> PARTITION = OPTIONS.add("partition", null, text());
  private static final Option<String> WORKER_ID = OPTIONS.add(
      "workerId",
      null,
      text().checked("text of 1 to 128 characters", SqlStepWorkerOptions::requireOwner));
  private static final Option<Integer> CONCURRENCY =
      OPTIONS.add("concurrency", DEFAULT_CONCURRENCY, whole(1, 5_000));
  private static final Option<Duration> LEASE = OPTIONS.add("lease", DEFAULT_LEASE, duration());
  private static final Option<Duration> SHORTEST_PAUSE =
      OPTIONS.add("shortestPause", DEFAULT_SHORTEST_PAUSE, duration());
  private static final Option<Duration> LONGEST_PAUSE =
      OPTIONS.add("longestPause", DEFAULT_LONGEST_PAUSE, duration());
  private static final Option<Duration> LONGEST_PAUSE_WITH_SIGNALS =
      OPTIONS.add("longestPauseWithSignals", DEFAULT_LONGEST_PAUSE_WITH_SIGNALS, duration());
  private static final Option<Duration> DRAIN_TIMEOUT =
      OPTIONS.add("drainTimeout", DEFAULT_DRAIN_TIMEOUT, duration());

  /** The defaults. */
  public SqlStepWorkerOptions() {
    super(OPTIONS);
  }

  /** A copy. */
  public SqlStepWorkerOptions(SqlStepWorkerOptions other) {
    super(other);
  }

  /** Options from JSON, durations as {@code "30s"}. An unknown key is {@code ConfigurationInvalid}. */
  public SqlStepWorkerOptions(JsonObject json) {
    super(OPTIONS, json);
  }

  /** The groups it polls; empty: those of its handlers' names. */
  public List<String> getGroups() {
    return get(GROUPS);
  }

  /** Sets the groups it polls; none: those of its handlers' names, in its partition. */
  public SqlStepWorkerOptions setGroups(List<String> groups) {
    return set(GROUPS, groups);
  }

  /** The partition of the groups that come from handlers' names; empty: none. */
  public Optional<String> getPartition() {
    return find(PARTITION);
  }

  /** Sets the partition of the groups that come from handlers' names. */
  public SqlStepWorkerOptions setPartition(String partition) {
    return set(PARTITION, partition);
  }

  /** What people see as owner of its leases; empty: an id is made. */
  public Optional<String> getWorkerId() {
    return find(WORKER_ID);
  }

  /** Sets what people see as owner of its leases: 1 to 128 characters. Workers may share one. */
  public SqlStepWorkerOptions setWorkerId(String workerId) {
    return set(WORKER_ID, workerId);
  }

  /** Handlers at the same time. As many results again may wait to be recorded. */
  public int getConcurrency() {
    return get(CONCURRENCY);
  }

  /** Sets how many handlers run at the same time, 1 to 5 000; no more tasks are claimed than may run. */
  public SqlStepWorkerOptions setConcurrency(int concurrency) {
    return set(CONCURRENCY, concurrency);
  }

  /** The age at which a lease may be taken over. */
  public Duration getLease() {
    return get(LEASE);
  }

  /**
   * Sets the age at which a lease may be taken over. All workers of a group need the same, in whatever
   * language: one that thinks leases shorter takes over tasks that are being run. Leases are renewed at a
   * third of it, at the latest every 5 s.
   */
  public SqlStepWorkerOptions setLease(Duration lease) {
    return set(LEASE, lease);
  }

  /** The wait after a look that found something. */
  public Duration getShortestPause() {
    return get(SHORTEST_PAUSE);
  }

  /**
   * Sets the wait after a look that found something; it doubles with each that finds nothing. While no signals are
   * heard, a quarter of it is the first wait after a step has ended.
   */
  public SqlStepWorkerOptions setShortestPause(Duration shortestPause) {
    return set(SHORTEST_PAUSE, shortestPause);
  }

  /** The longest wait between looks while no signals are heard. */
  public Duration getLongestPause() {
    return get(LONGEST_PAUSE);
  }

  /** Sets the longest wait between looks while no signals are heard. */
  public SqlStepWorkerOptions setLongestPause(Duration longestPause) {
    return set(LONGEST_PAUSE, longestPause);
  }

  /** The longest wait between looks while signals are heard. */
  public Duration getLongestPauseWithSignals() {
    return get(LONGEST_PAUSE_WITH_SIGNALS);
  }

  /** Sets the longest wait between looks while signals are heard: what writers that send none cost. */
  public SqlStepWorkerOptions setLongestPauseWithSignals(Duration longestPauseWithSignals) {
    return set(LONGEST_PAUSE_WITH_SIGNALS, longestPauseWithSignals);
  }

  /** How long stopping waits for handlers. */
  public Duration getDrainTimeout() {
    return get(DRAIN_TIMEOUT);
  }

  /** Sets how long stopping waits for handlers; tasks that still run then stay leased until that passes. */
  public SqlStepWorkerOptions setDrainTimeout(Duration drainTimeout) {
    return set(DRAIN_TIMEOUT, drainTimeout);
  }

  private static String requireOwner(String option, String owner) {
    if (owner.isEmpty() || owner.length() > StepChecks.MOST_OWNER_CHARACTERS) {
      throw RunlaneException.configurationInvalid(
          "%s must have 1 to %d characters, but has %d",
          option, StepChecks.MOST_OWNER_CHARACTERS, owner.length());
    }
    return owner;
  }
}
