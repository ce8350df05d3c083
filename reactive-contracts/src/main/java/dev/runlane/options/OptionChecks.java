package dev.runlane.options;

import dev.runlane.run.ContractDefaults;
import dev.runlane.run.Identifiers;
import dev.runlane.run.RunlaneException;
import dev.runlane.timing.Durations;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** What setters and JSON forms of options refuse, in every module alike: all with {@code ConfigurationInvalid}. */
public final class OptionChecks {
  private static final int NANOS_PER_MILLI = 1_000_000;
  private static final Duration LONGEST_IN_MILLIS = Duration.ofMillis(Long.MAX_VALUE);

  private OptionChecks() {}

  /** Refuses a duration that is not positive, longer than 36 500 days, or has a part of a millisecond. */
  public static Duration requirePositive(String what, Duration duration) {
    if (duration.isNegative()
        || duration.isZero()
        || duration.compareTo(ContractDefaults.LONGEST_DURATION) > 0) {
      throw RunlaneException.configurationInvalid(
          "%s must be positive and at most %s, but is %s",
          what, show(ContractDefaults.LONGEST_DURATION), show(duration));
    }
    return requireWholeMillis(what, duration);
  }

  /** Refuses what {@link #requirePositive(String, Duration)} does, and a duration longer than {@code most}. */
  public static Duration requirePositive(String what, Duration duration, Duration most) {
    requirePositive(what, duration);
    if (duration.compareTo(most) > 0) {
      throw RunlaneException.configurationInvalid(
          "%s must be at most %s, but is %s", what, show(most), show(duration));
    }
    return duration;
  }

  /** Refuses a negative duration, one longer than 36 500 days, and one with a part of a millisecond. */
  public static Duration requireNotNegative(String what, Duration duration) {
    return duration.isZero() ? duration : requirePositive(what, duration);
  }

  /** Refuses a duration with a part of a millisecond: JSON, other processes and other programs cannot be told it. */
  public static Duration requireWholeMillis(String what, Duration duration) {
    if (duration.toNanosPart() % NANOS_PER_MILLI != 0) {
      throw RunlaneException.configurationInvalid(
          "%s must be whole milliseconds, but is %s", what, show(duration));
    }
    return duration;
  }

  /** Refuses a number below {@code least}. */
  public static int requireAtLeast(int least, String what, int value) {
    if (value < least) {
      throw RunlaneException.configurationInvalid(
          "%s must be at least %d, but is %d", what, least, value);
    }
    return value;
  }

  /** Refuses what is not a valid id. */
  public static String requireId(String what, @Nullable String id) {
    Identifiers.fault(id, ContractDefaults.MAX_ID_BYTES).ifPresent(fault -> {
      throw RunlaneException.configurationInvalid("%s %s", what, fault);
    });
    return String.valueOf(id);
  }

  /** Refuses keys of {@code json} that are not among {@code known}. */
  public static void requireKnown(String what, JsonObject json, Set<String> known) {
    for (String key : json.fieldNames()) {
      if (!known.contains(key)) {
        throw RunlaneException.configurationInvalid(
            "%s has no option %s; it has %s", what, key, known.stream().sorted().toList());
      }
    }
  }

  /** Hands a duration such as {@code "30s"}, or a whole number of milliseconds, on, if the key is there. */
  public static void duration(JsonObject json, String key, Consumer<Duration> setter) {
    if (json.containsKey(key)) {
      setter.accept(durationOf(key, json.getValue(key)));
    }
  }

  /** The duration that {@code value} says: text such as {@code "30s"}, or a whole number of milliseconds. */
  static Duration durationOf(String key, @Nullable Object value) {
    if (value instanceof Integer || value instanceof Long) {
      return Duration.ofMillis(((Number) value).longValue());
    }
    if (!(value instanceof String text)) {
      throw wrongType(key, "a duration such as \"30s\", or whole milliseconds");
    }
    try {
      return Durations.parse(text);
    } catch (RunlaneException malformed) {
      throw RunlaneException.configurationInvalid(
          "%s: %s", key, String.valueOf(malformed.getMessage()));
    }
  }

  /** Hands a whole number on, if the key is there. */
  public static void integer(JsonObject json, String key, Consumer<Integer> setter) {
    Object value = json.getValue(key);
    if (value instanceof Integer number) {
      setter.accept(number);
    } else if (json.containsKey(key)) {
      throw wrongType(key, "a whole number");
    }
  }

  /** Hands text on, if the key is there. */
  public static void text(JsonObject json, String key, Consumer<String> setter) {
    Object value = json.getValue(key);
    if (value instanceof String text) {
      setter.accept(text);
    } else if (json.containsKey(key)) {
      throw wrongType(key, "text");
    }
  }

  /** As options are written where that can be, with its unit in any case. */
  static String show(Duration duration) {
    if (duration.toNanosPart() % NANOS_PER_MILLI != 0
        || duration.compareTo(LONGEST_IN_MILLIS) > 0
        || duration.compareTo(LONGEST_IN_MILLIS.negated()) < 0) {
      return duration.toString();
    }
    return duration.isNegative() ? duration.toMillis() + "ms" : Durations.format(duration);
  }

  static RunlaneException wrongType(String key, String wanted) {
    return RunlaneException.configurationInvalid("option %s must be %s", key, wanted);
  }
}
