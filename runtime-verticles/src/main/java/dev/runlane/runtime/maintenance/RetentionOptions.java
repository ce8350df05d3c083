package dev.runlane.runtime.maintenance;

import static dev.runlane.options.OptionTypes.choices;
import static dev.runlane.options.OptionTypes.duration;
import static dev.runlane.options.OptionTypes.whole;

import dev.runlane.options.Option;
import dev.runlane.options.OptionSet;
import dev.runlane.run.ContractDefaults;
import dev.runlane.run.RunStatus;
import dev.runlane.runtime.sweep.SweepOptions;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Which runs are removed, and how fast. None is until {@link #setOlderThan} says how old. */
public final class RetentionOptions extends SweepOptions<RetentionOptions> {
  /** Pause between two sweeps = 5 min. */
  public static final Duration DEFAULT_IDLE_DELAY = Duration.ofMinutes(5);

  /** Runs removed by one call = 500. */
  public static final int DEFAULT_BATCH_SIZE = ContractDefaults.PRUNE_LIMIT;

  /** Calls that one sweep makes = 20. */
  public static final int DEFAULT_BATCHES_PER_SWEEP = 20;

  /** Age at which operators' actions are removed from their log = 14 days. */
  public static final Duration DEFAULT_ACTIONS_OLDER_THAN = Duration.ofDays(14);

  private static final List<RunStatus> TERMINAL =
      Arrays.stream(RunStatus.values()).filter(RunStatus::isTerminal).toList();

  private static final OptionSet OPTIONS = SweepOptions.options("retention", DEFAULT_IDLE_DELAY);
  private static final Option<Duration> OLDER_THAN = OPTIONS.add("olderThan", null, duration());
  private static final Option<Set<RunStatus>> STATUSES =
      OPTIONS.add("statuses", null, choices(TERMINAL, RunStatus::value));
  private static final Option<Integer> BATCH_SIZE =
      OPTIONS.add("batchSize", DEFAULT_BATCH_SIZE, whole(1, MOST));
  private static final Option<Integer> BATCHES_PER_SWEEP =
      OPTIONS.add("batchesPerSweep", DEFAULT_BATCHES_PER_SWEEP, whole(1));

  private static final Option<Duration> ACTIONS_OLDER_THAN =
      OPTIONS.add("actionsOlderThan", DEFAULT_ACTIONS_OLDER_THAN, duration());

  /** The defaults: no run is removed. */
  public RetentionOptions() {
    super(OPTIONS);
  }

  /** A copy. */
  public RetentionOptions(RetentionOptions other) {
    super(other);
  }

  /** Options from JSON. Throws {@code ConfigurationInvalid} on an unknown key or a malformed value. */
  public RetentionOptions(JsonObject json) {
    super(OPTIONS, json);
  }

  /** How long ago a run must have ended to be removed; empty: none is. */
  public Optional<Duration> getOlderThan() {
    return find(OLDER_THAN);
  }

  /**
   * Sets how long ago a run must have ended to be removed, for ever; positive. It holds for all runs of the
   * environment, those of another application too.
   */
  public RetentionOptions setOlderThan(Duration age) {
    return set(OLDER_THAN, age);
  }

  /** The terminal statuses whose runs are removed; empty: all terminal ones. */
  public Set<RunStatus> getStatuses() {
    return find(STATUSES).orElse(Set.of());
  }

  /** Sets the statuses whose runs are removed; empty for all terminal ones, and no other is allowed. */
  public RetentionOptions setStatuses(Collection<RunStatus> statuses) {
    return set(STATUSES, statuses.isEmpty() ? null : Set.copyOf(statuses));
  }

  /** Runs removed by one call of the storage at most. */
  public int getBatchSize() {
    return get(BATCH_SIZE);
  }

  /** Sets the runs removed by one call; 1 to 10 000. */
  public RetentionOptions setBatchSize(int size) {
    return set(BATCH_SIZE, size);
  }

  /** Calls that one sweep makes at most; where more is left, the next sweep follows at once. */
  public int getBatchesPerSweep() {
    return get(BATCHES_PER_SWEEP);
  }

  /** Sets the calls that one sweep makes; at least 1. */
  public RetentionOptions setBatchesPerSweep(int batches) {
    return set(BATCHES_PER_SWEEP, batches);
  }

  /** How long ago an operator's action must have been recorded to be removed from the log of actions. */
  public Duration getActionsOlderThan() {
    return get(ACTIONS_OLDER_THAN);
  }

  /** Sets how long ago an operator's action must have been recorded to be removed from the log; positive. */
  public RetentionOptions setActionsOlderThan(Duration age) {
    return set(ACTIONS_OLDER_THAN, age);
  }
}
