package dev.runlane.runtime;

import dev.runlane.options.OptionChecks;
import dev.runlane.run.ContractDefaults;
import dev.runlane.timing.Durations;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.Set;

/** How a dispatcher works. */
public final class DispatcherOptions extends SweepOptions<DispatcherOptions> {
  /** Pause between two sweeps = 1 s. */
  public static final Duration DEFAULT_IDLE_DELAY = ContractDefaults.SWEEP;

  /** Runs that each phase of a sweep takes = 100. */
  public static final int DEFAULT_SWEEP_LIMIT = ContractDefaults.SWEEP_LIMIT;

  /** Whether slots of bounded queues are reserved = true. */
  public static final boolean DEFAULT_BOUNDED_DISPATCH = true;

  /** How long news of this process are gathered before they are looked after = 5 ms. */
  public static final Duration DEFAULT_GATHER_DELAY = Duration.ofMillis(5);

  /** Distance of the instants at which known due work is looked after = 50 ms. */
  public static final Duration DEFAULT_DUE_RESOLUTION = Duration.ofMillis(50);

  private static final Set<String> KEYS =
      Set.of("sweepLimit", "boundedDispatch", "gatherDelay", "dueResolution");

  private int sweepLimit = DEFAULT_SWEEP_LIMIT;
  private boolean boundedDispatch = DEFAULT_BOUNDED_DISPATCH;
  private Duration gatherDelay = DEFAULT_GATHER_DELAY;
  private Duration dueResolution = DEFAULT_DUE_RESOLUTION;

  /** The defaults. */
  public DispatcherOptions() {
    super(DEFAULT_IDLE_DELAY);
  }

  /** A copy. */
  public DispatcherOptions(DispatcherOptions other) {
    super(other);
    sweepLimit = other.sweepLimit;
    boundedDispatch = other.boundedDispatch;
    gatherDelay = other.gatherDelay;
    dueResolution = other.dueResolution;
  }

  /** Options from JSON. Throws {@code ConfigurationInvalid} on an unknown key or a malformed value. */
  public DispatcherOptions(JsonObject json) {
    this();
    readCommon("a dispatcher", json, KEYS);
    OptionChecks.integer(json, "sweepLimit", this::setSweepLimit);
    OptionChecks.flag(json, "boundedDispatch", this::setBoundedDispatch);
    OptionChecks.duration(json, "gatherDelay", this::setGatherDelay);
    OptionChecks.duration(json, "dueResolution", this::setDueResolution);
  }

  @Override
  public JsonObject toJson() {
    return super.toJson()
        .put("sweepLimit", sweepLimit)
        .put("boundedDispatch", boundedDispatch)
        .put("gatherDelay", Durations.format(gatherDelay))
        .put("dueResolution", Durations.format(dueResolution));
  }

  /** Runs that each phase of a sweep takes at most. */
  public int getSweepLimit() {
    return sweepLimit;
  }

  /** Sets the runs that each phase takes; 1 to 10 000. */
  public DispatcherOptions setSweepLimit(int limit) {
    sweepLimit = requireLimit("sweepLimit", limit);
    return this;
  }

  /** Whether slots of bounded queues are reserved for due runs, and their wakeups sent. */
  public boolean isBoundedDispatch() {
    return boundedDispatch;
  }

  /**
   * Sets whether slots of bounded queues are reserved. A run of a bounded queue has no wakeup before its slot
   * is reserved, so workers that run only what a transport delivers to them (Kafka) need the reservation.
   * Workers that scan storage (no transport, or one that only hints, such as NOTIFY) claim such runs
   * themselves within the limit, and each reservation then costs an append and an outbox message for nothing
   * but an earlier wakeup: false spares both. A waiting run starts when a worker next scans, which is at once
   * where the slot is freed or the run is created in the worker's own process and otherwise as late as its
   * poll, so give workers a poll delay you can wait for. All dispatchers of an environment should agree.
   */
  public DispatcherOptions setBoundedDispatch(boolean boundedDispatch) {
    this.boundedDispatch = boundedDispatch;
    return this;
  }

  /** How long news of this process's commits are gathered, so that many of them share one sweep. */
  public Duration getGatherDelay() {
    return gatherDelay;
  }

  /** Sets how long news are gathered; not negative. */
  public DispatcherOptions setGatherDelay(Duration delay) {
    gatherDelay = OptionChecks.requireNotNegative("gatherDelay", delay);
    return this;
  }

  /**
   * Distance of the instants at which due work that this process knows of is looked after: what falls due
   * between two of them shares a sweep at the later one.
   */
  public Duration getDueResolution() {
    return dueResolution;
  }

  /** Sets that distance; positive. */
  public DispatcherOptions setDueResolution(Duration resolution) {
    dueResolution = OptionChecks.requirePositive("dueResolution", resolution);
    return this;
  }

  @Override
  DispatcherOptions self() {
    return this;
  }
}
