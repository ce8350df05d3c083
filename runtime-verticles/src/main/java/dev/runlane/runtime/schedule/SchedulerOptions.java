package dev.runlane.runtime.schedule;

import static dev.runlane.options.OptionTypes.duration;
import static dev.runlane.options.OptionTypes.durationOrZero;
import static dev.runlane.options.OptionTypes.whole;

import dev.runlane.options.Option;
import dev.runlane.options.OptionSet;
import dev.runlane.run.ContractDefaults;
import dev.runlane.runtime.sweep.SweepOptions;
import io.vertx.core.json.JsonObject;
import java.time.Duration;

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

  /** Pause between two registrations of the schedules in the storage = 1 min. */
  public static final Duration DEFAULT_DEFINITION_REFRESH = Duration.ofMinutes(1);

  /** How long a definition may be away, while another is there, and not count as edited = 1 h. */
  public static final Duration DEFAULT_DEFINITION_KEPT = Duration.ofHours(1);

  private static final OptionSet OPTIONS = SweepOptions.options("a scheduler", DEFAULT_IDLE_DELAY);
  private static final Option<Integer> SWEEP_LIMIT =
      OPTIONS.add("sweepLimit", DEFAULT_SWEEP_LIMIT, whole(1, MOST));
  private static final Option<Duration> CLAIM_DURATION =
      OPTIONS.add("claimDuration", DEFAULT_CLAIM_DURATION, duration());
  private static final Option<Duration> SKIP_TOLERANCE =
      OPTIONS.add("skipTolerance", DEFAULT_SKIP_TOLERANCE, durationOrZero());
  private static final Option<Duration> LONGEST_RECHECK =
      OPTIONS.add("longestRecheck", DEFAULT_LONGEST_RECHECK, duration());
  private static final Option<Duration> DEFINITION_REFRESH =
      OPTIONS.add("definitionRefresh", DEFAULT_DEFINITION_REFRESH, duration());
  private static final Option<Duration> DEFINITION_KEPT =
      OPTIONS.add("definitionKept", DEFAULT_DEFINITION_KEPT, duration());

  /** The defaults. */
  public SchedulerOptions() {
    super(OPTIONS);
  }

  /** A copy. */
  public SchedulerOptions(SchedulerOptions other) {
    super(other);
  }

  /** Options from JSON. Throws {@code ConfigurationInvalid} on an unknown key or a malformed value. */
  public SchedulerOptions(JsonObject json) {
    super(OPTIONS, json);
  }

  /** Most fires that one sweep processes. */
  public int getSweepLimit() {
    return get(SWEEP_LIMIT);
  }

  /** Sets the fires that one sweep looks after; 1 to 10 000. */
  public SchedulerOptions setSweepLimit(int limit) {
    return set(SWEEP_LIMIT, limit);
  }

  /** How long a scheduler owns a fire it claims; another one may claim it afterwards. */
  public Duration getClaimDuration() {
    return get(CLAIM_DURATION);
  }

  /** Sets how long a claim lasts; positive. */
  public SchedulerOptions setClaimDuration(Duration duration) {
    return set(CLAIM_DURATION, duration);
  }

  /**
   * How long before the start of a scheduler a fire may lie that a schedule which skips missed fires still
   * makes a run of. It covers a restart: a fire whose scheduler was killed between claiming it and making
   * its run is made up for by the successor once the claim has ended.
   */
  public Duration getSkipTolerance() {
    return get(SKIP_TOLERANCE);
  }

  /** Sets the tolerance; not negative. Below the claim's duration a kill may cost such schedules a fire. */
  public SchedulerOptions setSkipTolerance(Duration tolerance) {
    return set(SKIP_TOLERANCE, tolerance);
  }

  /**
   * The longest pause before this scheduler tries again to claim a fire that is completed or claimed by another
   * process. The first pause is the claim's duration; it doubles each time.
   */
  public Duration getLongestRecheck() {
    return get(LONGEST_RECHECK);
  }

  /** Sets the longest pause; positive. */
  public SchedulerOptions setLongestRecheck(Duration longest) {
    return set(LONGEST_RECHECK, longest);
  }

  /** How often a scheduler registers its schedules in the storage: one statement. */
  public Duration getDefinitionRefresh() {
    return get(DEFINITION_REFRESH);
  }

  /** Sets how often; positive, and well below {@link #getDefinitionKept()}. */
  public SchedulerOptions setDefinitionRefresh(Duration refresh) {
    return set(DEFINITION_REFRESH, refresh);
  }

  /**
   * How long no scheduler may have registered a definition, while another one was, before its return is an edit that
   * counts from then. Within this time it keeps counting from when it did: a
   * process of the version before that restarts during a rolling upgrade, and a quick rollback, miss nothing.
   */
  public Duration getDefinitionKept() {
    return get(DEFINITION_KEPT);
  }

  /** Sets how long; positive. */
  public SchedulerOptions setDefinitionKept(Duration kept) {
    return set(DEFINITION_KEPT, kept);
  }
}
