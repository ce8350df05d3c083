package dev.runlane.runtime.maintenance;

import static dev.runlane.options.OptionTypes.whole;

import dev.runlane.options.Option;
import dev.runlane.options.OptionSet;
import dev.runlane.run.ContractDefaults;
import dev.runlane.runtime.sweep.SweepOptions;
import io.vertx.core.json.JsonObject;
import java.time.Duration;

/** How a cancellation finalizer works. */
public final class CancellationFinalizerOptions extends SweepOptions<CancellationFinalizerOptions> {
  /** Pause between two sweeps = 5 s. */
  public static final Duration DEFAULT_IDLE_DELAY = ContractDefaults.CANCELLATION_SWEEP;

  /** Runs that one sweep takes = 100. */
  public static final int DEFAULT_SWEEP_LIMIT = ContractDefaults.SWEEP_LIMIT;

  private static final OptionSet OPTIONS =
      SweepOptions.options("a cancellation finalizer", DEFAULT_IDLE_DELAY);
  private static final Option<Integer> SWEEP_LIMIT =
      OPTIONS.add("sweepLimit", DEFAULT_SWEEP_LIMIT, whole(1, MOST));

  /** The defaults. */
  public CancellationFinalizerOptions() {
    super(OPTIONS);
  }

  /** A copy. */
  public CancellationFinalizerOptions(CancellationFinalizerOptions other) {
    super(other);
  }

  /** Options from JSON. Throws {@code ConfigurationInvalid} on an unknown key or a malformed value. */
  public CancellationFinalizerOptions(JsonObject json) {
    super(OPTIONS, json);
  }

  /** Most runs that one sweep processes. */
  public int getSweepLimit() {
    return get(SWEEP_LIMIT);
  }

  /** Sets the runs that one sweep takes; 1 to 10 000. */
  public CancellationFinalizerOptions setSweepLimit(int limit) {
    return set(SWEEP_LIMIT, limit);
  }
}
