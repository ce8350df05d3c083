package dev.runlane.connector.schedule;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** What to do about a schedule now. */
sealed interface ScheduleDecision {
  /**
   * Nothing: it is not due.
   *
   * @param checkAt when to look again
   */
  record Wait(Instant checkAt) implements ScheduleDecision {}

  /**
   * It is due, and something keeps a run from being started.
   *
   * @param reason what
   * @param detail more of it, such as the code of a grant, or null
   * @param condition distinguishes one occasion from the next: reported once as long as it stays the same
   * @param checkAt when to look again
   * @param stops whether nothing is started any more until the owner changes or resumes the schedule
   * @param attempt which attempt was due
   */
  record Skip(
      SkipReason reason,
      @Nullable String detail,
      String condition,
      Instant checkAt,
      boolean stops,
      int attempt)
      implements ScheduleDecision {
    /** What the history says of it. */
    String describe() {
      return detail == null ? reason.value() : reason.value() + ": " + detail;
    }
  }

  /**
   * A run.
   *
   * @param attempt 1, or more where it tries again what failed
   */
  record Launch(int attempt) implements ScheduleDecision {}
}
