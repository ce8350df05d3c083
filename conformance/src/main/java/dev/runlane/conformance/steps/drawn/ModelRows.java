package dev.runlane.conformance.steps.drawn;

import dev.runlane.steps.result.StepResult;
import dev.runlane.steps.task.StepTask;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;

/** The two kinds of rows that a step may have. */
final class ModelRows {
  private ModelRows() {}

  static Instant millis(Instant instant) {
    return instant.truncatedTo(ChronoUnit.MILLIS);
  }

  /** A row and who has claimed it. */
  abstract static class Row {
    @Nullable
    String token; // good until somebody else claims

    @Nullable
    Instant claimedAt;

    /** A claim is taken over once it is older than the lease. */
    boolean isFreeAt(Instant now, Duration leaseFor) {
      return claimedAt == null || claimedAt.isBefore(millis(now).minus(leaseFor));
    }

    void claim(String by, Instant now) {
      token = by;
      claimedAt = millis(now);
    }
  }

  static final class Task extends Row {
    final StepTask step;
    final Instant dispatchedAt;

    Task(StepTask step, Instant now) {
      this.step = step;
      this.dispatchedAt = millis(now);
    }
  }

  static final class Result extends Row {
    final StepResult result;

    Result(StepResult result) {
      this.result = result;
    }
  }
}
