package dev.runlane.runtime.remote;

import static dev.runlane.options.OptionTypes.duration;
import static dev.runlane.options.OptionTypes.whole;

import dev.runlane.options.Option;
import dev.runlane.options.OptionSet;
import dev.runlane.run.ContractDefaults;
import dev.runlane.runtime.sweep.SweepOptions;
import io.vertx.core.json.JsonObject;
import java.time.Duration;

/** How a step dispatcher works. */
public final class StepDispatcherOptions extends SweepOptions<StepDispatcherOptions> {
  /** Pause between two sweeps = 1 s. */
  public static final Duration DEFAULT_IDLE_DELAY = ContractDefaults.SWEEP;

  /** Steps that one sweep takes = 200. */
  public static final int DEFAULT_SWEEP_LIMIT = 200;

  /** How long a sweep owns the steps it claims; another process may take them over afterwards = 30 s. */
  public static final Duration DEFAULT_CLAIM_DURATION = Duration.ofSeconds(30);

  /** When a dispatched step is first checked, in case its task is missing = 5 min. */
  public static final Duration DEFAULT_CHECK_INTERVAL = Duration.ofMinutes(5);

  /** How soon a step is dispatched again whose task before still stands, or that could not be = 500 ms. */
  public static final Duration DEFAULT_REPEAT_DELAY = Duration.ofMillis(500);

  private static final OptionSet OPTIONS =
      SweepOptions.options("a step dispatcher", DEFAULT_IDLE_DELAY);
  private static final Option<Integer> SWEEP_LIMIT =
      OPTIONS.add("sweepLimit", DEFAULT_SWEEP_LIMIT, whole(1, MOST));
  private static final Option<Duration> CLAIM_DURATION =
      OPTIONS.add("claimDuration", DEFAULT_CLAIM_DURATION, duration());
  private static final Option<Duration> CHECK_INTERVAL =
      OPTIONS.add("checkInterval", DEFAULT_CHECK_INTERVAL, duration());
  private static final Option<Duration> REPEAT_DELAY =
      OPTIONS.add("repeatDelay", DEFAULT_REPEAT_DELAY, duration());

  /** The defaults. */
  public StepDispatcherOptions() {
    super(OPTIONS);
  }

  /** A copy. */
  public StepDispatcherOptions(StepDispatcherOptions other) {
    super(other);
  }

  /** Options from JSON. Throws {@code ConfigurationInvalid} on an unknown key or a malformed value. */
  public StepDispatcherOptions(JsonObject json) {
    super(OPTIONS, json);
  }

  /** Most steps that one sweep processes. */
  public int getSweepLimit() {
    return get(SWEEP_LIMIT);
  }

  /** Sets the steps that one sweep takes; 1 to 10 000. */
  public StepDispatcherOptions setSweepLimit(int limit) {
    return set(SWEEP_LIMIT, limit);
  }

  /** How long a sweep owns the steps it claims; another process may take them over afterwards. */
  public Duration getClaimDuration() {
    return get(CLAIM_DURATION);
  }

  /** Sets how long a sweep may take; positive. */
  public StepDispatcherOptions setClaimDuration(Duration duration) {
    return set(CLAIM_DURATION, duration);
  }

  /** When a dispatched step is first checked, in case its task is missing. */
  public Duration getCheckInterval() {
    return get(CHECK_INTERVAL);
  }

  /** Sets when a dispatched step is first looked after; positive. Then it is when it is twice as old, and so on. */
  public StepDispatcherOptions setCheckInterval(Duration interval) {
    return set(CHECK_INTERVAL, interval);
  }

  /** The pause before a step is dispatched again whose previous task still exists, or whose dispatch failed. */
  public Duration getRepeatDelay() {
    return get(REPEAT_DELAY);
  }

  /** Sets how soon a step is dispatched again; positive. */
  public StepDispatcherOptions setRepeatDelay(Duration delay) {
    return set(REPEAT_DELAY, delay);
  }
}
