package dev.runlane.runtime;

import dev.runlane.options.OptionChecks;
import dev.runlane.run.ContractDefaults;
import dev.runlane.timing.Durations;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.Set;

/** How a scheduler works. */
public final class SchedulerOptions extends SweepOptions<SchedulerOptions> {
  /** Pause between two sweeps = 1 s. */
  public static final Duration DEFAULT_IDLE_DELAY = ContractDefaults.SWEEP;

  /** Fires that one sweep looks after = 100. */
  public static final int DEFAULT_SWEEP_LIMIT = ContractDefaults.SWEEP_LIMIT;

  /** How long a claim on one fire lasts = 60 s. */
  public static final Duration DEFAULT_CLAIM_DURATION = ContractDefaults.SCHEDULE_CLAIM;

  /** How old a fire may be at the start of a scheduler and not count as missed = 2 min. */
  public static final Duration DEFAULT_SKIP_TOLERANCE = Duration.ofMinutes(2);

  /** Longest pause before a fire that others hold is looked at again = 1 h. */
  public static final Duration DEFAULT_LONGEST_RECHECK = Duration.ofHours(1);

  /** Pause between two times that the storage is told which schedules there are = 1 min. */
  public static final Duration DEFAULT_DEFINITION_REFRESH = Duration.ofMinutes(1);

  /** How long a definition may be away, while another is there, and not count as edited = 1 h. */
  public static final Duration DEFAULT_DEFINITION_KEPT = Duration.ofHours(1);

  private static final Set<String> KEYS = Set.of(
      "sweepLimit",
      "claimDuration",
      "skipTolerance",
      "longestRecheck",
      "definitionRefresh",
      "definitionKept");

  private int sweepLimit = DEFAULT_SWEEP_LIMIT;
  private Duration claimDuration = DEFAULT_CLAIM_DURATION;
  private Duration skipTolerance = DEFAULT_SKIP_TOLERANCE;
  private Duration longestRecheck = DEFAULT_LONGEST_RECHECK;
  private Duration definitionRefresh = DEFAULT_DEFINITION_REFRESH;
  private Duration definitionKept = DEFAULT_DEFINITION_KEPT;

  /** The defaults. */
  public SchedulerOptions() {
    super(DEFAULT_IDLE_DELAY);
  }

  /** A copy. */
  public SchedulerOptions(SchedulerOptions other) {
    super(other);
    sweepLimit = other.sweepLimit;
    claimDuration = other.claimDuration;
    skipTolerance = other.skipTolerance;
    longestRecheck = other.longestRecheck;
    definitionRefresh = other.definitionRefresh;
    definitionKept = other.definitionKept;
  }

  /** Options from JSON. Throws {@code ConfigurationInvalid} on an unknown key or a malformed value. */
  public SchedulerOptions(JsonObject json) {
    this();
    readCommon("a scheduler", json, KEYS);
    OptionChecks.integer(json, "sweepLimit", this::setSweepLimit);
    OptionChecks.duration(json, "claimDuration", this::setClaimDuration);
    OptionChecks.duration(json, "skipTolerance", this::setSkipTolerance);
    OptionChecks.duration(json, "longestRecheck", this::setLongestRecheck);
    OptionChecks.duration(json, "definitionRefresh", this::setDefinitionRefresh);
    OptionChecks.duration(json, "definitionKept", this::setDefinitionKept);
  }

  @Override
  public JsonObject toJson() {
    return super.toJson()
        .put("sweepLimit", sweepLimit)
        .put("claimDuration", Durations.format(claimDuration))
        .put("skipTolerance", Durations.format(skipTolerance))
        .put("longestRecheck", Durations.format(longestRecheck))
        .put("definitionRefresh", Durations.format(definitionRefresh))
        .put("definitionKept", Durations.format(definitionKept));
  }

  /** Fires that one sweep looks after at most. */
  public int getSweepLimit() {
    return sweepLimit;
  }

  /** Sets the fires that one sweep looks after; 1 to 10 000. */
  public SchedulerOptions setSweepLimit(int limit) {
    sweepLimit = requireLimit("sweepLimit", limit);
    return this;
  }

  /** How long a scheduler owns a fire it claims; another one may take it over afterwards. */
  public Duration getClaimDuration() {
    return claimDuration;
  }

  /** Sets how long a claim lasts; positive. */
  public SchedulerOptions setClaimDuration(Duration duration) {
    claimDuration = OptionChecks.requirePositive("claimDuration", duration);
    return this;
  }

  /**
   * How long before the start of a scheduler a fire may lie that a schedule which skips missed fires still
   * makes a run of. It covers a restart: a fire whose scheduler was killed between claiming it and making
   * its run is made up for by the successor once the claim has ended.
   */
  public Duration getSkipTolerance() {
    return skipTolerance;
  }

  /** Sets the tolerance; not negative. Below the claim's duration a kill may cost such schedules a fire. */
  public SchedulerOptions setSkipTolerance(Duration tolerance) {
    skipTolerance = OptionChecks.requireNotNegative("skipTolerance", tolerance);
    return this;
  }

  /**
   * The longest pause before a fire that storage did not give to this scheduler, because it is completed or
   * somebody else's, is asked for again. The first pause is the claim's duration; it doubles each time.
   */
  public Duration getLongestRecheck() {
    return longestRecheck;
  }

  /** Sets the longest pause; positive. */
  public SchedulerOptions setLongestRecheck(Duration longest) {
    longestRecheck = OptionChecks.requirePositive("longestRecheck", longest);
    return this;
  }

  /** How often a scheduler tells the storage which schedules it has: one statement. */
  public Duration getDefinitionRefresh() {
    return definitionRefresh;
  }

  /** Sets how often; positive, and well below {@link #getDefinitionKept()}. */
  public SchedulerOptions setDefinitionRefresh(Duration refresh) {
    definitionRefresh = OptionChecks.requirePositive("definitionRefresh", refresh);
    return this;
  }

  /**
   * How long no scheduler may have told of a definition of a schedule, while another definition was told of, before
   * its return is an edit that counts from then. Within this time it goes on counting from when it did: a
   * process of the version before that restarts during a rolling upgrade, and a quick rollback, miss nothing.
   */
  public Duration getDefinitionKept() {
    return definitionKept;
  }

  /** Sets how long; positive. */
  public SchedulerOptions setDefinitionKept(Duration kept) {
    definitionKept = OptionChecks.requirePositive("definitionKept", kept);
    return this;
  }

  @Override
  SchedulerOptions self() {
    return this;
  }
}
