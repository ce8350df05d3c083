package dev.runlane.json;

import dev.runlane.run.RunlaneException;
import dev.runlane.timing.Durations;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;

/**
 * Reads the JSON form of options, each key once; what is malformed, and every key that was not asked for, is
 * {@code ConfigurationInvalid}.
 */
public final class OptionReader {
  private static final Duration LONGEST = Duration.ofDays(36_500);

  private final String what;
  private final JsonObject json;
  private final Set<String> known = new TreeSet<>();

  /** A reader of {@code json}, the options of {@code what}. */
  public OptionReader(String what, JsonObject json) {
    this.what = what;
    this.json = json;
  }

  /** Returns {@code duration} if it is 1 ms to 36 500 days, in whole milliseconds. */
  public static Duration requireMillis(String option, Duration duration) {
    if (duration.isNegative()
        || duration.isZero()
        || duration.compareTo(LONGEST) > 0
        || duration.getNano() % 1_000_000 != 0) {
      throw RunlaneException.configurationInvalid(
          "%s must be whole milliseconds, positive and at most %s, but is %s",
          option, LONGEST, duration);
    }
    return duration;
  }

  /** Hands a whole number on, if the key is there. */
  public OptionReader integer(String key, Consumer<Integer> setter) {
    return value(key, Integer.class, "a whole number", setter);
  }

  /** Hands true or false on, if the key is there. */
  public OptionReader flag(String key, Consumer<Boolean> setter) {
    return value(key, Boolean.class, "true or false", setter);
  }

  /** Hands text on, if the key is there. */
  public OptionReader text(String key, Consumer<String> setter) {
    return value(key, String.class, "text", setter);
  }

  /** Hands a list of texts on, if the key is there. */
  public OptionReader texts(String key, Consumer<List<String>> setter) {
    return value(key, JsonArray.class, "a list of texts", array -> {
      if (!array.stream().allMatch(String.class::isInstance)) {
        throw wrongType(key, "a list of texts");
      }
      setter.accept(array.stream().map(String.class::cast).toList());
    });
  }

  /** Hands a duration such as {@code "30s"} on, if the key is there. */
  public OptionReader duration(String key, Consumer<Duration> setter) {
    return text(key, text -> {
      try {
        setter.accept(Durations.parse(text));
      } catch (RunlaneException malformed) {
        throw RunlaneException.configurationInvalid(
            "%s: %s", key, String.valueOf(malformed.getMessage()));
      }
    });
  }

  /** Refuses the keys that were not asked for. */
  public void requireNothingElse() {
    for (String key : json.fieldNames()) {
      if (!known.contains(key)) {
        throw RunlaneException.configurationInvalid(
            "%s has no option %s; it has %s", what, key, known);
      }
    }
  }

  private <T> OptionReader value(String key, Class<T> type, String wanted, Consumer<T> setter) {
    known.add(key);
    if (json.containsKey(key)) {
      Object value = json.getValue(key);
      if (!type.isInstance(value)) {
        throw wrongType(key, wanted);
      }
      setter.accept(type.cast(value));
    }
    return this;
  }

  private static RunlaneException wrongType(String key, String wanted) {
    return RunlaneException.configurationInvalid("option %s must be %s", key, wanted);
  }
}
