package dev.runlane.runtime;

import dev.runlane.run.RunlaneException;
import dev.runlane.timing.Backoff;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.function.Consumer;

/** The values in the JSON forms of maintenance options that are neither whole numbers nor durations. */
final class SweepJson {
  private SweepJson() {}

  /** Hands true or false on, if the key is there. */
  static void flag(JsonObject json, String key, Consumer<Boolean> setter) {
    Object value = json.getValue(key);
    if (value instanceof Boolean flag) {
      setter.accept(flag);
    } else if (json.containsKey(key)) {
      throw RunlaneException.configurationInvalid("option %s must be true or false", key);
    }
  }

  /** The back-off of {@code backoffFirst}, {@code backoffMost} and {@code backoffJitter}. */
  static Backoff backoff(JsonObject json, Backoff defaults) {
    Duration[] range = {defaults.first(), defaults.most()};
    OptionChecks.duration(json, "backoffFirst", first -> range[0] = first);
    OptionChecks.duration(json, "backoffMost", most -> range[1] = most);
    Object jitter = json.getValue("backoffJitter", defaults.jitter());
    if (jitter instanceof Number number) {
      return new Backoff(range[0], range[1], number.doubleValue());
    }
    throw RunlaneException.configurationInvalid("option backoffJitter must be a number");
  }
}
