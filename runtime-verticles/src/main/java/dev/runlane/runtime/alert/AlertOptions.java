package dev.runlane.runtime.alert;

import static dev.runlane.options.OptionTypes.duration;

import dev.runlane.options.Option;
import dev.runlane.options.OptionSet;
import dev.runlane.run.ContractDefaults;
import dev.runlane.runtime.sweep.SweepOptions;
import io.vertx.core.json.JsonObject;
import java.time.Duration;

/** How rules of alerts are looked at, and how channels are told. */
public final class AlertOptions extends SweepOptions<AlertOptions> {
  /** Pause between two sweeps = 1 s. */
  public static final Duration DEFAULT_IDLE_DELAY = ContractDefaults.SWEEP;

  /** How often rules are looked at, by one process at a time = 15 s. */
  public static final Duration DEFAULT_EVERY = Duration.ofSeconds(15);

  /** How long a channel may take = 10 s. */
  public static final Duration DEFAULT_REQUEST_TIMEOUT = Duration.ofSeconds(10);

  /** For how long after a change it is tried to tell of it = 1 d. */
  public static final Duration DEFAULT_GIVE_UP_AFTER = Duration.ofDays(1);

  private static final OptionSet OPTIONS =
      SweepOptions.options("a watcher of alerts", DEFAULT_IDLE_DELAY);
  private static final Option<Duration> EVERY = OPTIONS.add("every", DEFAULT_EVERY, duration());
  private static final Option<Duration> REQUEST_TIMEOUT =
      OPTIONS.add("requestTimeout", DEFAULT_REQUEST_TIMEOUT, duration());
  private static final Option<Duration> GIVE_UP_AFTER =
      OPTIONS.add("giveUpAfter", DEFAULT_GIVE_UP_AFTER, duration());

  /** The defaults. */
  public AlertOptions() {
    super(OPTIONS);
  }

  /** A copy. */
  public AlertOptions(AlertOptions other) {
    super(other);
  }

  /** Options from JSON. Throws {@code ConfigurationInvalid} on an unknown key or a malformed value. */
  public AlertOptions(JsonObject json) {
    super(OPTIONS, json);
  }

  /** How often rules are looked at, by one process of the environment at a time. */
  public Duration getEvery() {
    return get(EVERY);
  }

  /** Sets how often; positive. */
  public AlertOptions setEvery(Duration every) {
    return set(EVERY, every);
  }

  /** How long a channel may take to be told before that has failed. */
  public Duration getRequestTimeout() {
    return get(REQUEST_TIMEOUT);
  }

  /** Sets how long a channel may take; positive. */
  public AlertOptions setRequestTimeout(Duration timeout) {
    return set(REQUEST_TIMEOUT, timeout);
  }

  /** For how long after a change it is tried, ever less often, to tell of it, and 12 times at least. */
  public Duration getGiveUpAfter() {
    return get(GIVE_UP_AFTER);
  }

  /** Sets for how long; positive. */
  public AlertOptions setGiveUpAfter(Duration after) {
    return set(GIVE_UP_AFTER, after);
  }
}
