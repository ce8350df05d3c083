package dev.runlane.jobs;

import java.time.Instant;
import java.time.temporal.ChronoUnit;

/** The length of a bucket. The string values never change. */
public enum MetricsGranularity {
  /** A minute of UTC. */
  MINUTE("minute", ChronoUnit.MINUTES),
  /** An hour of UTC. */
  HOUR("hour", ChronoUnit.HOURS);

  private final String value;
  private final ChronoUnit unit;

  MetricsGranularity(String value, ChronoUnit unit) {
    this.value = value;
    this.unit = unit;
  }

  /** The string that is stored. */
  public String value() {
    return value;
  }

  /** The start of the bucket that this instant is in. */
  public Instant periodOf(Instant instant) {
    return instant.truncatedTo(unit);
  }
}
