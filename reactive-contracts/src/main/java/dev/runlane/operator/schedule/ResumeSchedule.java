package dev.runlane.operator.schedule;

import dev.runlane.run.Environment;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Objects;

/**
 * Resumes a schedule.
 *
 * @param environment scope
 * @param name which
 * @param now the caller's time
 */
public record ResumeSchedule(Environment environment, ScheduleName name, Instant now) {
  /** Refuses null and cuts instants to microseconds. */
  public ResumeSchedule {
    Objects.requireNonNull(environment);
    Objects.requireNonNull(name);
    now = now.truncatedTo(ChronoUnit.MICROS);
  }
}
