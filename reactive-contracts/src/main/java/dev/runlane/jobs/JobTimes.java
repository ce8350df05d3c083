package dev.runlane.jobs;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;

/** Instants of jobs are whole milliseconds, cut where they enter. */
public final class JobTimes {
  private JobTimes() {}

  /** The instant cut to whole milliseconds. */
  public static Instant millis(Instant instant) {
    return instant.truncatedTo(ChronoUnit.MILLIS);
  }

  /** The same, and null for null. */
  public static @Nullable Instant millisOrNull(@Nullable Instant instant) {
    return instant == null ? null : millis(instant);
  }
}
