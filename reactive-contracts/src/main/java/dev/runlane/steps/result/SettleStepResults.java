package dev.runlane.steps.result;

import dev.runlane.steps.task.StepClaim;
import dev.runlane.steps.task.StepTask;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Deletes results that the engine has stored, and with each, in the same transaction, may dispatch the
 * step's next attempt: neither happens without the other.
 *
 * @param settlements no step twice; may be empty
 * @param now the engine's time
 */
public record SettleStepResults(List<Settlement> settlements, Instant now) {
  /** Copies the settlements and refuses null. */
  public SettleStepResults {
    settlements = List.copyOf(settlements);
    Objects.requireNonNull(now);
  }

  /**
   * One result.
   *
   * @param claim the engine's claim on it
   * @param next the next attempt of the same step, or null when there is none
   */
  public record Settlement(StepClaim claim, @Nullable StepTask next) {
    /** Refuses null, except as next attempt. */
    public Settlement {
      Objects.requireNonNull(claim);
    }
  }
}
