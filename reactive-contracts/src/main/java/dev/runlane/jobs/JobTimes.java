package dev.runlane.jobs;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;

/** Instants of jobs are whole milliseconds, cut where they enter. */
final class JobTimes {
  private JobTimes() {}

  static Instant millis(Instant instant) {
    return instant.truncatedTo(ChronoUnit.MILLIS);
  }

  static @Nullable Instant millisOrNull(@Nullable Instant instant) {
    return instant == null ? null : millis(instant);
  }
}
