package dev.runlane.jobs;

import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * How long a job waits after a failed attempt. A worker computes the wait; a store only keeps this.
 *
 * @param type how the wait grows
 * @param delay the wait after the first failure, 0 or more; unused by a strategy that ignores it
 * @param strategy the name that a {@link Type#CUSTOM} strategy has on the worker, else null. A function
 *     could not be stored
 */
public record JobBackoff(
    Type type, Duration delay, @Nullable String strategy) {
  /** How the wait grows from failure to failure. The string values never change. */
  public enum Type {
    /** The same wait each time. */
    FIXED("fixed"),
    /** Twice as long each time, up to 24 h, give or take a quarter. */
    EXPONENTIAL("exponential"),
    /** What the worker's strategy of that name says. */
    CUSTOM("custom");

    private final String value;

    Type(String value) {
      this.value = value;
    }

    /** The string that is stored. */
    public String value() {
      return value;
    }
  }

  /** Refuses null, except as strategy. */
  public JobBackoff {
    Objects.requireNonNull(type);
    Objects.requireNonNull(delay);
  }

  /** The same wait after every failure. */
  public static JobBackoff fixed(Duration delay) {
    return new JobBackoff(Type.FIXED, delay, null);
  }

  /** {@code delay}, then twice as long after each further failure. */
  public static JobBackoff exponential(Duration delay) {
    return new JobBackoff(Type.EXPONENTIAL, delay, null);
  }

  /** What the worker's strategy of this name says. */
  public static JobBackoff custom(String strategy) {
    return new JobBackoff(Type.CUSTOM, Duration.ZERO, strategy);
  }
}
