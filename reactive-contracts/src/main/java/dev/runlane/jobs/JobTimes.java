package dev.runlane.jobs;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;

/** Instants of jobs are whole milliseconds, cut where they enter. */
public final class JobTimes {
  private JobTimes() {}

  public static Instant millis(Instant instant) {
    return instant.truncatedTo(ChronoUnit.MILLIS);
  }

  static @Nullable public Instant millisOrNull(@Nullable Instant instant) {
    return instant == null ? null : millis(instant);
  }
}
