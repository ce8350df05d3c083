package dev.runlane.runtime;

import dev.runlane.options.OptionChecks;
import dev.runlane.run.ContractDefaults;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.Set;

/** How a cancellation finalizer works. */
public final class CancellationFinalizerOptions extends SweepOptions<CancellationFinalizerOptions> {
  /** Pause between two sweeps = 5 s. */
  public static final Duration DEFAULT_IDLE_DELAY = ContractDefaults.CANCELLATION_SWEEP;

  /** Runs that one sweep takes = 100. */
  public static final int DEFAULT_SWEEP_LIMIT = ContractDefaults.SWEEP_LIMIT;

  private int sweepLimit = DEFAULT_SWEEP_LIMIT;

  /** The defaults. */
  public CancellationFinalizerOptions() {
    super(DEFAULT_IDLE_DELAY);
  }

  /** A copy. */
  public CancellationFinalizerOptions(CancellationFinalizerOptions other) {
    super(other);
    sweepLimit = other.sweepLimit;
  }

  /** Options from JSON. Throws {@code ConfigurationInvalid} on an unknown key or a malformed value. */
  public CancellationFinalizerOptions(JsonObject json) {
    this();
    readCommon("a cancellation finalizer", json, Set.of("sweepLimit"));
    OptionChecks.integer(json, "sweepLimit", this::setSweepLimit);
  }

  @Override
  public JsonObject toJson() {
    return super.toJson().put("sweepLimit", sweepLimit);
  }

  /** Runs that one sweep takes at most. */
  public int getSweepLimit() {
    return sweepLimit;
  }

  /** Sets the runs that one sweep takes; 1 to 10 000. */
  public CancellationFinalizerOptions setSweepLimit(int limit) {
    sweepLimit = requireLimit("sweepLimit", limit);
    return this;
  }

  @Override
  CancellationFinalizerOptions self() {
    return this;
  }
}
