package dev.runlane.storage.step;

import dev.runlane.run.Environment;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Ends claims on pending steps that stay pending.
 *
 * @param environment scope
 * @param moves no step twice; may be empty
 */
public record ReschedulePendingSteps(Environment environment, List<NextCheck> moves) {
  /** Copies the moves and refuses null. */
  public ReschedulePendingSteps {
    Objects.requireNonNull(environment);
    moves = List.copyOf(moves);
  }

  /**
   * One step.
   *
   * @param runId its run
   * @param stepId the step
   * @param token the claim
   * @param checkAt when it is to be processed next
   * @param dispatchedAt when its attempt was dispatched; null: it is to be
   */
  public record NextCheck(
      String runId,
      String stepId,
      String token,
      Instant checkAt,
      @Nullable Instant dispatchedAt) {
    /** Refuses null, except as dispatch time, and cuts instants to microseconds. */
    public NextCheck {
      Objects.requireNonNull(runId);
      Objects.requireNonNull(stepId);
      Objects.requireNonNull(token);
      Objects.requireNonNull(checkAt);
      checkAt = checkAt.truncatedTo(ChronoUnit.MICROS);
      dispatchedAt = dispatchedAt == null ? null : dispatchedAt.truncatedTo(ChronoUnit.MICROS);
    }
  }
}
