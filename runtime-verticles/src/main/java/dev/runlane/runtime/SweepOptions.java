package dev.runlane.runtime;

import dev.runlane.options.OptionChecks;
import dev.runlane.run.RunlaneException;
import dev.runlane.timing.Durations;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.Set;
import java.util.TreeSet;

/**
 * What all maintenance roles have in common. Every setter checks at once and throws {@code
 * ConfigurationInvalid}; durations in JSON look like {@code 30s}.
 *
 * @param <S> the options of one role
 */
public abstract sealed class SweepOptions<S extends SweepOptions<S>>
    permits OutboxPublisherOptions,
        DispatcherOptions,
        SchedulerOptions,
        CancellationFinalizerOptions,
        StepDispatcherOptions,
        RetentionOptions {
  /** How long a stop waits for the sweep in flight = 30 s. */
  public static final Duration DEFAULT_DRAIN_TIMEOUT = Duration.ofSeconds(30);

  private static final int MOST = 10_000;

  private Duration idleDelay;
  private Duration drainTimeout = DEFAULT_DRAIN_TIMEOUT;

  SweepOptions(Duration idleDelay) {
    this.idleDelay = idleDelay;
  }

  SweepOptions(SweepOptions<S> other) {
    idleDelay = other.idleDelay;
    drainTimeout = other.drainTimeout;
  }

  /** The pause between two sweeps when nothing is known to be waiting, and after a failed one. */
  public Duration getIdleDelay() {
    return idleDelay;
  }

  /** Sets the pause between two sweeps; positive. */
  public S setIdleDelay(Duration delay) {
    idleDelay = OptionChecks.requirePositive("idleDelay", delay);
    return self();
  }

  /** How long a stop waits for the sweep in flight; a sweep that takes longer fails the stop. */
  public Duration getDrainTimeout() {
    return drainTimeout;
  }

  /** Sets how long a stop waits; positive. */
  public S setDrainTimeout(Duration timeout) {
    drainTimeout = OptionChecks.requirePositive("drainTimeout", timeout);
    return self();
  }

  /** The JSON form, which the constructor that takes one turns back into equal options. */
  public JsonObject toJson() {
    return new JsonObject()
        .put("idleDelay", Durations.format(idleDelay))
        .put("drainTimeout", Durations.format(drainTimeout));
  }

  abstract S self();

  /** Refuses a limit that is not positive or beyond what one command of a storage may name. */
  static int requireLimit(String what, int limit) {
    if (limit > MOST) {
      throw RunlaneException.configurationInvalid(
          "%s must be at most %d, but is %d", what, MOST, limit);
    }
    return OptionChecks.requireAtLeast(1, what, limit);
  }

  /** Reads the common keys, and refuses all that are neither common nor {@code own}. */
  void readCommon(String what, JsonObject json, Set<String> own) {
    Set<String> known = new TreeSet<>(own);
    known.add("idleDelay");
    known.add("drainTimeout");
    OptionChecks.requireKnown(what, json, known);
    OptionChecks.duration(json, "idleDelay", this::setIdleDelay);
    OptionChecks.duration(json, "drainTimeout", this::setDrainTimeout);
  }
}
