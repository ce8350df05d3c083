package dev.runlane.runtime;

import dev.runlane.options.OptionChecks;
import dev.runlane.run.ContractDefaults;
import dev.runlane.timing.Durations;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.Set;

/** How a step dispatcher works. */
public final class StepDispatcherOptions extends SweepOptions<StepDispatcherOptions> {
  /** Pause between two sweeps = 1 s. */
  public static final Duration DEFAULT_IDLE_DELAY = ContractDefaults.SWEEP;

  /** Steps that one sweep takes = 200. */
  public static final int DEFAULT_SWEEP_LIMIT = 200;

  /** How long a sweep may take before others look after its steps = 30 s. */
  public static final Duration DEFAULT_CLAIM_DURATION = Duration.ofSeconds(30);

  /** When a step that a worker was asked for is first looked after, in case its task has vanished = 5 min. */
  public static final Duration DEFAULT_CHECK_INTERVAL = Duration.ofMinutes(5);

  /** How soon a step is dispatched again whose task before still stands, or that could not be = 500 ms. */
  public static final Duration DEFAULT_REPEAT_DELAY = Duration.ofMillis(500);

  private static final Set<String> KEYS =
      Set.of("sweepLimit", "claimDuration", "checkInterval", "repeatDelay");

  private int sweepLimit = DEFAULT_SWEEP_LIMIT;
  private Duration claimDuration = DEFAULT_CLAIM_DURATION;
  private Duration checkInterval = DEFAULT_CHECK_INTERVAL;
  private Duration repeatDelay = DEFAULT_REPEAT_DELAY;

  /** The defaults. */
  public StepDispatcherOptions() {
    super(DEFAULT_IDLE_DELAY);
  }

  /** A copy. */
  public StepDispatcherOptions(StepDispatcherOptions other) {
    super(other);
    sweepLimit = other.sweepLimit;
    claimDuration = other.claimDuration;
    checkInterval = other.checkInterval;
    repeatDelay = other.repeatDelay;
  }

  /** Options from JSON. Throws {@code ConfigurationInvalid} on an unknown key or a malformed value. */
  public StepDispatcherOptions(JsonObject json) {
    this();
    readCommon("a step dispatcher", json, KEYS);
    OptionChecks.integer(json, "sweepLimit", this::setSweepLimit);
    OptionChecks.duration(json, "claimDuration", this::setClaimDuration);
    OptionChecks.duration(json, "checkInterval", this::setCheckInterval);
    OptionChecks.duration(json, "repeatDelay", this::setRepeatDelay);
  }

  @Override
  public JsonObject toJson() {
    return super.toJson()
        .put("sweepLimit", sweepLimit)
        .put("claimDuration", Durations.format(claimDuration))
        .put("checkInterval", Durations.format(checkInterval))
        .put("repeatDelay", Durations.format(repeatDelay));
  }

  /** Steps that one sweep takes at most. */
  public int getSweepLimit() {
    return sweepLimit;
  }

  /** Sets the steps that one sweep takes; 1 to 10 000. */
  public StepDispatcherOptions setSweepLimit(int limit) {
    sweepLimit = requireLimit("sweepLimit", limit);
    return this;
  }

  /** How long a sweep may take before others look after its steps. */
  public Duration getClaimDuration() {
    return claimDuration;
  }

  /** Sets how long a sweep may take; positive. */
  public StepDispatcherOptions setClaimDuration(Duration duration) {
    claimDuration = OptionChecks.requirePositive("claimDuration", duration);
    return this;
  }

  /** When a step that a worker was asked for is first looked after, in case its task has vanished. */
  public Duration getCheckInterval() {
    return checkInterval;
  }

  /** Sets when a dispatched step is first looked after; positive. Then it is when it is twice as old, and so on. */
  public StepDispatcherOptions setCheckInterval(Duration interval) {
    checkInterval = OptionChecks.requirePositive("checkInterval", interval);
    return this;
  }

  /** How soon a step is dispatched again whose task before still stands, or that could not be dispatched. */
  public Duration getRepeatDelay() {
    return repeatDelay;
  }

  /** Sets how soon a step is dispatched again; positive. */
  public StepDispatcherOptions setRepeatDelay(Duration delay) {
    repeatDelay = OptionChecks.requirePositive("repeatDelay", delay);
    return this;
  }

  @Override
  StepDispatcherOptions self() {
    return this;
  }
}
