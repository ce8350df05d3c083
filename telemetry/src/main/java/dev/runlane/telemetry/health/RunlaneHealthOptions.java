package dev.runlane.telemetry.health;

import static dev.runlane.options.OptionTypes.duration;
import static dev.runlane.options.OptionTypes.durationOrZero;

import dev.runlane.options.Option;
import dev.runlane.options.OptionSet;
import dev.runlane.options.OptionValues;
import io.vertx.core.json.JsonObject;
import java.time.Duration;

/** How {@link RunlaneHealth} asks. Setters throw {@code ConfigurationInvalid} for values out of range. */
public final class RunlaneHealthOptions extends OptionValues<RunlaneHealthOptions> {
  /** How long an answer may take = 3 s. */
  public static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(3);

  /** How long an answer counts = 5 s. */
  public static final Duration DEFAULT_REMEMBERED = Duration.ofSeconds(5);

  private static final OptionSet OPTIONS = OptionSet.of("health checks");
  private static final Option<Duration> TIMEOUT =
      OPTIONS.add("timeout", DEFAULT_TIMEOUT, duration());
  private static final Option<Duration> REMEMBERED =
      OPTIONS.add("remembered", DEFAULT_REMEMBERED, durationOrZero());

  /** The defaults. */
  public RunlaneHealthOptions() {
    super(OPTIONS);
  }

  /** A copy. */
  public RunlaneHealthOptions(RunlaneHealthOptions other) {
    super(other);
  }

  /** Options from JSON. Throws {@code ConfigurationInvalid} on an unknown key or a malformed value. */
  public RunlaneHealthOptions(JsonObject json) {
    super(OPTIONS, json);
  }

  /** How long what is asked may take to answer; then it is down. */
  public Duration getTimeout() {
    return get(TIMEOUT);
  }

  /** Sets how long an answer may take; positive. */
  public RunlaneHealthOptions setTimeout(Duration timeout) {
    return set(TIMEOUT, timeout);
  }

  /** How long an answer counts before it is asked for again, so that many probes cost as much as one. */
  public Duration getRemembered() {
    return get(REMEMBERED);
  }

  /** Sets how long an answer counts; zero: each probe asks. */
  public RunlaneHealthOptions setRemembered(Duration remembered) {
    return set(REMEMBERED, remembered);
  }
}
