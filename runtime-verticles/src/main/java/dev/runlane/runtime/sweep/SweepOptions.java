package dev.runlane.runtime.sweep;

import static dev.runlane.options.OptionTypes.duration;

import dev.runlane.options.Option;
import dev.runlane.options.OptionSet;
import dev.runlane.options.OptionValues;
import dev.runlane.run.ContractDefaults;
import io.vertx.core.json.JsonObject;
import java.time.Duration;

/**
 * What all maintenance roles have in common. Every setter checks at once and throws {@code
 * ConfigurationInvalid}; durations in JSON look like {@code 30s}, or are whole milliseconds.
 *
 * @param <S> the options of one role
 */
public abstract class SweepOptions<S extends SweepOptions<S>> extends OptionValues<S> {
  /** How long a stop waits for the sweep in flight = 30 s. */
  public static final Duration DEFAULT_DRAIN_TIMEOUT = Duration.ofSeconds(30);

  /** The most that one command of a storage may name. */
  public static final int MOST = 10_000;

  private static final OptionSet SHARED = OptionSet.of("a maintenance role");
  private static final Option<Duration> IDLE_DELAY =
      SHARED.add("idleDelay", ContractDefaults.SWEEP, duration());
  private static final Option<Duration> DRAIN_TIMEOUT =
      SHARED.add("drainTimeout", DEFAULT_DRAIN_TIMEOUT, duration());

  /** The defaults. */
  public SweepOptions(OptionSet options) {
    super(options);
  }

  /** A copy. */
  public SweepOptions(SweepOptions<S> other) {
    super(other);
  }

  /** Options from JSON. Throws {@code ConfigurationInvalid} on an unknown key or a malformed value. */
  public SweepOptions(OptionSet options, JsonObject json) {
    super(options, json);
  }

  /** The options that all roles have, to which one role adds its own. */
  public static OptionSet options(String role, Duration idleDelay) {
    return SHARED.extended(role).with(IDLE_DELAY, idleDelay);
  }

  /** The pause between two sweeps when nothing is known to be waiting, and after a failed one. */
  public Duration getIdleDelay() {
    return get(IDLE_DELAY);
  }

  /** Sets the pause between two sweeps; positive. */
  public S setIdleDelay(Duration delay) {
    return set(IDLE_DELAY, delay);
  }

  /** How long a stop waits for the sweep in flight; a sweep that takes longer fails the stop. */
  public Duration getDrainTimeout() {
    return get(DRAIN_TIMEOUT);
  }

  /** Sets how long a stop waits; positive. */
  public S setDrainTimeout(Duration timeout) {
    return set(DRAIN_TIMEOUT, timeout);
  }
}
