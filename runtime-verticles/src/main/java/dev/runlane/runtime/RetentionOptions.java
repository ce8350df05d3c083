package dev.runlane.runtime;

import dev.runlane.options.OptionChecks;
import dev.runlane.run.ContractDefaults;
import dev.runlane.run.RunStatus;
import dev.runlane.run.RunlaneException;
import dev.runlane.timing.Durations;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.Collection;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Which runs are removed, and how fast. Nothing is until {@link #setOlderThan} says how old. */
public final class RetentionOptions extends SweepOptions<RetentionOptions> {
  /** Pause between two sweeps = 5 min. */
  public static final Duration DEFAULT_IDLE_DELAY = Duration.ofMinutes(5);

  /** Runs removed by one call = 500. */
  public static final int DEFAULT_BATCH_SIZE = ContractDefaults.PRUNE_LIMIT;

  /** Calls that one sweep makes = 20. */
  public static final int DEFAULT_BATCHES_PER_SWEEP = 20;

  private static final Set<String> KEYS =
      Set.of("olderThan", "statuses", "batchSize", "batchesPerSweep");

  private @Nullable Duration olderThan;
  private Set<RunStatus> statuses = Set.of();
  private int batchSize = DEFAULT_BATCH_SIZE;
  private int batchesPerSweep = DEFAULT_BATCHES_PER_SWEEP;

  /** The defaults: nothing is removed. */
  public RetentionOptions() {
    super(DEFAULT_IDLE_DELAY);
  }

  /** A copy. */
  public RetentionOptions(RetentionOptions other) {
    super(other);
    olderThan = other.olderThan;
    statuses = other.statuses;
    batchSize = other.batchSize;
    batchesPerSweep = other.batchesPerSweep;
  }

  /** Options from JSON. Throws {@code ConfigurationInvalid} on an unknown key or a malformed value. */
  public RetentionOptions(JsonObject json) {
    this();
    readCommon("retention", json, KEYS);
    OptionChecks.duration(json, "olderThan", this::setOlderThan);
    OptionChecks.integer(json, "batchSize", this::setBatchSize);
    OptionChecks.integer(json, "batchesPerSweep", this::setBatchesPerSweep);
    if (json.containsKey("statuses")) {
      setStatuses(statuses(json.getValue("statuses")));
    }
  }

  @Override
  public JsonObject toJson() {
    JsonObject json =
        super.toJson().put("batchSize", batchSize).put("batchesPerSweep", batchesPerSweep);
    if (olderThan != null) {
      json.put("olderThan", Durations.format(olderThan));
    }
    JsonArray values = new JsonArray();
    statuses.stream().sorted().map(RunStatus::value).forEach(values::add);
    return values.isEmpty() ? json : json.put("statuses", values);
  }

  /** How long ago a run must have ended to be removed; empty: none is. */
  public Optional<Duration> getOlderThan() {
    return Optional.ofNullable(olderThan);
  }

  /** Sets how long ago a run must have ended to be removed, for ever; positive. */
  public RetentionOptions setOlderThan(Duration age) {
    olderThan = OptionChecks.requirePositive("olderThan", age);
    return this;
  }

  /** The terminal statuses whose runs are removed; empty: all terminal ones. */
  public Set<RunStatus> getStatuses() {
    return statuses;
  }

  /** Sets the statuses whose runs are removed; empty for all terminal ones, and no other is allowed. */
  public RetentionOptions setStatuses(Collection<RunStatus> statuses) {
    for (RunStatus status : statuses) {
      if (!status.isTerminal()) {
        throw RunlaneException.configurationInvalid(
            "only terminal runs can be removed, but %s is active", status.value());
      }
    }
    this.statuses = Set.copyOf(statuses);
    return this;
  }

  /** Runs removed by one call of the storage at most. */
  public int getBatchSize() {
    return batchSize;
  }

  /** Sets the runs removed by one call; 1 to 10 000. */
  public RetentionOptions setBatchSize(int size) {
    batchSize = requireLimit("batchSize", size);
    return this;
  }

  /** Calls that one sweep makes at most; where more is left, the next sweep follows at once. */
  public int getBatchesPerSweep() {
    return batchesPerSweep;
  }

  /** Sets the calls that one sweep makes; at least 1. */
  public RetentionOptions setBatchesPerSweep(int batches) {
    batchesPerSweep = OptionChecks.requireAtLeast(1, "batchesPerSweep", batches);
    return this;
  }

  @Override
  RetentionOptions self() {
    return this;
  }

  private static Set<RunStatus> statuses(@Nullable Object value) {
    if (!(value instanceof JsonArray array)) {
      throw RunlaneException.configurationInvalid("option statuses must be a list of statuses");
    }
    Set<RunStatus> statuses = EnumSet.noneOf(RunStatus.class);
    for (Object element : array) {
      statuses.add(RunStatus.ofValue(String.valueOf(element))
          .orElseThrow(() -> RunlaneException.configurationInvalid(
              "option statuses must hold run statuses, but holds %s", element)));
    }
    return statuses;
  }
}
