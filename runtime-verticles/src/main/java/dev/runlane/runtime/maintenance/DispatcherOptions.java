package dev.runlane.runtime.maintenance;

import static dev.runlane.options.OptionTypes.duration;
import static dev.runlane.options.OptionTypes.durationOrZero;
import static dev.runlane.options.OptionTypes.flag;
import static dev.runlane.options.OptionTypes.whole;

import dev.runlane.options.Option;
import dev.runlane.options.OptionSet;
import dev.runlane.run.ContractDefaults;
import dev.runlane.runtime.sweep.SweepOptions;
import io.vertx.core.json.JsonObject;
import java.time.Duration;

/** How a dispatcher works. */
public final class DispatcherOptions extends SweepOptions<DispatcherOptions> {
  /** Pause between two sweeps = 1 s. */
  public static final Duration DEFAULT_IDLE_DELAY = ContractDefaults.SWEEP;

  /** The longest pause between two sweeps of an environment in which nothing happens = 3 s. */
  public static final Duration DEFAULT_LONGEST_IDLE_DELAY = Duration.ofSeconds(3);

  /** Runs that each phase of a sweep takes = 100. */
  public static final int DEFAULT_SWEEP_LIMIT = ContractDefaults.SWEEP_LIMIT;

  /** Whether slots of bounded queues are reserved = true. */
  public static final boolean DEFAULT_BOUNDED_DISPATCH = true;

  /** How long news of this process are gathered before they are looked after = 5 ms. */
  public static final Duration DEFAULT_GATHER_DELAY = Duration.ofMillis(5);

  /** Distance of the instants at which known due work is looked after = 50 ms. */
  public static final Duration DEFAULT_DUE_RESOLUTION = Duration.ofMillis(50);

  private static final OptionSet OPTIONS = SweepOptions.options("a dispatcher", DEFAULT_IDLE_DELAY);
  private static final Option<Duration> LONGEST_IDLE_DELAY =
      OPTIONS.add("longestIdleDelay", DEFAULT_LONGEST_IDLE_DELAY, duration());
  private static final Option<Integer> SWEEP_LIMIT =
      OPTIONS.add("sweepLimit", DEFAULT_SWEEP_LIMIT, whole(1, MOST));
  private static final Option<Boolean> BOUNDED_DISPATCH =
      OPTIONS.add("boundedDispatch", DEFAULT_BOUNDED_DISPATCH, flag());
  private static final Option<Duration> GATHER_DELAY =
      OPTIONS.add("gatherDelay", DEFAULT_GATHER_DELAY, durationOrZero());
  private static final Option<Duration> DUE_RESOLUTION =
      OPTIONS.add("dueResolution", DEFAULT_DUE_RESOLUTION, duration());

  /** The defaults. */
  public DispatcherOptions() {
    super(OPTIONS);
  }

  /** A copy. */
  public DispatcherOptions(DispatcherOptions other) {
    super(other);
  }

  /** Options from JSON. Throws {@code ConfigurationInvalid} on an unknown key or a malformed value. */
  public DispatcherOptions(JsonObject json) {
    super(OPTIONS, json);
  }

  /**
   * The longest pause between two sweeps of an environment in which nothing happens, where wakeups of other processes
   * reach this one. After ten sweeps that found nothing the pause doubles from the idle delay up to this.
   */
  public Duration getLongestIdleDelay() {
    return get(LONGEST_IDLE_DELAY);
  }

  /** Sets that pause; no longer than the idle delay: every pause is the idle delay. */
  public DispatcherOptions setLongestIdleDelay(Duration delay) {
    return set(LONGEST_IDLE_DELAY, delay);
  }

  /** Runs that each phase of a sweep takes at most. */
  public int getSweepLimit() {
    return get(SWEEP_LIMIT);
  }

  /** Sets the runs that each phase takes; 1 to 10 000. */
  public DispatcherOptions setSweepLimit(int limit) {
    return set(SWEEP_LIMIT, limit);
  }

  /** Whether slots of bounded queues are reserved for due runs, and their wakeups sent. */
  public boolean isBoundedDispatch() {
    return get(BOUNDED_DISPATCH);
  }

  /**
   * Sets whether slots of bounded queues are reserved. A run of a bounded queue has no wakeup before its slot
   * is reserved, so workers that run only what a transport delivers to them (Kafka) need the reservation.
   * Workers that scan storage (no transport, or one that only hints, such as NOTIFY) claim such runs
   * themselves within the limit, and each reservation then costs an append and an outbox message for nothing
   * but an earlier wakeup: false spares both. A waiting run starts when a worker next scans, which is at once
   * where the slot is freed or the run is created in the worker's own process and otherwise as late as its
   * poll, so give workers a poll delay you can wait for. All dispatchers of an environment should agree.
   * Reservations of before run out: a run that had one and was not begun gets another within 10 s, so that a
   * worker can claim it; without a dispatcher it would wait for ever.
   */
  public DispatcherOptions setBoundedDispatch(boolean boundedDispatch) {
    return set(BOUNDED_DISPATCH, boundedDispatch);
  }

  /** How long notifications of this process's commits are collected, so that many of them share one sweep. */
  public Duration getGatherDelay() {
    return get(GATHER_DELAY);
  }

  /** Sets how long news are gathered; not negative. */
  public DispatcherOptions setGatherDelay(Duration delay) {
    return set(GATHER_DELAY, delay);
  }

  /**
   * Resolution of the instants at which known due work is processed: what falls due between two of them shares
   * a sweep at the later one.
   */
  public Duration getDueResolution() {
    return get(DUE_RESOLUTION);
  }

  /** Sets that distance; positive. */
  public DispatcherOptions setDueResolution(Duration resolution) {
    return set(DUE_RESOLUTION, resolution);
  }
}
